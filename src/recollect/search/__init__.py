"""SQLite: the index, derived from the files and thrown away at any doubt."""
