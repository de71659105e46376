"""The hook program, run as the client runs it."""
