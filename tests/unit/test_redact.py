"""What must never reach a disk is taken out, and nothing else."""

from __future__ import annotations

import base64
import re
import string
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.text import redact as rules
from recollect.text.redact import PRIVATE_MARK, redact, strip_private

from .build import any_text, each_share, is_quick

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def of(alphabet: str, size: int, most: int = 0) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=size, max_size=most or size)


def after(start: str, rest: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return rest.map(lambda text: start + text)


_url_safe = ALNUM + "-_"
_password = st.builds(
    lambda head, digit, tail: f"{head}{digit}{tail}",
    of(string.ascii_lowercase, 4, 9),
    of(string.digits, 1, 3),
    of(ALNUM, 3, 20),
).filter(
    lambda p: (
        not re.match(r"(your|change|example|placeholder|dummy|xxxx|u?int|sha|utf|base|float)", p)
    )
)
_segment = of(_url_safe, 12, 40)
SECRETS: dict[str, st.SearchStrategy[str]] = {
    "private-key": of(ALNUM + "+/", 64, 200).map(
        lambda body: f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    ),
    "anthropic-key": after("sk-ant-api03-", of(_url_safe, 40, 95)),
    "openai-key": after("sk-proj-1", of(_url_safe, 40, 120)),
    "github-token": st.one_of(
        *(after(f"gh{kind}_", of(ALNUM, 36)) for kind in "pousr"),
        after("github_pat_", of(ALNUM + "_", 60, 82)),
    ),
    "gitlab-token": after("glpat-", of(_url_safe, 20)),
    "aws-key": st.sampled_from(["AKIA", "ASIA"]).flatmap(
        lambda start: after(start, of(string.ascii_uppercase + string.digits, 16))
    ),
    "slack-token": after("xoxb-", of(string.digits + "-" + ALNUM, 24, 60)),
    "slack-hook": after("T0", of(string.ascii_uppercase, 20)),
    "google-key": after("AIza", of(_url_safe, 35)),
    "google-secret": after("GOCSPX-", of(_url_safe, 28)),
    "npm-token": after("npm_", of(ALNUM, 36)),
    "pypi-token": after("pypi-AgEIcHlwaS5vcmc", of(_url_safe, 60, 150)),
    "huggingface-token": after("hf_", of(ALNUM, 34)),
    "stripe-key": st.sampled_from(["sk_live_", "rk_test_", "whsec_"]).flatmap(
        lambda start: after(start, of(ALNUM, 24, 60))
    ),
    "sendgrid-key": st.tuples(of(_url_safe, 22), of(_url_safe, 43)).map(lambda p: f"SG.{p[0]}.{p[1]}"),
    "digitalocean-token": after("dop_v1_", of(HEX, 64)),
    "databricks-token": after("dapi", of(HEX, 32)),
    "shopify-token": after("shpat_", of(HEX, 32)),
    "twilio-key": after("SK", of(HEX, 32)),
    "telegram-token": after("123456789:AA", of(_url_safe, 33)),
    "age-key": after("AGE-SECRET-KEY-1", of(string.ascii_uppercase + string.digits, 58)),
    "jwt": st.tuples(_segment, _segment, _segment).map(lambda p: f"eyJ{p[0]}.eyJ{p[1]}.{p[2]}"),
    "url-password": _password,
    "bearer": after("t0ken", of(ALNUM + "._~+/-", 20, 60)),
    "basic-auth": _password.map(lambda p: base64.b64encode(f"me:{p}".encode()).decode()),
    "curl-password": _password,
    "assigned": _password,
    "option": _password,
}  # fmt: skip
# Where a secret of a kind stands; `{}` is the secret.
CARRIERS: dict[str, tuple[str, ...]] = {
    "slack-hook": ("curl https://hooks.slack.com/services/{}",),
    "url-password": ("postgresql://app:{}@db.local:5432/x", "DB=redis://:{}@cache", "git clone https://me:{}@git.io/r"),
    "bearer": ("Authorization: Bearer {}", '{{"authorization": "bearer {}"}}', "-H 'Authorization: Bearer {}'"),
    "basic-auth": ("Authorization: Basic {}", "'authorization': 'Basic {}'"),
    "curl-password": ("curl -s -u admin:{} https://x.org", "curl --user 'admin:{}' x.org"),
    "assigned": (
        "DB_PASSWORD={}", "password: {}", '"password": "{}"', "client_secret = '{}'", "api_key: `{}`", 'apiKey: "{}",',
        "export AUTH_TOKEN={} # x", '\\"password\\": \\"{}\\"', "SECRET_KEY_BASE={}", "密码：{}", "密钥是{}", "os.environ['TOKEN'] = '{}'",
        'accessKey => "{}"', "mysql --password {} -h db", "gh auth --with-token {}", "passphrase := {}",
        "**Password:** {}", "密碼是 {}", "金鑰：{}", '["--password", "{}"]', '[\\"--token\\", \\"{}\\"]',
    ),
    "option": ("mysql -p{} shop", '["mysql","-p{}"]', "unzip -P {} a.zip", "openssl enc -k {} -in a", "wpa_passphrase 'My Net' {}"),
}  # fmt: skip
USUAL = ("{}", "the key is {}.", 'KEY="{}"', "+ {}\n- old", "env\nX={}\nY=1", "数据{}结束")
_cases = st.sampled_from(sorted(SECRETS)).flatmap(
    lambda kind: st.tuples(st.just(kind), SECRETS[kind], st.sampled_from(CARRIERS.get(kind, USUAL)))
)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", SECRETS)
@settings(max_examples=15)
@given(data=st.data())
def test_a_secret_of_each_kind_is_found_wherever_it_stands(kind: str, data: st.DataObject) -> None:
    secret = data.draw(SECRETS[kind])
    for carrier in CARRIERS.get(kind, USUAL):
        text = carrier.format(secret)
        clean = redact(text, b"key")
        assert secret not in clean, carrier
        assert re.search(r"\[redacted:[a-z-]+:[0-9a-f]{4}\]", clean)
        before, behind = carrier.replace("{{", "{").replace("}}", "}").split("{}", 1)
        if kind != "private-key":
            assert clean.startswith(before)
            assert clean.endswith(behind)


@given(st.lists(_cases.map(lambda case: case[2].format(case[1])) | any_text, max_size=5))
@example(["postgres://u:hunter2hunter@db", "password=<private>x"])
@example(["token: \ud83dabc12345"])
def test_redacting_twice_changes_nothing_more(parts: list[str]) -> None:
    once = redact("\n".join(parts), b"key")
    assert redact(once, b"key") == once


@given(_cases)
def test_the_same_secret_leaves_the_same_mark_under_the_same_key(
    case: tuple[str, str, str],
) -> None:
    text = case[2].format(case[1])
    assert redact(text, b"one") == redact(text, b"one")
    both = redact(f"{text}\n{text}", b"one")
    marks = re.findall(r"\[redacted:[a-z-]+:[0-9a-f]{4}\]", both)
    assert len(set(marks)) * 2 == len(marks)


def test_another_key_leaves_another_mark() -> None:
    assert redact("password: hunter2hunter", b"a") != redact("password: hunter2hunter", b"b")


@pytest.mark.parametrize(
    "text",
    ["secret/app/password:{}", "docker run -e TOKEN={} x", "docker login -u me --password {}", "image.pull.secret: {}",
     "https://vault.local/token:{}", "from here on the password:{}", "auth-token: {}", "ghcr.io/token: {}"],
)  # fmt: skip
def test_a_secret_near_the_name_of_an_image_is_found(text: str) -> None:
    assert "hunter2hunter" not in redact(text.replace("{}", "hunter2hunter"))


BENIGN = """
token = get_token_from_env()
const token = await getToken2(user);
password = os.environ["DB_PASSWORD_2"]
const apiKey = process.env.OPENAI_API_KEY2;
api_key=settings.api_key_v2
password: string;
token: Optional[str] = None
def login(user: str, password: str) -> Token2:
token: Uint8Array,
secret: Base64String
PASSWORD=$DB_PASSWORD_1
password: ${{ secrets.DB_PASSWORD_1 }}
password: "${DB_PASSWORD1}"
secret: <your-secret-1>
token: your-token-here-1
api_key = "changeme123"
password = "xxxxxxxx1"
PASSWORD_FILE=/run/secrets/db_password1
secret: /run/secrets/app-1
private_key: ~/.ssh/id_ed25519
token_url: https://auth.example.com/oauth2/token
tokenizer: gpt2-tokenizer-fast
max_tokens: 4096
max_token = 128000
token_count=12345678
tokens_per_second: 1234.5678
"token": "string"
"secret": "webhook"
type="password" name="password" id="password1"
<input type="password" placeholder="Password (8 chars)">
primary_key: user_id_2
public_key: abcdef123456
cacheKey: node-modules-v2-abc123
Forgot password? 3 attempts left
Password: must be at least 8 characters
The password is hashed with bcrypt.
if password == user.password2:
if (token === expectedToken2) {
token !== null
sk-learn-something-long-name-here
.sk-folding-cube-animation-wrapper { }
task-management-system-version-2024-final
risk-assessment-document-number-12345
Basic authentication is not enough here
basic functionality of the parser
Bearer authentication-middleware is used
bearer token_validation_middleware
git clone https://github.com/org/repo.git
https://user@example.com/path
http://localhost:3000/@scope/pkg@1.2.3
postgres://localhost:5432/app_test
postgres://${USER}:${PASS}@db
docker run -u 1000:1000 image
curl -u "$USER:$PASS" https://x.org
curl -s https://x.org | jq .token
commit 3f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
550e8400-e29b-41d4-a716-446655440000
-----BEGIN CERTIFICATE-----
if "-----BEGIN PRIVATE KEY-----" in text:
Paste the -----BEGIN PRIVATE KEY----- line first, then the rest.
It has to begin with "-----BEGIN PRIVATE KEY-----\\n and not with the name of a file.
import { useSession } from "next-auth/react";
Use `--token` to pass the token.
gh secret set TOKEN --body "$TOKEN"
--password-stdin < file1.txt
login(password: String!, token: ResetToken!): Session
passwordless login with magic links v2
令牌桶算法每秒100个请求
密码长度至少8位以上才行
密钥保存在 Vault 里
密碼長度至少8位以上才行
金鑰保存在 Vault 裡
**Password:** at least 8 characters
**Token:** a JWT with 3 parts
zip -r out2.zip dir1
unzip -p a1.zip file2.txt
["--token", "--verbose2"]
AKIA is the prefix of AWS keys
ghp_ tokens are classic
eyJ is how a JWT starts
npm_config_cache=/tmp/npm
hf_hub_download(repo_id="x")
AIza keys belong to Google
E   AssertionError: assert token == 'abc'
2026-01-11T14:30:00Z INFO token refreshed in 12ms
The keyboard shortcut key: Ctrl+Shift+P
author_key and foreign_key: users.id
event.key === 'Enter1'
image: ghcr.io/acme/auth-token:v1.2.3-rc1
image: "acme/secret-store:2024-11-05"
docker pull registry.local:5000/team/api-key:3f2a1b9c8d7e
FROM acme/token:3.12-slim-bookworm AS build
COPY --from=acme/token:3f2a1b9c8d7e /x /y
kubectl set image deploy/x x=quay.io/acme/vault-secret:1.15.4-ent
podman run -p 80:80 acme/password:0.9.1-alpine3
""".strip().splitlines()


@pytest.mark.parametrize("line", BENIGN)
def test_ordinary_lines_stay_as_they_are(line: str) -> None:
    assert redact(line) == line


@given(any_text)
def test_text_without_secrets_stays_as_it_is(text: str) -> None:
    if not re.search(r"[\d<＜&!@#$%^*~?]", text):
        assert redact(text) == text


# ------------------------------------------------------------------------------------- private


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a <PRIVATE>b</Private> c", "a [private] c"),
        ("a <private>b", "a [private]"),
        ("<private>a<private>b</private>c</private>d", "[private]d"),
        ("<private>a<private>b</private>c", "[private]"),
        ('a <private reason="x">b</private > c', "a [private] c"),
        ("a < private >b< / private >c", "a [private]c"),
        ('a <private note="x<y">b</private>c', "a [private]c"),
        ("a <private\nb</private>c", "a [private]c"),
        ("a <private>b\n```\nc</private>\nd", "a [private]\nd"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [private] c"),
        ("a ＜private＞b＜/private＞ c", "a [private] c"),
        ("a <private/> b", "a [private] b"),
        ("a </private> b", "a </private> b"),
        ("<private>a</private></private>b", "[private]</private>b"),
        ("<privateer>a</privateer>", "<privateer>a</privateer>"),
        ("<private-key>a</private-key>", "<private-key>a</private-key>"),
        ("vector<PrivateKey> keys", "vector<PrivateKey> keys"),
        ("a private matter", "a private matter"),
        ("user:<private>hunter2</private>: reason", "user:[private]: reason"),
    ],
)
def test_private_parts_go(text: str, clean: str) -> None:
    assert strip_private(text) == clean
    assert redact(text) == clean


