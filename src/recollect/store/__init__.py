"""The store: the only writer to disk."""
