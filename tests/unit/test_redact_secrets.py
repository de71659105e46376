"""Secrets of known services, private keys in parts, and what only looks like a secret."""

from __future__ import annotations

import base64
import random
import re
import sys
import types
from collections.abc import Iterator

import pytest
from bench.secrets import SURROUNDINGS, secrets_of, share_found, share_touched
from bench.secrets_benign import benign_lines
from bench.secrets_kinds import KINDS
from bench.secrets_rules import cases_of_rules
from hypothesis import given
from hypothesis import strategies as st

from recollect.text import secrets
from recollect.text import secrets as pem
from recollect.text.redact import redact
from recollect.text.secrets import found_in, rules

from .build import any_text, is_quick

# Those of which less can be asked: it takes a digit to tell so short a secret from a word.
HARDEST = 0.6


@pytest.mark.sampled(33)
@pytest.mark.parametrize("kind", KINDS)
def test_secrets_of_a_kind_are_found_everywhere(kind: str) -> None:
    cases = list(secrets_of(kind, random.Random(kind), len(SURROUNDINGS) * 3))
    left = [text for text, secret in cases if secret in redact(text)]
    assert len(left) <= len(cases) * 0.05


@pytest.mark.slow
def test_what_a_rule_of_gitleaks_calls_a_secret_is_found() -> None:
    shares = {kind: share_found(iter(c)) for kind, c in cases_of_rules(random.Random(1), 10)}
    assert len(shares) > 190
    assert sum(shares.values()) / len(shares) > 0.95
    assert min(shares.values()) >= HARDEST - 0.2


def test_ordinary_lines_are_left_alone() -> None:
    share, touched = share_touched(benign_lines(random.Random(1), 1_000))
    assert share <= 0.01, touched


def test_every_rule_can_be_told_by_its_kind_and_has_a_keyword() -> None:
    kinds = [kind for kind, *_ in rules()]
    assert len(set(kinds)) == len(kinds)
    assert all(words and all(word == word.lower() for word in words) for _, words, *_ in rules())


@given(st.lists(any_text, max_size=4), st.integers(0, 10_000))
def test_what_is_found_stands_where_it_is_said_to_and_never_overlaps(
    parts: list[str], seed: int
) -> None:
    chance = random.Random(seed)
    some = [next(secrets_of(chance.choice(list(KINDS)), chance, 1))[0] for _ in range(3)]
    text = "\n".join([*parts, *some])
    end = 0
    for one in found_in(text):
        assert end <= one.start < one.end <= len(text)
        end = one.end


def test_a_secret_in_a_text_without_an_end_of_lines_is_found() -> None:
    secret = "dp.pt." + "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v"  # made up here
    for before in (0, 100, 700, 990, 5_000):
        text = "x1" * before + " " + secret + " " + "y2" * 3_000
        assert secret not in redact(text)


# ------------------------------------------------------------------------------ other engines


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[types.SimpleNamespace]:
    """A module in the place of RE2, which says what it was asked to compile."""
    import re

    asked: list[str] = []

    def compiled(pattern: str) -> re.Pattern[str]:
        asked.append(pattern)
        return re.compile(pattern, re.ASCII)

    fake = types.SimpleNamespace(compile=compiled, asked=asked)
    monkeypatch.setitem(sys.modules, "re2", fake)
    for cache in (secrets._engine, secrets._compiled):
        cache.cache_clear()
    yield fake
    for cache in (secrets._engine, secrets._compiled):
        cache.cache_clear()


def test_re2_is_used_where_it_is_installed(engine: types.SimpleNamespace) -> None:
    token = "lin_api_" + "a1B2" * 10
    assert [one.kind for one in found_in(f"x {token} y")] == ["linear-api-key"]
    assert engine.asked


def test_both_engines_find_the_same() -> None:
    pytest.importorskip("re2")
    chance = random.Random(3)
    texts = [text for kind in KINDS for text, _ in secrets_of(kind, chance, 6)]
    texts += [text for _, cases in cases_of_rules(chance, 3) for text, _ in cases]
    by_re2 = [found_in(text) for text in texts]
    secrets._compiled.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_engine", lambda: None)
        assert [found_in(text) for text in texts] == by_re2
    secrets._compiled.cache_clear()


# ------------------------------------------------------------------------------- private keys

