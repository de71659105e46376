"""Search: the index, ranking and vectors; derived from the files."""
