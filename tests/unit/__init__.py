"""Tests of the domain: no disk, no clock."""
