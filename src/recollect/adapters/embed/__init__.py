"""Embed: texts as vectors. One module for each way; the heavy libraries are loaded when used."""
