"""Redact: what must never reach a disk, taken out of a text.

Promises: `<private>` parts go before anything else looks at the text, in any case, nested, with
attributes, and to the end when unclosed; a secret becomes `[redacted:kind:ab12]`, the same for
the same secret and key; redacting twice changes nothing more.
Touches: nothing. The one choke point that calls it is `services.commit`; capture calls it on
every event before anything else sees it.
"""

from __future__ import annotations

import hmac
import re
from functools import partial

_PRIVATE = re.compile(r"<(/?)\s*private\b[^>]*>", re.I)
PRIVATE_MARK = "[private]"


def strip_private(text: str) -> str:
    """`text` without its `<private>` parts; each leaves `[private]` behind."""
    if not _PRIVATE.search(text):
        return text
    kept: list[str] = []
    depth, start = 0, 0
    for tag in _PRIVATE.finditer(text):
        if tag[1]:
            if depth:
                depth -= 1
                start = tag.end()
            continue
        if depth == 0:
            kept.append(text[start : tag.start()] + PRIVATE_MARK)
        depth += 1
        start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    return "".join(kept)


# (kind, words of which one must be there, pattern; its group 1, where it has one, is the secret)
_RULES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (kind, tuple(words.split()), re.compile(pattern))
    for kind, words, pattern in (
        (
            "private-key",
            "PRIVATE",
            (
                r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S])*"
                r"(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?"
            ),
        ),
        ("anthropic-key", "sk-ant-", r"\bsk-ant-[\w-]{16,}"),
        ("openai-key", "sk-", r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}"),
        ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
        ("github-token", "github_pat_", r"\bgithub_pat_\w{30,}"),
        ("gitlab-token", "glpat-", r"\bglpat-[\w-]{20,}"),
        ("aws-key", "AKIA ASIA", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
        ("slack-token", "xox", r"\bxox[abeoprs]-[\w-]{10,}"),
        ("google-key", "AIza", r"\bAIza[\w-]{35}\b"),
        ("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
        ("stripe-key", "_live_ _test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
        ("jwt", "eyJ", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
        ("url-password", "://", r"://[^\s/:@]{1,64}:([^\s/@]{1,128})@"),
        ("bearer", "earer", r"\b[Bb]earer\s+([\w.~+/-]{16,}=*)"),
        ("basic-auth", "asic ", r"\b[Bb]asic\s+([A-Za-z0-9+/]{12,}={0,2})"),
        (
            "assigned",
            "assw ASSW ecret ECRET oken OKEN key KEY Key 密码 密钥",
            (
                r"(?:[Pp]assw(?:or)?d|PASSW(?:OR)?D|passwd|[Ss]ecret|SECRET|[Tt]oken|TOKEN"
                r"|[Aa]pi[_-]?[Kk]ey|API_?KEY|[Aa]ccess[_-]?[Kk]ey|ACCESS_?KEY|密码|密钥)"
                r"[\w-]{0,24}[\"']?\s*(?::=|=>|[:=：])\s*[\"']?"
                r"((?!\[redacted)(?=[^\s\"',;)\]}]*[\d!@#$%^&*+/_-])[^\s\"',;)\]}<>`]{8,256})"
            ),
        ),
    )
)


def redact(text: str, key: bytes = b"") -> str:
    """`text` without private parts and without the secrets that the rules know."""
    text = strip_private(text)
    for kind, words, pattern in _RULES:
        if any(word in text for word in words):
            text = pattern.sub(partial(_placeholder, kind=kind, key=key), text)
    return text


def _placeholder(match: re.Match[str], kind: str, key: bytes) -> str:
    group = 1 if match.re.groups else 0
    secret = match[group]
    mark = hmac.digest(key, secret.encode("utf-8", "surrogateescape"), "sha256").hex()[:4]
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return f"{match[0][:start]}[redacted:{kind}:{mark}]{match[0][end:]}"
