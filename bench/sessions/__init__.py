"""What real sessions leave in the store, and what agents are told from it (see `docs/benchmark.md`).

Touches: the folder of `--out`; other people's words never leave it.
"""
