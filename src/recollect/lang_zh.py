"""Lang: the sentences of the program in Chinese, by their English."""

ZH: dict[str, str] = {}
