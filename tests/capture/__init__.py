"""From the client's own logs to memories."""
