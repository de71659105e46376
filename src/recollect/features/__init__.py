"""Use cases: what a person or an agent can do."""