_tags = st.sampled_from(
    ["<private>", "</private>", "<Private x='y'>", "&lt;private&gt;", "<private", "x", "\n"]
)


@given(
    st.lists(_tags | any_text, max_size=10), any_text.filter(lambda t: not re.search("[<&＜]", t))
)
def test_nothing_inside_private_tags_comes_out(parts: list[str], secret: str) -> None:
    marked = f"\x01{secret}\x02"
    text = "".join(parts) + f"<private>{marked}</private>" + "".join(parts[::-1])
    clean = strip_private(text)
    assert marked not in clean
    assert strip_private(clean) == clean


@given(any_text)
def test_an_unclosed_private_part_goes_to_the_end(text: str) -> None:
    if "private" not in text.lower():
        assert strip_private(f"{text}<private>{text}") == text + PRIVATE_MARK


# --------------------------------------------------------------------------------------- speed

UNITS = [
    "<private ", "&lt;private ", "<", "</private>", "<private>", "token=", "password:", "token=aaaa1(", "key ",
    "eyJ", "eyJ-", "eyJaaaaaaaa.", "eyJaaaaaaaaaa.eyJaaaaaaaaaa.", "sk-", "sk-aaaa-", "://", "://a:b", "://a:",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN ", "bearer ", "bearer aaaaaaaa",
    "curl -u ", "curl ", "--token ", "--", "basic authorization: ", "a", " ", "\n", "1", "密码是", "token:  ", "xoxb-",
    "authorization", "authorization::::", "SG.aaaaaaaaaaaaaaaa.", "'\"`", 'password"""',
    "the password is ", "password ", "my password a1 ", "password: | ", "| password | a1b2c3 ", "密码 ", "把密码改成了", "cookie: a=b; ", "cookie: a=",
    "Set-Cookie: a=", "curl -b a=b", "curl --cookie ", "mysql ", "docker login ", "redis-cli a -", "machine a login b password ", "machine a ",
    "a:5432:b:", ":*:", 'variable "password" {', "echo a", "echo a | ", "a1b2c3 as the password ", "a1b2c3 as ", "a1b2c3是", "eyJaaaaaaaaa.",
    'kty "d": "', "authorization token ", "sig=a1", "<password>", "password value ", "PASSWORD=a", "password='a b", "private key 0x", "-passin pass:",
    "sessionid=", "identified by '", "\\n", "htpasswd -b a ", "discord.com/api/webhooks/1", '"auth": "',
    "login: a / a1A", "user a, pass ", "A_KEY=", "A_KEY value: ", "%3a%2f%2fa:", "smbclient -U a", "http a -a ", "ENV TOKEN a1", "pwd填",
    "Private-Lines: 1\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", "-----BEGIN PRIVATE KEY----- x\nweb | MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n",
]  # fmt: skip


