"""Tests of the command line, as its users meet it."""
