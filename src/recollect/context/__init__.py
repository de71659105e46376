"""Context: what an agent is given."""
