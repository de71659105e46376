"""A benchmark of memory for coding agents: histories of made-up projects, and cues as they occur.

docs/benchmark.md explains it, and how to run another system on it.
"""
