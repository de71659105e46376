"""Services: what the system does for its user, in terms of ports."""