LINES = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + f"{n:032}".replace("0", "Ab3/")[-32:] for n in range(24)
]
HEAD, END = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\nMIIEvQIBADAN",  # cut off after a few signs
        f"{HEAD}\nMIIEvQIBADAN\n{END}",
        f"{HEAD}\r\nMIIEvQIBADAN\r\n{END}\r\n",
        f"{HEAD}\\nMIIEvQIBADAN\\n{END}",
        f"    12→{HEAD}\n    13→MIIEvQIBADAN\n    14→{END}",
        f'"{HEAD}\\n" +\n"MIIEvQIBADAN\\n" +\n"{END}"',
        f"+{HEAD}\n+MIIEvQIBADAN\n+{END}",
        f"> {HEAD}\n> MIIEvQIBADAN\n> {END}",
        f"{HEAD}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMIIEvQIBADAN\n{END}",
        f"{HEAD}\n\nMIIEvQIBADAN\n{END}",
        f'PRIVATE_KEY="{HEAD}\\nMIIEvQIBADAN{"".join(LINES)}\\n{END}\\n"',  # in one line, as an .env has it
        f'{{"env": "{HEAD}\\\\nMIIEvQIBADAN{"".join(LINES)}',  # … escaped once more, and cut off
    ],
)
def test_a_private_key_is_found_however_short_and_however_it_is_written(text: str) -> None:
    assert "MIIEvQIBADAN" not in redact(text)


# How programs write each line of a file: `{}` is the line, `{n}` its number.
WRITTEN = (
    "certs/a.pem:{n}:{}",
    "certs/a.pem-{n}-{}",
    "web-1  | {}",
    "| {} |",
    "abc1234f (Mara 2026-01-01 10:00:00 +0000 {n}) {}",
    "2026-11-28T10:00:{n}.000Z INFO app {}",
    '    + "{}"',
    '{{"line": "{}"}}',
    "<b>{}</b><br>",
)


def written(form: str, lines: list[str]) -> str:
    """The lines as a program writes them."""
    return "\n".join(form.format(line, n=n) for n, line in enumerate(lines, 10))


@pytest.mark.parametrize("form", WRITTEN)
def test_a_private_key_is_found_whatever_stands_before_its_lines(form: str) -> None:
    last = "Ab3dEf=="
    key, other = [HEAD, *LINES, last, END], form.format("ValueError: no key", n=99)
    for name, part in (("whole", key), ("head", key[:9]), ("tail", key[-9:])):
        if name != "tail" or form.endswith("{}"):
            clean = redact(f"{written(form, part)}\n{other}")
            assert not [line for line in [*LINES, last] if line in clean], name
            assert clean.endswith(other), name


@pytest.mark.parametrize(
    "text",
    [
        "[" + ", ".join(f'"{line}"' for line in [HEAD, *LINES, END]) + "]",
        "<br>".join([HEAD, *LINES, END]),
        "%0A".join([HEAD, *LINES, END]).replace(" ", "%20"),
        "%0A".join([HEAD, *LINES, END]).replace(" ", "+"),
        "\n".join(["Public-Lines: 1", "AAAA", "Private-Lines: 24", *LINES, "Private-MAC: " + "0a" * 32]),
        "Private-Lines: 24\n" + "\n".join(LINES),
        written('"{}\\n" +', [HEAD, *LINES, END]),
        written("web-1  | {}", ["Private-Lines: 24", *LINES, "Private-MAC: " + "0a" * 32]),
    ],
)  # fmt: skip
def test_a_private_key_is_found_without_lines_and_as_putty_writes_it(text: str) -> None:
    clean = redact(f"here:\n{text}\nand more")
    assert not [line for line in LINES if line in clean]
    assert clean.startswith("here:\n")
    assert clean.endswith("and more")


def test_what_stands_between_the_marks_of_two_keys_stays() -> None:
    words = "Copy what lies between them to the file of your service, and restart it.\n" * 9
    for text in (
        f"{HEAD} and {END}",
        f"It begins with {HEAD}.\n{words}It ends with {END}.",
        f'a = "{HEAD}"\nb = "{END}"\nc = "{LINES[0]}"',
        f"Private-Lines: 3\n{words}Private-MAC: none",
    ):
        assert redact(text) == text


SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def bare_token(digits: str, time: int, signature: int, seed: str) -> str:
    """A token of a bot of Discord: its number in base64, a time, a signature."""
    chance = random.Random(seed)
    head = base64.urlsafe_b64encode(digits.encode()).decode().rstrip("=")
    parts = ("".join(chance.choices(SIGNS, k=size)) for size in (time, signature))
    return ".".join([head, *parts])


@given(
    st.integers(10**16, 10**20 - 1).map(str),
    st.sampled_from([6, 7]),
    st.integers(27, 38),
    st.sampled_from(
        ["{}", "Here it is: {}, thanks", '{{"a": "{}"}}', "a\\n{}\\nb", "令牌是{}。", "x={}\n"]
    ),
)
def test_a_token_of_a_bot_is_found_without_a_word_about_it(
    digits: str, time: int, signature: int, around: str
) -> None:
    token = bare_token(digits, time, signature, digits)
    assert token not in redact(around.format(token))
    assert token.rpartition(".")[2] not in redact(around.format(token))


@pytest.mark.parametrize(
    "text",
    [
        "MTIzNDU2Nzg5MDEyMzQ1Njc4",  # the number alone
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.Cl2FMQ",  # and no signature
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.v1.2.3",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.Cl2FMQ." + "a" * 64,  # a digest
        "MicrosoftExtensionsLogging1.Abstra.ConsoleLoggerProviderOptions1",
        "NewtonsoftJsonSerialization.Helpers.JsonConverterFactoryImplement",
        "OrganizationServiceContext1.Client.ExecuteMultipleRequestSettings",
        "ModuleNotFoundErrorHandlers.python.site_packages_resolution_order",
        "NDJsonStreamReaderFactories.stream.read_all_of_the_lines_from_disk",
        "github.com/MTIzNDU/mod v0.0.0-20261127101112-0123456789ab",
        "sha512-MTj3kTQ9dVj0NzJ3z2kYw1vQk5N4c0M3T1A2b3C4d5E6f7G8h9I0.json",
        "MTUuMC4xLnYyMDI2MTEyNzEwMTExMg==.tar.gz",  # of a version, not of a number
        "1.21.0-rc.20261127.NDc4OTAx",
    ],
)
def test_what_only_has_dots_or_base64_is_no_token_of_a_bot(text: str) -> None:
    for around in ("{}", "import {}", "<a href='{}'>"):
        assert redact(around.format(text)) == around.format(text)


@pytest.mark.parametrize("cut", [1, 3, 12, 20, 23])
def test_a_private_key_that_comes_in_two_events_is_found_in_both(cut: int) -> None:
    first, second = "\n".join([HEAD, *LINES[:cut]]), "\n".join([*LINES[cut:], END, "and now?"])
    clean = redact(first) + "\n" + redact(second)
    assert not [line for line in LINES if line in clean]
    assert clean.endswith("and now?")


@pytest.mark.parametrize("width", [64, 70])
def test_the_middle_of_a_private_key_is_found_by_its_lines(width: int) -> None:
    chance = random.Random(width)
    lines = ["".join(chance.choices("ABCxyz019+/", k=width)) for _ in range(6)]
    clean = redact("\n".join(["here it goes on:", *lines, "done"]))
    assert not [line for line in lines if line in clean]
    assert clean.startswith("here it goes on:\n[redacted:private-key:")
    assert clean.endswith("done")


