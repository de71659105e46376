"""The version of the program, which rooms below the API need too."""

__version__ = "0.1.0"
