"""Clients: everything we know about each agent, one module a client."""
