"""Secrets: how many of each kind are found, how many ordinary lines are touched, and how quickly.

    python -m bench.secrets [--seed 1] [--each 50] [--rules]

Every secret here is made up from the seed: by hand-written recipes for the kinds that people really
have (formats as their services describe them, none taken from our rules), and with `--rules` one for
each of gitleaks' rules, from its own pattern, which says whether our windows and keywords lose any.
Each is put into every carrier in turn. Touches: nothing but stdout.
"""

# ruff: noqa: A005 - it is called as `bench.secrets`
from __future__ import annotations

import argparse
import base64
import random
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.secrets_benign import benign_lines
from recollect.domain.redact import redact

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
Make = Callable[[random.Random], tuple[str, str]]  # `(what stands there, the secret in it)`


def _of(signs: str, size: int, chance: random.Random) -> str:
    return "".join(chance.choices(signs, k=size))


def _plain(start: str, signs: str, size: int, end: str = "") -> Make:
    """A secret that is known by its form."""

    def make(chance: random.Random) -> tuple[str, str]:
        secret = f"{start}{_of(signs, size, chance)}{end}"
        return secret, secret

    return make


def _named(template: str, signs: str, size: int) -> Make:
    """A secret that is known by the name before it, which is no part of it."""

    def make(chance: random.Random) -> tuple[str, str]:
        secret = _of(signs, size - 1, chance) + chance.choice(string.digits)
        return template.replace("{}", secret), secret

    return make


def _password(chance: random.Random) -> str:
    word = _of(string.ascii_lowercase, chance.randint(4, 9), chance)
    return f"{word}{chance.randint(1, 999)}{chance.choice('!#%^*-_.')}{_of(ALNUM, chance.randint(3, 12), chance)}"


def _with_password(template: str) -> Make:
    def make(chance: random.Random) -> tuple[str, str]:
        secret = _password(chance)
        return template.replace("{}", secret), secret

    return make


def _basic(chance: random.Random) -> tuple[str, str]:
    secret = base64.b64encode(f"me:{_password(chance)}".encode()).decode()
    return f"Authorization: Basic {secret}", secret


def _jwt(chance: random.Random) -> tuple[str, str]:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    body = part(f'{{"sub":"{_of(string.digits, 10, chance)}"}}')
    head = part('{"alg":"HS256","typ":"JWT"}')
    secret = f"{head}.{body}.{_of(URL_SAFE, 43, chance)}"
    return secret, secret


def _pem(kind: str, lines: int, width: int, ends: str = "\n") -> Make:
    def make(chance: random.Random) -> tuple[str, str]:
        body = [_of(BASE64, width, chance) for _ in range(lines)]
        text = ends.join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"])
        return text, body[-1]

    return make


