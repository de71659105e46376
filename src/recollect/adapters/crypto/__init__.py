"""Crypto: age, through pyrage; keys in files of the person's own. Loaded when it is needed."""
