"""Two exact things among many that are nearly the same: identifiers in code, and Chinese words."""