@pytest.mark.parametrize("kind", ["CERTIFICATE", "PUBLIC KEY", "PGP PUBLIC KEY BLOCK"])
def test_what_is_no_private_key_stays(kind: str) -> None:
    text = "\n".join([f"-----BEGIN {kind}-----", "Version: 1", "", *LINES, f"-----END {kind}-----"])
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"The file begins with\n{HEAD}\nand ends with the mark for its end.",
        f'if "{HEAD}" in text:\n    raise ValueError',
        f"It ends with {END}, as you see.",
        "0" * 64 + "\n" + "1" * 64,
    ],
)
def test_a_text_about_keys_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "unit",
    [
        LINES[0] + "\n",
        f"{LINES[0]}\n{END}\n",
        END,
        f"{END}\n",
        f"{HEAD}\n",
        f"{HEAD}\n12→",
        "a-",
        "key-token-sk-jira-heroku-api0 ",
        "adobe1234567890123 ",
        "s.a1b2c3d4e5f6g7 ",
        "0",
    ],
)
def test_time_grows_with_the_text_only(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert is_quick(lambda: redact(text), seconds=6)


def test_parts_of_keys_are_told_apart_from_each_other() -> None:
    text = "\n".join([*LINES[:3], END, "between", *LINES[3:6], END])
    assert [text[a:b].count("MII") for a, b, _ in pem.parts_in(text)] == [3, 3]


@given(st.text("ab9 -_.é密\n", max_size=120) | any_text)
def test_runs_are_those_that_the_rules_need(text: str) -> None:
    needed = r"\b(?:(?=[A-Za-z_-]{0,64}+[0-9])[\w-]{14,}+|[A-Za-z_-]{32,}+)"
    found = [run.span() for run in secrets._RUN.finditer(text)]
    assert found == [run.span() for run in re.finditer(needed, text, re.ASCII)]


# ------------------------------------------------------------------- what gitleaks does not know

_LONG = "x7K2m9QaR4tY8wZ1cV5bN3jH6gF0dS" * 4
_HEX = "3f9a7c1e5b2d8f604a6c" * 4
_BASE32 = "JB2W64TMMQQHG33N"
OWN = {
    "vercel": "vcp_" + _LONG[:56],
    "cloudflare": "cfk_" + _LONG[:40],
    "neon": "napi_" + _HEX[:64],
    "neon password": "npg_" + _LONG[:12],
    "tailscale": "tskey-auth-k" + _LONG[:11] + "CNTRL-" + _LONG[:32],
    "figma": "figu_" + _LONG[:40],
    "hugging face": "hf_oauth_" + _LONG[:60],
    "netlify": "nfp_" + _LONG[:36],
    "atlassian": "ATATT3xFfGF0" + _LONG[:100],
    "bedrock": "ABSK" + _LONG[:110],
    "aws session": "IQoJb3JpZ2luX2Vj" + _LONG * 12,  # longer than what is looked at in one go
    "dropbox": "sl.u." + _LONG * 11,
    "deno": "ddp_" + _LONG[:36],
    "circle": "CCIPAT_" + _LONG[:22] + "_" + _HEX[:40],
    "nostr": "nsec1" + ("qpzry9x8gf2tvdw0s3jn54khce6mua7l" * 2)[:58],
    "pem in base64": base64.b64encode(
        f"-----BEGIN RSA PRIVATE KEY-----\n{_LONG}".encode()
    ).decode(),
}


@pytest.mark.parametrize("service", OWN)
def test_the_key_of_a_service_that_gitleaks_does_not_know_is_found(service: str) -> None:
    secret = OWN[service]
    for where in ("{}", "use {}.", "我用{}，好了", '{"key": "{}"}', "a\\n{}\\nb"):
        clean = redact(where.replace("{}", secret))
        assert "[redacted:" in clean, where
        assert secret[-20:] not in clean


_PASSWORD = "kettle42!" + "Brew7x"
PLACES = (
    "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m{}\x1b[0m",
    '\\u001b[1m"password"\\u001b[0m: \\u001b[36m"{}"\\u001b[39m',
    "pass\u200bword: {}",
    "password\u202e: {}",
    "\\u0022password\\u0022:\\u0022{}\\u0022",
    "password=&quot;{}&quot;",
    "password%22%3A%22{}%22",
    '"{\\\\\\"password\\\\\\":\\\\\\"{}\\\\\\"}"',
    "\\u5bc6\\u7801\\u662f {}",
    "password: !!str {}",
    "password: &pw {}",
    "password = '''{}'''",
    "Password:\n```\n{}\n```",
    "docker login -u ada \\\n  --password \\\n  {} ghcr.io",
    "<password><![CDATA[{}]]></password>",
    "<key>password</key>\n<string>{}</string>",
    "| user | password |\n|---|---|\n| ada | {} |",
    "| 账号 | 密码 | 备注 |\n|---|---|---|\n| ada | {} | 测试 |",
    "user,password\nada,{}\n",
    " password | {}\n",
    'Content-Disposition: form-data; name="password"\r\n\r\n{}\r\n',
    'expect "Password:"\nsend "{}\\r"',
    "await page.fill('#password', '{}')",
    "page.getByRole('textbox', { name: 'Password' }).fill('{}')",
    'ds.setPassword("{}");',
    "define('DB_PASSWORD', '{}');",
    "requests.get(u, auth=('ada', '{}'))",
    '{"element": "Password field", "ref": "e12", "text": "{}"}',
    "IDENTIFIED WITH caching_sha2_password BY '{}'",
    "SET PASSWORD FOR 'root'@'%' = '{}';",
    "echo '{}' | gpg --batch --passphrase-fd 0 -d f",
    "gh secret set DB_PASSWORD --body {}",
    "cqlsh -u app -p {} db",
    'ConvertTo-SecureString "{}" -AsPlainText',
    'psk="{}"',
    "pw: {}",
    "my pass is {}",
    "password for ada: {}",
    'the password for the db is "{}"',
    "I changed the password from one to {}",
    "user/password: ada / {}",
    "Passwort: {}",
    "la contraseña es {}",
    "пароль: {}",
    "パスワードは{}です",
    "비밀번호: {}",
    "密码应该是{}",
    "密码我设置的是{}",
    "密码从别的改成{}",
    "密码分别是 abc12X#9 和 {}",
    "账号密码是 admin {}",
    "let's use sa / {} to connect",
    "`admin` / `{}`",
    "it is guest / {} there",
    "login: mara / {}",
    "log in as mara@example.org / {}",
    "the credentials are deploy / {}",
    "creds: deploy/{}",
    "user mara, pass {}",
    "用户名：mara / {}",
    "登录用 admin/{}",
    "smbclient //host/share -U ada%{}",
    "smbclient -U 'ada%{}' //host/share",
    "http -a ada:{} example.org/x",
    "http POST example.org/x --auth ada:{}",
    "next=https%3A%2F%2Fada%3A{}%40db.example.com%2F",
    "管理员的密码我改为了「{}」",
    "connect 的时候 pwd 填 {}",
    "秘钥：{}",
)


@pytest.mark.parametrize("place", PLACES)
def test_a_password_is_found_in_each_place(place: str) -> None:
    clean = redact(place.replace("{}", _PASSWORD))
    assert _PASSWORD not in clean
    assert "[redacted:" in clean


# Settings whose name says that they are a key, and how their value follows it.
NAMES = "FERNET_KEY SUPABASE_SERVICE_ROLE_KEY DEPLOY_KEY STRIPE_KEY OPENAI_KEY APP_KEY GH_PAT API_KEY DB_PASS JWT_SECRET SSH_KEY2".split()
FOLLOWED = (
    "{n}={s}",
    "{n}=base64:{s}",
    "{n}=b'{s}'",
    "export {n}='{s}'",
    '{n}: "{s}"',
    '"{n}": "{s}",',
    'os.environ["{n}"] = "{s}"',
    "- name: {n}\n  value: {s}",
    '{{"name": "{n}", "value": "{s}"}}',
    "| {n} | {s} |",
    "ENV {n} {s}",
    "set -x {n} {s}",
    "setx {n} {s}",
    "setenv {n} {s}",
)


@pytest.mark.parametrize("name", NAMES)
def test_the_value_of_a_setting_is_found_by_its_name(name: str) -> None:
    left = [form for form in FOLLOWED if _LONG[:32] in redact(form.format(n=name, s=_LONG[:32]))]
    assert left == []


@pytest.mark.parametrize("name", ["TOKEN", "SECRET", "API_KEY", "PASSWORD"])
def test_a_name_of_one_word_is_known_where_settings_are_made(name: str) -> None:
    for command in ("ENV", "set -gx", "setx", "setenv"):
        assert _PASSWORD not in redact(f"{command} {name} {_PASSWORD}")


def test_the_short_name_of_postgres_is_known() -> None:
    assert _PASSWORD not in redact(f"PGPASS={_PASSWORD} psql -h db")


OTHERS = {
    "Setup key: {}": "4bit dll2 xjfs kbar vll7 v75l",
    "TOTP seed: {}": _BASE32,
    'pyotp.TOTP("{}").now()': _BASE32,
    "mnemonic: {}": "album alien abuse acid allow angle able action ancient amount agent agree",
    "助记词：{}": "album alien abuse acid allow angle able action ancient amount agent agree",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature={}": _HEX[:64],
    "https://x.example/reset-password/{}": _HEX[:64],
    "wss://x.example/ws?auth={}": _LONG[:32],
    '{"name": "sessionid", "value": "{}"}': _LONG[:32],
}


@pytest.mark.parametrize("place", OTHERS)
def test_seeds_phrases_and_signed_addresses_are_found(place: str) -> None:
    assert OTHERS[place] not in redact(place.replace("{}", OTHERS[place]))


@pytest.mark.parametrize("head", ["Recovery codes:\n", "Your backup codes: ", "恢复码：\n"])
def test_every_code_for_one_use_is_found(head: str) -> None:
    codes = ["8f3ms-64pm2", "iu9ep-a070y", "tpu2a-up3jf", "x1c2n-zx2ri"]
    clean = redact(head + "\n".join(codes))
    assert not [code for code in codes if code in clean]


@pytest.mark.parametrize("margin", ["+", "    ", "> ", "     7→", "12:"])
def test_the_middle_of_a_private_key_is_found_behind_a_margin(margin: str) -> None:
    chance = random.Random(margin)
    lines = ["".join(chance.choices("abcdefXYZ0123456789+/", k=64)) for _ in range(5)]
    clean = redact("\n".join(margin + line for line in lines))
    assert not [line for line in lines if line in clean]
    hashes = "\n".join(margin + "".join(chance.choices("0123456789abcdef", k=64)) for _ in range(5))
    assert redact(hashes) == hashes


def test_a_password_is_found_where_the_same_text_says_it_again() -> None:
    text = f"The password is {_PASSWORD}! Log in with {_PASSWORD}, as ada:{_PASSWORD}."
    assert _PASSWORD not in redact(text)
    name = "retry_config_2"  # a name is no password, whatever stands before it
    assert name in redact(f"token = '{name}x1'; x = {name}")


def test_the_end_of_a_password_goes_where_it_is_said_again() -> None:
    clean = redact(f'mysql -p{_PASSWORD}! shop\nsqlcmd -P "{_PASSWORD}!" -Q')
    assert "!" not in clean


MORE_BENIGN = """
password should be at least 8 characters
The password - see section 4.2 - is optional
password (required), token (optional)
setPassword(newPassword2)
getPassword("service1", user)
| password | varchar(255) | not null |
| user | password |
backup codes are stored as hashes
recovery codes: see docs/mfa-v2.md
The mnemonic is a word that one can keep in mind while reading the long names of all these flags
密码重置接口改成 /api/v2/reset
密码应该是可选字段
密码从配置文件读取
秘钥放在 Vault 里
pw := newWriter2(out)
sdk-gen-v2-client and console-app-2
api-gateway-2024-prod and key_features_of_v2
reset-password/components/ResetForm2.tsx
and/or src / tests, TCP / IPv4 and x86 / arm64
admin / user2 roles, and root / home1234 directories
test / Python3.12 (ubuntu-22.04)
user / Windows10 box
log in as mara / viewer2024
user: admin/UserList2.tsx
credentials: mara/v1.2.3-Beta
next=https%3A%2F%2Fexample.org%3A8080%2Fa%40b2
smbclient -U ada%$PASSWORD2 //host/share
http -a ada:$PASSWORD2 example.org
--auth oauth2:token
pwd 用 /srv/app2/data
密码我改过了，见 docs/v2.md
CACHE_KEY=node-modules-v2-3f9a7c1e5b2d8f60
PUBLIC_KEY=3f9a7c1e5b2d8f604a6c3f9a7c1e5b2d
SSH_KEY=/home/ada/.ssh/id_ed25519_2024
SIGN_KEY=certs/build2024/app.pem
ANON_KEY=abC1dEf2GhI3jKl4MnO5...
ROW_KEY=orders-2026-11-28-row-12
TENANT_KEY=550e8400-e29b-41d4-a716-44665544a0b0
SORT_KEY: created_at2_descending_first
OPENAI_KEY=$(pass show openai2key1234)
STRIPE_KEY = process.env.STRIPE_KEY_2024_LIVE
USER_KEY = get_user_key_v2024("a")
PRODUCT_KEY is the column of table2024products
FOREIGN_KEY constraint_a1b2c3d4e5f6a7b8 fails
set -x TOKEN_FILE run2secrets3token
user / 2026-11-28T10:00:00Z
the user mara, pass the table2row on
登录 admin/Users2Page.tsx
""".strip().splitlines()


@pytest.mark.parametrize("line", MORE_BENIGN)
def test_what_only_speaks_of_secrets_stays(line: str) -> None:
    assert redact(line) == line
