"""Tools for those who work on the program; nothing of the program uses them."""
