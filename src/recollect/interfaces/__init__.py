"""Interfaces: hooks, MCP and command line."""
