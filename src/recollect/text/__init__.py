"""Domain: the rules of memory as pure functions and values; no clock, files or randomness."""
