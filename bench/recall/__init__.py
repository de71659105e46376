"""Recall quality on public conversations, through the product's own store, index and search."""
