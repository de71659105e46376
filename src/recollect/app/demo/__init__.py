"""Demo: a made-up history of sessions, played through the real hooks.

Promises: everything happens in a scratch folder with a scratch home; nothing of the person's own
is read or written.
Touches: that folder.
"""
