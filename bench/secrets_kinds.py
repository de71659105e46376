"""Kinds of secrets: how each is written by the people and programs that write it.

Promises: each kind gives `(what stands there, the secret in it)`, made up from the chance it is given; no
format is taken from our rules.
Touches: nothing.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
Make = Callable[[random.Random], tuple[str, str]]


def of(signs: str, size: int, chance: random.Random) -> str:
    """So many of these signs."""
    return "".join(chance.choices(signs, k=size))


def _plain(start: str, signs: str, size: int, end: str = "") -> Make:
    """A secret that is known by its form."""

    def make(chance: random.Random) -> tuple[str, str]:
        secret = f"{start}{of(signs, size, chance)}{end}"
        return secret, secret

    return make


def _in(template: str, value: Callable[[random.Random], str]) -> Make:
    """A secret that is known by what stands around it, which is no part of it."""

    def make(chance: random.Random) -> tuple[str, str]:
        secret = value(chance)
        return template.replace("{}", secret), secret

    return make


def _named(template: str, signs: str, size: int) -> Make:
    return _in(template, lambda c: of(signs, size - 1, c) + c.choice(string.digits))


def password(chance: random.Random) -> str:
    """A password as people choose them: a word, a number, a sign, and more."""
    word = of(string.ascii_lowercase, chance.randint(4, 9), chance)
    return f"{word}{chance.randint(1, 999)}{chance.choice('!#%^*-_.')}{of(ALNUM, chance.randint(3, 12), chance)}"


def letters(chance: random.Random) -> str:
    """A password without digits and signs."""
    return "".join(chance.choices(["horse", "Staple", "kettle", "Willow", "orbit"], k=3))


def sentence(chance: random.Random) -> str:
    """A pass phrase with blanks."""
    return f"{of(string.ascii_lowercase, 5, chance)} {of(string.ascii_lowercase, 6, chance)} {chance.randint(10, 99)}!"


def _encoded(chance: random.Random) -> str:
    return base64.b64encode(f"me:{password(chance)}".encode()).decode()


def _json_part(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _jwt(chance: random.Random) -> str:
    body = _json_part(f'{{"sub":"{of(string.digits, 10, chance)}"}}')
    head = _json_part('{"alg":"HS256","typ":"JWT"}')
    return f"{head}.{body}.{of(URL_SAFE, 43, chance)}"


def _sealed_token(chance: random.Random) -> tuple[str, str]:
    """A token of three parts of which only the first is readable."""
    head = _json_part('{"alg":"dir","enc":"A256GCM"}')
    secret = f"{head}.{of(URL_SAFE, 60, chance)}.{of(URL_SAFE, 22, chance)}"
    return secret, secret


def _pem(kind: str, lines: int, width: int, ends: str = "\n") -> Make:
    def make(chance: random.Random) -> tuple[str, str]:
        body = [of(BASE64, width, chance) for _ in range(lines)]
        text = ends.join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"])
        return text, body[-1]

    return make


def _hook(start: str, signs: str, size: int) -> Make:
    return _in(start + "{}", lambda c: of(signs, size, c))


KINDS: dict[str, Make] = {
    # --- known by their form
    "aws-key": _plain("AKIA", string.ascii_uppercase + "234567", 16),
    "github-pat": _plain("ghp_", ALNUM, 36),
    "github-fine": _plain("github_pat_11", ALNUM + "_", 80),
    "github-app": _plain("ghs_", ALNUM, 36),
    "gitlab-pat": _plain("glpat-", URL_SAFE, 20),
    "slack-bot": _plain("xoxb-123456789012-123456789012-", ALNUM, 24),
    "slack-hook": _named("https://hooks.slack.com/services/T01ABCDEFGH/B01ABCDEFGH/{}", ALNUM, 24),
    "discord-hook": _hook("https://discord.com/api/webhooks/112233445566778899/", URL_SAFE, 68),
    "anthropic": _plain("sk-ant-api03-", URL_SAFE, 93, "AA"),
    "openai-project": _plain("sk-proj-", URL_SAFE, 100),
    "openai-old": lambda c: (k := f"sk-{of(ALNUM, 20, c)}T3BlbkFJ{of(ALNUM, 20, c)}", k),
    "openrouter": _plain("sk-or-v1-", HEX, 64),
    "google-api": _plain("AIza", URL_SAFE, 35),
    "google-oauth": _plain("GOCSPX-", URL_SAFE, 28),
    "stripe": _plain("sk_live_", ALNUM, 32),
    "sendgrid": lambda c: (k := f"SG.{of(URL_SAFE, 22, c)}.{of(URL_SAFE, 43, c)}", k),
    "twilio": _plain("SK", HEX, 32),
    "npm": _plain("npm_", ALNUM, 36),
    "pypi": _plain("pypi-AgEIcHlwaS5vcmc", URL_SAFE, 90),
    "huggingface": _plain("hf_", ALNUM, 34),
    "digitalocean": _plain("dop_v1_", HEX, 64),
    "databricks": _plain("dapi", HEX, 32),
    "shopify": _plain("shpat_", HEX, 32),
    "telegram": lambda c: (k := f"{c.randint(10**8, 10**9)}:AA{of(URL_SAFE, 33, c)}", k),
    "age": _plain("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "vault": _plain("hvs.", URL_SAFE, 100),
    "doppler": _plain("dp.pt.", LOWER, 43),
    "linear": _plain("lin_api_", ALNUM, 40),
    "postman": lambda c: (k := f"PMAK-{of(HEX, 24, c)}-{of(HEX, 34, c)}", k),
    "grafana": lambda c: (k := f"glsa_{of(ALNUM, 32, c)}_{of(HEX, 8, c)}", k),
    "heroku": _plain("HRKU-AA", URL_SAFE, 58),
    "notion": lambda c: (k := f"ntn_{of(string.digits, 11, c)}{of(ALNUM, 35, c)}", k),
    "planetscale": _plain("pscale_tkn_", ALNUM, 43),
    "groq": _plain("gsk_", ALNUM, 52),
    "xai": _plain("xai-", ALNUM, 80),
    "nvidia": _plain("nvapi-", URL_SAFE, 64),
    "replicate": _plain("r8_", ALNUM, 37),
    "tavily": _plain("tvly-dev-", ALNUM, 32),
    "docker-pat": _plain("dckr_pat_", URL_SAFE, 27),
    "figma": _plain("figd_", URL_SAFE, 40),
    "supabase": lambda c: (k := f"sb_secret_{of(URL_SAFE, 22, c)}_{of(URL_SAFE, 8, c)}", k),
    "langsmith": lambda c: (k := f"lsv2_pt_{of(HEX, 32, c)}_{of(HEX, 10, c)}", k),
    "resend": lambda c: (k := f"re_{of(ALNUM, 8, c)}_{of(ALNUM, 24, c)}", k),
    "google-code": _plain("4/0A", URL_SAFE, 70),
    "google-refresh": _plain("1//0", URL_SAFE, 100),
    "oauth-redirect": _named("http://localhost:8080/callback?state=af0ifj&code={}", URL_SAFE, 40),
    "oauth-code": _named("The authorization code is {}", URL_SAFE, 32),
    "mailgun": _in("mailgun: key-{}", lambda c: of(HEX, 32, c)),
    "jwt": lambda c: (k := _jwt(c), k),
    "sealed-jwt": _sealed_token,
    "pem-rsa": _pem("RSA PRIVATE KEY", 25, 64),
    "pem-openssh": _pem("OPENSSH PRIVATE KEY", 7, 70),
    "pem-short": _pem("PRIVATE KEY", 1, 20),
    "pem-json": _pem("PRIVATE KEY", 20, 64, "\\n"),
    # --- in headers, addresses and cookies
    "bearer": _named("Authorization: Bearer {}", URL_SAFE, 40),
    "basic-auth": _in("Authorization: Basic {}", _encoded),
    "token-auth": _named("authorization: token {}", HEX, 40),
    "api-key-header": _named("X-API-Key: {}", LOWER, 32),
    "url-password": _in("postgresql://app:{}@db.internal:5432/orders", password),
    "redis-url": _in("REDIS_URL=redis://:{}@cache:6379/0", password),
    "url-token": _named("https://api.example.org/v1/items?access_token={}", ALNUM, 32),
    "azure-sas": _in("https://acme.blob.core.windows.net/c/f?sv=2024-08-04&sp=r&sig={}", lambda c: f"{of(ALNUM, 42, c)}%3D"),
    "cookie": _named("Cookie: theme=dark; sessionid={}", LOWER, 32),
    "set-cookie": _named("Set-Cookie: sid={}; Path=/; HttpOnly", ALNUM, 26),
    "curl-b": _named("curl -b 'connect.sid={}' https://shop.example/cart", ALNUM, 32),
    "curl-cookie": _named('curl --cookie "PHPSESSID={}" https://shop.example/', LOWER, 26),
    "session-jwt": _in("Cookie: __session={}", _jwt),
    # --- in settings
    "aws-secret": _named("aws_secret_access_key = {}", BASE64, 40),
    "env-password": _in("DB_PASSWORD={}", password),
    "env-letters": _in("PASSWORD={}", letters),
    "env-quoted-letters": _in('export DB_PASSWORD="{}"', letters),
    "json-password": _in('"password": "{}",', password),
    "yaml-secret": _in("client_secret: '{}'", password),
    "yaml-block": _in("password: |\n  {}", password),
    "toml-long": _in('password = """\n{}"""', password),
    "quoted-blanks": _in('password = "{}"', sentence),
    "short-pass": _in("auth: { user: 'me', pass: '{}' }", password),
    "properties": _in("spring.datasource.password={}", password),
    "connection": _in("Server=db;Database=shop;User Id=sa;Password={};Encrypt=true", password),
    "jdbc": _in("jdbc:postgresql://db/shop?user=app&password={}&ssl=true", password),
    "account-key": _in("AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net", lambda c: of(BASE64, 86, c) + "=="),
    "datadog": _named('datadog_api_key = "{}"', LOWER, 40),
    "cloudflare": _named("CLOUDFLARE_API_KEY={}", HEX, 40),
    "rails-key": _named("RAILS_MASTER_KEY={}", HEX, 32),
    "django-key": _named("SECRET_KEY = 'django-insecure-{}'", ALNUM + "(*&^#@$=!", 50),
    "netrc": _in("machine git.example.org login ada password {}", password),
    "pgpass": _in("db.internal:5432:orders:app:{}", password),
    "npmrc": _named("//registry.example.org/:_authToken={}", ALNUM, 36),
    "docker-auth": _in('{"auths": {"ghcr.io": {"auth": "{}"}}}', _encoded),
    "kubeconfig": _in("    client-key-data: {}", lambda c: base64.b64encode(f"-----BEGIN {of(ALNUM, 90, c)}".encode()).decode()),
    "kube-secret": _in("kind: Secret\ndata:\n  password: {}", lambda c: base64.b64encode(password(c).encode()).decode()),
    "terraform": _in('variable "db_password" {\n  type    = string\n  default = "{}"\n}', password),
    "xml": _in("<password>{}</password>", password),
    "xml-attribute": _in('<add key="SmtpPassword" value="{}" />', password),
    "php": _in("$db_pass = '{}';", password),
    "ansible": _in("ansible_become_pass: {}", password),
    "wireguard": _in("PrivateKey = {}", lambda c: of(BASE64, 43, c) + "="),
    "jwk": _in('{"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "d": "{}"}', lambda c: of(URL_SAFE, 43, c)),
    "ethereum": _in("PRIVATE_KEY=0x{}", lambda c: of(HEX, 64, c)),
    # --- on a command line
    "curl-user": _in("curl -u admin:{} https://example.org/x", password),
    "mysql-p": _in("mysql -uroot -p{} shop", password),
    "mysql-password": _in("mysqldump --password={} shop", password),
    "sshpass": _in("sshpass -p {} ssh ada@teapot", password),
    "pgpassword": _in("PGPASSWORD={} psql -h db", password),
    "redis-cli": _in("redis-cli -h cache -a {} ping", password),
    "docker-login": _in("docker login -u ada -p {} ghcr.io", password),
    "openssl-pass": _in("openssl rsa -in k.pem -passin pass:{}", password),
    "mysql-list": _in('run(["mysql", "-p{}", "shop"])', password),
    "unzip": _in("unzip -P {} a.zip", password),
    "openssl-k": _in("openssl enc -d -aes-256-cbc -k {} -in a", password),
    "wpa-passphrase": _in("wpa_passphrase Home {}", password),
    "htpasswd": _in("htpasswd -bc .htpasswd ada {}", password),
    "sql-user": _in("CREATE USER app IDENTIFIED BY '{}';", password),
    "sql-role": _in("ALTER ROLE app WITH LOGIN PASSWORD '{}';", password),
    # --- in a sentence or a table
    "is": _in("the password is {}", password),
    "is-letters": _in("the password is `{}`", letters),
    "after-noun": _in("db password {}", password),
    "to": _in("I set the admin password to {}", password),
    "as": _in("use {} as the password", password),
    "behind-user": _in("connect with sa / {}", password),
    "table": _in("| db password | {} |", password),
    "token-is": _named("my access token is {}", ALNUM, 32),
    "bold-name": _in("**Password:** {}", password),
    "chinese": _in("数据库密码：{}", password),
    "chinese-is": _in("数据库密码是{}", password),
    "chinese-bare": _in("密码{}", password),
    "chinese-code": _in("密码 `{}`", password),
    "chinese-table": _in("| 数据库密码 | {} |", password),
    "chinese-quotes": _in("密钥为「{}」", password),
    "chinese-traditional": _in("資料庫密碼是 {}", password),
    "chinese-traditional-key": _in("金鑰：{}", password),
    "chinese-set": _in("把 root 的密码改成了 {}", password),
}  # fmt: skip
