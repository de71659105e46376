"""Sessions of commands with what they print, as text files."""
