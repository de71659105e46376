"""What a model would be sent of real sessions, and what its answers are worth."""