KINDS: dict[str, Make] = {
    "aws-key": _plain("AKIA", string.ascii_uppercase + "234567", 16),
    "aws-secret": _named("aws_secret_access_key = {}", BASE64, 40),
    "github-pat": _plain("ghp_", ALNUM, 36),
    "github-fine": _plain("github_pat_11", ALNUM + "_", 80),
    "github-app": _plain("ghs_", ALNUM, 36),
    "gitlab-pat": _plain("glpat-", URL_SAFE, 20),
    "slack-bot": _plain("xoxb-123456789012-123456789012-", ALNUM, 24),
    "slack-hook": _named("https://hooks.slack.com/services/T01ABCDEFGH/B01ABCDEFGH/{}", ALNUM, 24),
    "anthropic": _plain("sk-ant-api03-", URL_SAFE, 93, "AA"),
    "openai-project": _plain("sk-proj-", URL_SAFE, 100),
    "openai-old": lambda c: (k := f"sk-{_of(ALNUM, 20, c)}T3BlbkFJ{_of(ALNUM, 20, c)}", k),
    "google-api": _plain("AIza", URL_SAFE, 35),
    "google-oauth": _plain("GOCSPX-", URL_SAFE, 28),
    "stripe": _plain("sk_live_", ALNUM, 32),
    "sendgrid": lambda c: (k := f"SG.{_of(URL_SAFE, 22, c)}.{_of(URL_SAFE, 43, c)}", k),
    "twilio": _plain("SK", HEX, 32),
    "npm": _plain("npm_", ALNUM, 36),
    "pypi": _plain("pypi-AgEIcHlwaS5vcmc", URL_SAFE, 90),
    "huggingface": _plain("hf_", ALNUM, 34),
    "digitalocean": _plain("dop_v1_", HEX, 64),
    "databricks": _plain("dapi", HEX, 32),
    "shopify": _plain("shpat_", HEX, 32),
    "telegram": lambda c: (k := f"{c.randint(10**8, 10**9)}:AA{_of(URL_SAFE, 33, c)}", k),
    "age": _plain("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "jwt": _jwt,
    "bearer": _named("Authorization: Bearer {}", URL_SAFE, 40),
    "basic-auth": _basic,
    "url-password": _with_password("postgresql://app:{}@db.internal:5432/orders"),
    "redis-url": _with_password("REDIS_URL=redis://:{}@cache:6379/0"),
    "env-password": _with_password("DB_PASSWORD={}"),
    "json-password": _with_password('"password": "{}",'),
    "yaml-secret": _with_password("client_secret: '{}'"),
    "curl-user": _with_password("curl -u admin:{} https://example.org/x"),
    "chinese": _with_password("数据库密码：{}"),
    "pem-rsa": _pem("RSA PRIVATE KEY", 25, 64),
    "pem-openssh": _pem("OPENSSH PRIVATE KEY", 7, 70),
    "pem-short": _pem("PRIVATE KEY", 1, 20),
    "pem-json": _pem("PRIVATE KEY", 20, 64, "\\n"),
    "vault": _plain("hvs.", URL_SAFE, 100),
    "doppler": _plain("dp.pt.", string.ascii_lowercase + string.digits, 43),
    "linear": _plain("lin_api_", ALNUM, 40),
    "postman": lambda c: (k := f"PMAK-{_of(HEX, 24, c)}-{_of(HEX, 34, c)}", k),
    "grafana": lambda c: (k := f"glsa_{_of(ALNUM, 32, c)}_{_of(HEX, 8, c)}", k),
    "heroku": _plain("HRKU-AA", URL_SAFE, 58),
    "notion": lambda c: (k := f"ntn_{_of(string.digits, 11, c)}{_of(ALNUM, 35, c)}", k),
    "planetscale": _plain("pscale_tkn_", ALNUM, 43),
    "datadog": _named('datadog_api_key = "{}"', string.ascii_lowercase + string.digits, 40),
    "cloudflare": _named("CLOUDFLARE_API_KEY={}", HEX, 40),
    "mailgun": _plain("key-", HEX, 32),
}  # fmt: skip
# Where a secret stands; those of many lines stand in the first few only.
CARRIERS = (
    "{}",
    "I have put it there for you:\n{}\nPlease use it for the deployment.",
    "+{}\n-old line\n context",
    "HOME=/root\nLANG=C.UTF-8\n{}\nPATH=/usr/bin",
    "2026-01-11T14:30:00Z INFO starting with {} (pid 123)",
    "部署时请用 {} 这个值。",
)
MAILGUN_NEEDS = "mailgun: "


def secrets_of(kind: str, chance: random.Random, each: int) -> Iterator[tuple[str, str]]:
    """`(text, secret)` for one kind, in one carrier after the other."""
    for n in range(each):
        text, secret = KINDS[kind](chance)
        text = MAILGUN_NEEDS + text if kind == "mailgun" else text
        usable = CARRIERS[:4] if "\n" in text or kind == "chinese" else CARRIERS
        yield usable[n % len(usable)].replace("{}", text), secret


def share_found(cases: Iterator[tuple[str, str]]) -> float:
    """How many of these secrets are gone from their texts, as a share."""
    rows = [secret not in redact(text, b"key") for text, secret in cases]
    return sum(rows) / len(rows)


def share_touched(lines: list[str]) -> tuple[float, list[str]]:
    """How many of these lines are changed, as a share, and which."""
    touched = [line for line in lines if redact(line, b"key") != line]
    return len(touched) / len(lines), touched


def megabytes_a_second(text: str) -> float:
    """How much text a second of one core looks through, by all rules."""
    redact(text[:10_000])  # compiles what is compiled once
    started = time.process_time()
    redact(text)
    return len(text) / (time.process_time() - started) / 1e6


def _measured(seed: int, each: int, *, rules: bool) -> None:
    chance = random.Random(seed)
    shares = {kind: share_found(secrets_of(kind, chance, each)) for kind in KINDS}
    low = {kind: share for kind, share in shares.items() if share < 1}
    print(f"{len(KINDS)} kinds, {each} of each in {len(CARRIERS)} carriers (seed {seed})")
    print(f"  found: {sum(shares.values()) / len(shares):.1%}; not all of: {low or 'none'}")
    if rules:
        from bench.secrets_rules import cases_of_rules

        by_rule = {kind: share_found(iter(c)) for kind, c in cases_of_rules(chance, each)}
        less = {kind: round(share, 2) for kind, share in by_rule.items() if share < 0.95}
        print(f"{len(by_rule)} rules of gitleaks, {each} from the pattern of each")
        print(f"  found: {sum(by_rule.values()) / len(by_rule):.1%}; below 95 %: {less or 'none'}")
    lines = benign_lines(chance, 2_000)
    share, touched = share_touched(lines)
    print(f"{len(lines)} ordinary lines: {share:.2%} touched")
    for line in touched[:10]:
        print(f"  {line[:110]}")
    sources = sorted(Path(__file__).parents[1].glob("src/**/*.py"))
    plain = "".join(p.read_text("utf-8") for p in sources if p.name != "rules.py") * 2
    noisy = "\n".join(text for kind in KINDS for text, _ in secrets_of(kind, chance, 20))
    for name, text in (("source code", plain), ("ordinary lines", "\n".join(lines) * 5), ("nothing but secrets", noisy)):  # fmt: skip
        print(f"  {name}: {megabytes_a_second(text):.1f} MB/s ({len(text) / 1e6:.1f} MB)")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--rules", action="store_true")
    given = parser.parse_args()
    _measured(given.seed, given.each, rules=given.rules)


if __name__ == "__main__":
    main()
