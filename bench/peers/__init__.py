"""Recollect beside other memories for agents: the same notes, the same cues, in one run.

docs/recall.md has the figures, and what they do not say.
"""
