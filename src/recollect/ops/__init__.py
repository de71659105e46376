"""Setup, diagnosis, encryption and demo."""