@each_share
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.sampled(20)
def test_time_grows_with_the_text_only(unit: str, share: float) -> None:
    text = unit * int(200_000 * share / len(unit))
    assert is_quick(lambda: redact(text), seconds=3 * share)


@pytest.mark.slow
def test_a_megabyte_of_everything_is_soon_redacted() -> None:
    text = "".join(unit * 10 + "\n" for unit in UNITS + BENIGN if "private" not in unit)
    assert is_quick(lambda: redact(text * (1_000_000 // len(text))), seconds=6)


_filler = st.sampled_from(
    ["\n", "word " * 60, "x" * 500, "键" * 450, "a key for the token\n", "https://x.org/p?q=1 "]
)


@given(st.lists(_cases.map(lambda case: case[2].format(case[1])) | _filler, max_size=12))
def test_a_long_text_is_redacted_as_if_each_rule_were_applied_to_all_of_it(
    parts: list[str],
) -> None:
    text = "".join(parts)
    whole = text
    for rule in rules._RULES:
        whole = rule.pattern.sub(partial(rules._placeholder, rule=rule, key=b""), whole)
    assert rules._by_our_rules(text, b"") == whole


def test_every_word_of_the_rules_is_looked_for_where_it_can_be() -> None:
    words = {word for rule in rules._RULES for word in rule.words}
    told = [("", (rules._ANY_CASE, rules._AS_WRITTEN)), *rules._BY_GUARD]
    rows = [(guard, word) for guard, (low, text) in told for word in (*low, *text)]
    assert sorted([word for _, word in rows] + list(rules._WIDE)) == sorted(words)
    for guard, word in rows:
        needs = {rule.needs for rule in rules._RULES if word in rule.words}
        assert guard in word or needs == {guard}
