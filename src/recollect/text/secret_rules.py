"""Our rules for common secrets, for secrets known by their context, and for possible ones.

Promises: a pattern begins with one of its rule's words, except those of `is_anywhere`. Every
pattern is bounded, so time is linear. Names, calls, references and placeholders are not secrets.
"""

from __future__ import annotations

import re
from itertools import islice

from recollect._fastimport import Callable, Iterator, NamedTuple, Pattern
from recollect.text import secrets


class SecretRule(NamedTuple):
    """A kind of secret; its pattern's group, where it has one, is the secret itself."""

    kind: str
    words: tuple[str, ...]  # one of these must be there, in any case if in lower case here
    pattern: Pattern
    is_anywhere: bool = False  # may begin before its word, or goes over many lines
    each: Pattern | None = None  # what in the match is secret, where that is more than one part
    needs: str = ""  # must be in the text as well; seldom there, and quickly looked for
    beside: frozenset[str] = frozenset()  # as must one of these words of other rules


def _rule(
    kind: str,
    words: str,
    pattern: str,
    flags: int = 0,
    *,
    is_anywhere: bool = False,
    each: Pattern | None = None,
    needs: str = "",
    beside: str = "",
) -> SecretRule:
    # Of ASCII only: a key in the middle of Chinese text stands alone all the same.
    one = Pattern(pattern, flags | re.ASCII)
    others = frozenset(beside.split())
    return SecretRule(kind, tuple(words.split()), one, is_anywhere, each, needs, others)


# In JSON a line begins behind `\n`, whose letter is no part of what follows.
_LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_ALONE = r"(?:(?<![\w-])|(?<=\\[nrt]))"  # one start for each run of characters: what fails at its end fails once

_WORD = r"(?:\b|(?<=\\[nrt]))"

# Keys whose form says what they are.
FORMS = (
    _rule("private-key", "PRIVATE", secrets.WHOLE, is_anywhere=True, needs="-----"),
    _rule("private-key", "Private-Lines:", secrets.PUTTY),
    _rule("anthropic-key", "sk-ant-", _LEFT + r"sk-ant-[\w-]{16,}"),
    _rule("openai-key", "sk-", _ALONE + r"sk-(?=[\w-]{0,99}\d)[\w-]{20,}"),
    _rule(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        _LEFT + r"gh[pousr]_(?:[A-Za-z0-9]{30,}|[\w.-]{60,})",
    ),
    _rule("github-token", "github_pat_", _LEFT + r"github_pat_\w{30,}"),
    _rule("gitlab-token", "glpat- glrt- gldt-", _LEFT + r"gl(?:pat|rt|dt)-[\w-]{20,}"),
    _rule("aws-key", "AKIA ASIA", _LEFT + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _rule("slack-token", "xox xapp-", _LEFT + r"(?:xox[abeoprs]|xapp)-[\w-]{10,}"),
    _rule("slack-hook", "hooks.slack.com", r"hooks\.slack\.com/services/([\w/]{20,})"),
    _rule("discord-hook", "/api/webhooks/", r"/api/webhooks/\d{5,25}/([\w-]{20,})", needs="/"),
    _rule(
        "hook",
        "bot/v2/hook/ webhook/send?key= webhookb2/",
        r"(?:bot/v2/hook/|webhook/send\?key=|webhookb2/)([\w@/-]{20,})",
        needs="/",
    ),
    _rule("google-key", "AIza", _LEFT + r"AIza[\w-]{35}(?![\w-])"),
    _rule("google-secret", "GOCSPX- ya29.", _LEFT + r"(?:GOCSPX-[\w-]{20,}|ya29\.[\w-]{30,})"),
    _rule("vault-token", "hvs. hvb. hvr.", _LEFT + r"hv[sbr]\.[\w-]{24,}"),
    _rule("npm-token", "npm_", _LEFT + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _rule("pypi-token", "pypi-", _LEFT + r"pypi-[\w-]{40,}"),
    _rule("huggingface-token", "hf_", _LEFT + r"hf_[A-Za-z0-9]{30,}"),
    _rule(
        "stripe-key",
        "_live_ _test_ whsec_",
        _LEFT + r"(?:[rs]k_(?:live|test)_[\w-]{16,}|whsec_[\w+/=-]{16,})",
        is_anywhere=True,
    ),
    _rule("sendgrid-key", "SG.", _LEFT + r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _rule("digitalocean-token", "_v1_", _LEFT + r"do[por]_v1_[a-f0-9]{40,}", is_anywhere=True),
    _rule("databricks-token", "dapi", _LEFT + r"dapi[a-f0-9]{32}(?![a-f0-9])"),
    _rule(
        "shopify-token",
        "shpat_ shpca_ shppa_ shpss_",
        _LEFT + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    ),
    _rule("twilio-key", "SK AC", _LEFT + r"(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])"),
    _rule("telegram-token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])", is_anywhere=True),
    # The number of a bot (17 to 20 digits) in base64, a time, a signature: nothing else has this form.
    _rule(
        "discord-token",
        "MT Mj Mz ND NT Nj Nz OD OT",
        _LEFT + r"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}(?:[MNO](?:[AQgw]|[DTjz][AEIMQUYcgk]))?"
        r"\.[\w-]{6,7}\.[\w-]{27,38}(?![\w-])",
    ),
    # By their documentation. Where a name may begin other words, a digit is required.
    _rule(
        "service-token",
        "gsk_ xai- nvapi- tvly- jina_ pcsk_ phx_ vck_ rnd_ rpa_ csk- cfut_ cfat_ sntrys_ sntryu_"
        " dckr_ figd_ figo_ sb_secret_ lsv2_ tgp_v1_ lin_oauth_ vercel_blob_rw_ sbp_ bkua_ NRAK-",
        _LEFT
        + r"(?:(?:gsk|xai|tvly(?:-dev|-prod)?|jina|pcsk|phx|vck|rnd|rpa|csk|cf[ua]t|NRAK|sbp|bkua)[-_]"
        r"(?=[A-Za-z0-9_]{0,40}\d)[A-Za-z0-9]{8}[A-Za-z0-9_]{18,}"
        r"|(?:nvapi-|dckr_[po]at_|fig[do]_|sb_secret_|lsv2_(?:pt|sk)_|tgp_v1_|lin_oauth_|vercel_blob_rw_|sntry[su]_)"
        r"[\w-]{20,})",
    ),
    _rule(
        "service-token",
        "r8_ re_ fw_ fc- secret_ dp.st. dp.sa.",
        _LEFT
        + r"(?:r8_[A-Za-z0-9]{37}|re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,32}|fw_(?=[A-Za-z]*\d)[A-Za-z0-9]{22,32}"
        r"|fc-[a-f0-9]{32}|secret_[A-Za-z0-9]{43}|dp\.s[at]\.(?:[a-z_-]{2,35}\.)?[A-Za-z0-9]{40,44})(?![A-Za-z0-9])",
    ),
    # What a person copies from the browser into a terminal or a chat to sign a program in.
    _rule("google-code", "4/0A 4/1A 1//0", _LEFT + r"(?:4/[01]A|1//0)[\w-]{30,}"),
    _rule("auth-code", "code=", r"(?<=[?&])code=((?=[\w%.~+/-]{0,40}\d)[\w%.~+/-]{20,})"),
    _rule("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    # Three parts or, if encrypted, five; then only the first can be read.
    _rule("jwt", "eyJ", _ALONE + r"eyJ[\w-]{8,}+\.[\w-]*+\.[\w-]{6,}+(?:\.[\w-]{4,}+){0,2}"),
    _rule(
        "jwk",
        "kty",
        r'\\?"(?:[dpqk]|d[pq]|qi)\\?"\s{0,3}:\s{0,3}\\?"([\w-]{40,}+)',
        is_anywhere=True,
        needs='"',
    ),
)

# ------------------------------------------------------------------------------- what is named

# Names of settings that hold a secret, alone or at the end of a longer name.
_ZH_PASSWORDS = "密码 密碼 口令"
_OTHERS = "contrase senha пароль Пароль パスワード 비밀번호"  # in other languages
_OF_LATIN = r"passwor[dt]|passwd|passphrase|passcode|contrase[nñ]a|(?<![a-z])senha"
PASSWORD = rf"(?:{_OF_LATIN}|[пП]ароль|パスワード|비밀번호|密[码碼]|口令)"
_PASSWORDS = f"passw passphrase {_OTHERS} {_ZH_PASSWORDS}"


def _after(words: str) -> str:
    """One of these words stands before, with or without a sign between."""
    return "|".join(f"(?<={word}{sign})" for word in words.split() for sign in ("", "[ _-]"))


def _after_words(words: str, *more: str) -> str:
    """One of these words stands before, and perhaps an article."""
    ones = [
        *(f"{word}{the}" for word in words.split() for the in ("", " the", " that", " this")),
        *more,
    ]
    return "|".join(f"(?<={one} )" for one in ones)


_KEYS = "api access auth account private signing encryption master service storage shared hmac jwt"
_OWNERS = "db become mail smtp redis mysql root user admin sudo pg"
_ZH_NAMED = f"{_ZH_PASSWORDS} 密钥 密鑰 秘钥 秘鑰 金钥 金鑰 令牌 權杖 授权码 授權碼 \\u5bc6\\u7801 \\u53e3\\u4ee4 \\u5bc6\\u94a5"
_ZH_NAME = f"(?:{'|'.join(map(re.escape, _ZH_NAMED.split()))})"
NAME = (
    rf"(?:{PASSWORD}|(?:(?<![a-z])|(?<=\\[nrt])|{_after(_OWNERS)})pass(?![a-z])|pwd|(?<![a-z])pw(?![a-z])|token"
    rf"|secret(?:[_-]?access)?(?:[_-]?key(?:[_-]?base)?)?|(?:{_after(_KEYS)})key|_auth|{_ZH_NAME})\d?"
)
_NAMED = f"pass pw secret token key _auth {_OTHERS} {_ZH_NAMED}"  # with one of these begins each
# A quote and a sign of equality in JSON (of JSON), HTML and addresses, too.
_QUOTE = r"(?:\\{0,7}[\"'`]|[「『“‘]|\\{1,4}u002[27]|&quot;|&#3[49];|%2[27])"
_BLANK = r"(?:\s|\\[nrt])"
_IS = (
    rf"(?:[\"'`\]\\*]|\\u002[27]|&quot;|&#3[49];|%2[27]){{0,6}}\s{{0,9}}(?::=|=>|->|[:=：＝→—–]|%3[ad]|\\{{1,4}}u003[ad]|是|[为為]|は|는|은|\\{{1,4}}u(?:662f|ff1a|4e3a))(?:\s{{0,9}}[|>][-+\d]{{0,2}}{_BLANK}{{1,40}}"
    rf"|{_BLANK}{{0,9}})(?:\*\*\s{{0,3}}|[&!]!?\w{{1,20}}\s|```\w{{0,12}}\s)?"
)
# What stands where a secret would and is none: references, calls, types, places, placeholders, and
# the names of what is done with secrets.
NO_VALUE = (
    r"(?!\[redacted|-?redacted[:-][a-z-]{2,40}[:-][0-9a-f]{4}(?![0-9a-f])|[$=.~/<>%{*&|]|https?:|(?:self|this|cls|os|process|env|config|cfg|settings|opts"
    r"|options|args|params|props|request|req|res|ctx|data|user|event|import|secrets|vars)\W"
    r"|your|change[_-]?me|example|placeholder|dummy|x{4}|u?int\d|float\d|n?varchar|base(?:32|58|64)(?!:[a-z0-9+/]{16})|utf-?(?:8|16)"
    r"|(?:hmac-?)?sha-?\d|hs\d{3}|(?:[re]s(?:256|384|512)|md[45]|aes|rsa-?\d|argon2(?:id?|d)?|pbkdf2|bcrypt|scrypt|oauth2|ed25519)(?![a-z]{2})"
    r"|\d{1,3}[- ]?(?:chars?|bytes?|bits?|digits?|letters?|symbols?|days?|hours?|min|sec|ms|[khdsx])\b)"
)
# Names and words are no secrets: it takes a digit among the letters, or a sign between them.
_LIKELY = (
    NO_VALUE
    + r"(?=[!-~]{0,99}[a-z])(?=[!-~]{0,99}?(?:\d|[!@#$%^*~?]\w|[a-z]==?(?![!-~])|(?-i:[a-z][A-Z][a-z][A-Z])))"
)
_INSIDE = r"[^\s\"'`\\\x7f-\U0010ffff]"
_SIGNS = r"[!#$%&*+\-./\d:=?@A-Z^_~]"
_QUOTED = rf"{_QUOTE}{_LIKELY}({_INSIDE}{{6,512}}+)"
_LONG = rf"(?:\\?[\"']){{3}}{_BLANK}{{0,9}}{_LIKELY}({_INSIDE}{{6,512}}+)"
_BARE = rf"{_LIKELY}({_SIGNS}{{6,512}}+)(?![(\[])"
_VALUE = rf"(?:[bfru]?{_QUOTED}|{_LONG}|{_BARE})"
# Where a sentence goes on with just a password, it has to look like none of the words of a sentence.
_ODD = (
    _LIKELY
    + r"(?=[!-~]{0,99}?(?:[a-z]\d{1,9}[a-z]|\d[!@#$%^*~?]|[!@#$%^*~?]\d|[a-z]{3}\d{4}|\d[a-z]\d|[a-z]\d+[-_.][a-z]*\d))"
)
# Words that stand where letters alone would be a password, and are none.
NO_WORD = (
    r"(?!(?:true|false|none|null|nil|undefined|optional|required|string|str|text|number|integer|boolean"
    r"|secret|password|passwd|token|prompt|hidden|invalid|wrong|correct|missing|unset|empty|disabled"
    r"|enabled|default|value|hashed|encrypted|plaintext|redacted|example|changeme|placeholder|dummy"
    r"|your[a-z]*|file|stdin|input|random|generated|unknown|expired|valid)(?![a-z]))"
)
_LETTERS = rf"{NO_VALUE}{NO_WORD}([a-z]{{6,64}}+)(?![\w(.\[:/<>@-])"
# What is like no word, name, file, date or version: with a digit, and a sign or letters of both cases.
_NO_FILE = r"(?![\w.-]{1,64}(?:/|\.(?:[jt]sx?|py|go|rs|md|json|html|css)\b))"
_CHOSEN = r"[\w!@#$%^&*+=?~.-]"
_STRONG = (
    NO_VALUE
    + _NO_FILE
    + rf"(?!v?\d+\.\d)(?={_CHOSEN}{{0,64}}?\d)(?={_CHOSEN}{{0,64}}?[a-z])"
    + rf"(?={_CHOSEN}{{0,64}}?(?:[!@#$%^&*+=?~]|(?-i:[a-z]{_CHOSEN}{{0,64}}?[A-Z]|[A-Z]{_CHOSEN}{{0,64}}?[a-z])))({_CHOSEN}{{8,64}}+)(?![(\[/])"
)
# What is like no name, path, id, date or version: a piece of it has letters and digits.
_LONG_KEY = (
    NO_VALUE
    + _NO_FILE
    + r"(?![\da-f]{8}-[\da-f]{4}-|v?\d{1,4}[-/.]\d|[\w+/=~-]{0,60}\.\.\.)(?-i:(?![a-z0-9_.-]{1,40}/))(?=[\w+/=.~-]{0,99}?(?=[a-z]{0,11}\d)(?=\d{0,11}[a-z])[a-z0-9]{12})([\w+/=.~-]{16,512}+)(?![(\[:])"
)
_OPEN_KEYS = "".join(
    f"(?<!{word})"
    for word in "PUBLIC PUB PUBLISHABLE CACHE PRIMARY FOREIGN SORT PARTITION OBJECT S3 IDEMPOTENCY".split()
)
_IN_ENV = "".join(f"|(?<={word} )" for word in ("ENV", "setx", "setenv", "-x", "-gx", "-Ux"))
_MARKS = r"[\"'`*]{0,3}"
_ZH_LOGINS = "账号 帐号 帳號 賬號 用户 用戶 登录 登錄"
_LOGIN = (
    r"(?:(?<![\w/.-])(?:user(?:name)?|login|log(?:ged)? in|sign in|credentials|creds|account)(?:\s(?:is|are|as|with|using|via))?(?:\s?[:=：]\s?|\s)"
    r"|(?:[账帐賬帳][号號]|用[户戶]名?|登[录錄])(?:是|[为為]|用)?\s?[:：]?\s?)"
)
_LOGIN += rf"{_MARKS}[\w.@+-]{{2,64}}{_MARKS}"  # and who
_WHOSE = (
    r"(?:db|database|root|admin|user|login|sudo|wi-?fi|vpn|ssh|mysql|postgres(?:ql)?|redis|mongo(?:db)?"
    r"|smtp|s?ftp|e?mail|server|service|prod(?:uction)?|staging|dev|my|our|his|her|their|master|temporary"
    r"|temp|initial|current|account|with|and|is|the new|,)"
)
_BECOMES = (
    r"(?:\s{1,3}(?:is|was|has been|of [\w.-]{1,30} (?:is|was)|for [\w.-]{1,30} (?:is|was)))?"
    r"(?:\s{1,3}(?:now|still|currently|just|simply))?(?:\s{1,3}(?:changed|set|reset|updated|rotated))?"
)
_ZH_BECOMES = r"[我你他她]?(?:已[经經]?|都|就|也|先|[暂暫][时時]|[还還])?(?:是|[为為]|叫|用|用的是|[设設](?:置)?[成为為]|改成|改[为為]|[换換]成|更新[为為]|[写寫]成|填|[给給]你|[发發](?:[给給])?你)了?"
_ZH_PERHAPS = r"(?:[应應][该該]|可能|大概|好像|不|[还還]|原[来來]|以前|我?[设設][置定]的)"
_COMMAND = r"[^\n|;]{0,200}?[\s\"']"  # what stands in a command before the option
_SEED = r"((?-i:[A-Z2-7]{16,64}|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15}|[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}))(?!\w)"
_CODE = r"(?=[a-z -]{0,12}\d)(?:[a-z0-9]{4,10}(?:[- ][a-z0-9]{4,10}){1,3}|[a-z0-9]{8,12})(?![\w-])"  # for one use
_ANY = rf"(?:{_QUOTE})?{NO_VALUE}({_INSIDE}{{4,128}}+)"
_EACH = Pattern(rf"(?<![!-~]){_BARE}", re.I | re.ASCII)  # of several passwords in a row
_COOKIE = Pattern(
    r"[\w.%!#$&'*+^`|~-]{1,99}=(?!\[redacted)[\"']?([^\s;,\"'`\\$<{]{4,4096})", re.ASCII
)
_COOKIES = r"((?>(?:\s?[\w.%-]{1,99}={Q}[^\s;,\"'`\\]{0,4096}{Q}[;,]?)+))".replace(
    "{Q}", r"(?:\\?\")?"
)

# Secrets that are known by what stands before them.
PLACES = (
    _rule("url-password", "://", r"://[^\s/:@]{0,64}:((?!\[redacted|[$<{])[^\s/@\"'`]{1,128})@"),
    _rule("url-password", "%3a%2f%2f", r"%3a%2f%2f[\w.~+-]{0,64}(?:%3a|:)((?!%5bredacted|\[redacted|%24|%7b|[$<{])(?>(?:[^\s/@\"'`%]|%(?!40|2f)){1,128}))%40", re.I, needs="%40"),
    _rule("azure-sas", "sig=", r"(?<![a-z])sig=((?=[\w%+/-]{0,99}\d)[\w%+/-]{20,512}=?)", re.I, needs="="),
    _rule("signature", "signature=", r"signature=(?=[\w%+/-]{0,99}\d)([\w%+/-]{20,1024}=?)", re.I, needs="://"),
    _rule("assigned", "key= appid= auth= sid= tkn=", r"(?<=[?&])(?:key|appid|auth|sid|tkn)=(?=[A-Za-z]{0,40}\d)([A-Za-z0-9]{24,512}+|[0-9a-f]{8}-[0-9a-f-]{27})(?![\w-])", re.I, needs="://"),
    _rule("link", "reset magic", r"(?:reset|magic)[\w-]{0,24}/(?=[A-Za-z_-]{0,40}\d)([\w-]{32,512}+)(?![\w/.])", re.I, needs="://"),
    _rule(
        "bearer", "bearer", _LEFT + r"bearer\s{1,9}(?=[\w.~+/-]{0,99}\d)([\w.~+/-]{16,}=*)", re.I
    ),
    _rule(
        "basic-auth",
        "authorization",
        r"authorization\W{1,9}basic\s{1,9}([A-Za-z0-9+/]{8,}={0,2})",
        re.I,
    ),
    _rule(
        "authorization",
        "authorization",
        r"authorization\W{1,9}(?:(?:token|api-?key|key)\W{1,3})?(?=[\w.~+/-]{0,99}\d)([\w.~+/-]{20,512}=*)",
        re.I,
    ),
    _rule("cookie", "set-cookie", r"set-cookie[\"']?\s{0,3}[:=]\s{0,3}\\?[\"'`]?\s?[\w.%-]{1,99}=(?!\[redacted|[$<{%])([^\s;,\"'`\\]{4,4096})", re.I),
    _rule("cookie", "cookie", rf"(?<![a-z-])cookies?\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}\\?[\"'`]?{_COOKIES}", re.I, each=_COOKIE),
    _rule("cookie", "curl --cookie", rf"(?:{_WORD}curl\b[^\n]{{0,300}}?\s-b|--cookie)[ =]?\\?[\"']?{_COOKIES}", needs=" -", each=_COOKIE),
    _rule(
        "cookie",
        "sess csrftoken connect.sid __host- __secure-",
        r"(?:(?:(?<=__)|(?<=laravel_)|(?<=user_))session|(?:(?<=php)|(?<=j)|(?<=asp\.net_)|(?<![\w-]))sess(?:ion)?id|connect\.sid"
        r"|csrftoken|__(?:host|secure)-[\w.-]{1,64})[\"']?(?:\s?[=:]\s?[\"']?|\t|,\s?[\"']value[\"']\s?:\s?[\"'])((?![0-9a-f]{8}-)(?=[\w%.:-]{0,99}\d)[\w%.:-]{16,4096})",
        re.I,
    ),
    _rule(
        "curl-password",
        "curl",
        rf"{_WORD}curl\b[^\n|;&]{{0,200}}?\s(?:-u|--user)[ =]?(?:{_QUOTE})?[^\s:\"']{{1,64}}:"
        rf"{NO_VALUE}([^\s\"'`]{{4,128}})",
        needs=" -",
    ),
    _rule("option", "smbclient rpcclient smbmap", rf"{_WORD}(?:smbclient|rpcclient|smbmap)\b{_COMMAND}(?:-U|--user)[ =]?(?:{_QUOTE})?[^\s%\"']{{1,64}}%{_ANY}", needs="%"),
    _rule("option", "http", rf"{_WORD}https?\s(?:[^\n|;]{{0,200}}?\s)?-a\s{{1,3}}(?:{_QUOTE})?[\w.@+-]{{1,64}}:{NO_WORD}{_ANY}", needs=" -a "),
    _rule("option", "--auth", rf"--auth[ =](?:{_QUOTE})?[\w.@+-]{{1,64}}:{NO_WORD}{_ANY}"),
    _rule("option", "mysql mariadb 7z sshpass", rf"(?:{_WORD}(?:mysql|mariadb|7z)\w*{_COMMAND}-p|{_WORD}sshpass\s{{1,3}}-p\s{{0,3}}){_ANY}", needs="-p"),
    _rule(
        "option",
        "redis-cli docker podman helm buildah skopeo mongo ldap plink",
        rf"(?:{_WORD}redis-cli\b{_COMMAND}-a|{_WORD}(?:docker|podman|helm|buildah|skopeo)\b[^\n|;]{{0,60}}?\blogin\b{_COMMAND}-p"
        rf"|{_WORD}mongo\w*\b{_COMMAND}-p|{_WORD}ldap\w+\b{_COMMAND}-w|{_WORD}plink\b{_COMMAND}-pw)\s{{1,3}}{_ANY}",
        needs=" -",
    ),
    _rule(
        "option",
        "unzip zip openssl",
        rf"(?:{_WORD}(?:un)?zip\b{_COMMAND}-P|{_WORD}openssl\s{{1,3}}enc\b{_COMMAND}-(?:k|pass))\s{{1,3}}{_ANY}",
        needs=" -",
    ),
    _rule("option", "wpa_passphrase", rf"{_WORD}wpa_passphrase\s{{1,3}}(?:\"[^\"\n]{{1,32}}\"|'[^'\n]{{1,32}}'|\S{{1,32}})\s{{1,3}}{_ANY}"),
    _rule("option", "htpasswd", rf"{_WORD}htpasswd\s{{1,3}}-[a-zA-Z]{{0,5}}b[a-zA-Z]{{0,5}}\s{{1,3}}\S{{1,99}}\s{{1,3}}\S{{1,64}}\s{{1,3}}{_ANY}", needs=" -"),
    _rule("option", "-pass", rf"-pass(?:in|out)?\s{{1,3}}(?:{_QUOTE})?pass:{_ANY}", needs=" -"),
    _rule("option", "echo printf", rf"{_WORD}(?:echo|printf)\s{{1,3}}(?:-n\s)?(?:{_QUOTE})?(?:[\w.-]{{1,32}}:)?{NO_VALUE}([^\s\"'`|]{{4,128}})[\"']?\s{{0,3}}\|\s{{0,3}}(?:[^\n|]{{0,60}}--password-stdin|(?:sudo )?chpasswd|sudo (?:-\w )*-S|[^\n|]{{0,60}}--passphrase-fd|kinit|(?:sudo )?cryptsetup|[\w ]{{0,24}}(?:env add|secrets? put|pass insert))", needs="|"),
    _rule("netrc", "machine", r"machine\s{1,9}\S{1,99}\s{1,9}login\s{1,9}\S{1,99}\s{1,9}password\s{1,9}(?!\[redacted|[$<{%])([^\s\"']{4,128})", needs="login"),
    _rule("pgpass", ":543 :643 :*:", r"(?<![\w.*-])[\w.*-]{1,99}:(?:[56]43\d|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?!\[redacted)([^\s:\"'`\\]{4,128})", is_anywhere=True),
    _rule("auth-code", "authorization auth_code auth-code verification", rf"(?:auth(?:orization)?|verification)[ _-]code(?:{_IS}| is:? )(?:{_QUOTE})?((?=[\w./-]{{0,40}}\d)[\w./-]{{16,}})", re.I),
    _rule("docker-auth", '"auth', r"\"auth\\?\"\s{0,3}:\s{0,3}\\?\"((?=[A-Za-z0-9+/]{0,512}[0-9=])[A-Za-z0-9+/]{12,512}={0,2})\\?\"", needs='"'),
    _rule("private-key", "client-key-data", r"client-key-data\\?[\"']?\s{0,3}:\s{0,3}\\?[\"']?([A-Za-z0-9+/]{40,}={0,2})"),
    _rule("private-key", "key", rf"(?:{_after('private secret')})key[^\n\w]{{1,5}}(?:[^\n]{{0,24}}?[^\n\w])?(0x[0-9a-f]{{64}})(?![0-9a-f])", re.I, needs="0x"),
    _rule(
        "aws-secret",  # may begin like a path, which `assigned` takes for none
        "secret",
        r"secret_?access_?key\W{1,8}([A-Za-z0-9/+]{40})(?![\w/+])",
        re.I,
    ),
    _rule("assigned", _NAMED, rf"{NAME}{_IS}{_VALUE}", re.I),
    _rule("assigned", "key", rf"(?:{_after('account access private')})key\W{{1,4}}([A-Za-z0-9+/]{{40,}}={{0,2}})(?![\w/+])", re.I),
    _rule("assigned", "--", rf"{_ALONE}--[\w-]{{0,24}}?{NAME}(?:\s|\\?[\"'],\s?|\\{{1,4}}\n|\\{{3,4}}n){{1,9}}(?:{_QUOTE})?(?!--){_BARE}", re.I, beside=_NAMED),
    # A name, and its value in a field of its own: of XML, of a list of settings, of Terraform.
    _rule("assigned", _NAMED, rf"{NAME}\\?[\"'`]?,?{_BLANK}{{0,30}}\\?[\"']?value\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}{_VALUE}", re.I, needs="value"),
    _rule("assigned", _NAMED, rf"{NAME}[^\n|]{{0,20}}\|\s{{1,30}}[`*\"']{{0,3}}{_LIKELY}([^\s|`\"']{{6,256}}+)[`\"']?\s{{0,60}}(?:\||\n|\Z)", re.I, needs="|"),
    # The last column of a table, or the last but one.
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}[`*]{{0,3}}\s{{0,30}}\|?[ \t]{{0,30}}\n[|\s:-]{{3,300}}\n((?:[^\n]{{0,300}}\|[^\n]{{0,300}}\n?){{1,60}})", re.I, needs="|", each=Pattern(rf"(?<=[|\s`]){_BARE}(?=`?[ \t]{{0,60}}\|?[ \t]{{0,30}}(?:\n|\Z))", re.I | re.ASCII)),
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}[`*]{{0,3}}\s{{0,30}}\|[^|\n]{{1,99}}\|?[ \t]{{0,30}}\n[|\s:-]{{3,300}}\n((?:[^\n]{{0,300}}\|[^\n]{{0,300}}\n?){{1,60}})", re.I, needs="|", each=Pattern(rf"(?<=[|\s`]){_BARE}(?=`?[ \t]{{0,60}}\|[^|\n]{{1,300}}\|?[ \t]{{0,30}}(?:\n|\Z))", re.I | re.ASCII)),
    _rule("assigned", _PASSWORDS, rf"(?:(?<=\w,)|(?<=\w[\"'],[\"']))(?:{PASSWORD}|pass|pwd)[\"']?\r?\n((?:(?:[^\n, ]{{1,100}},){{1,12}}[^\n, ]{{1,128}}\n?){{1,60}})", re.I, needs=",", each=Pattern(rf"(?<=,)[\"']?{_BARE}(?=[\"']?\r?(?:\n|\Z))", re.I | re.ASCII)),
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}\\?[\"'](?:\r?\n|\\r\\n){{2}}{_BARE}", re.I),
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}[^\w\n]{{0,6}}\s{{1,20}}(?:-\s)?send(?:line)?\s?\(?{_QUOTED}", re.I, needs="send"),
    _rule("assigned", _NAMED, rf"{NAME}>\s{{0,9}}{_LIKELY}([^\s<]{{4,512}})\s{{0,9}}</", re.I, needs="</"),
    _rule("assigned", "variable", rf"variable\s{{1,3}}\\?\"[\w-]{{0,60}}?{NAME}[\w-]{{0,20}}\\?\"\s{{0,3}}\{{[^}}]{{0,300}}?\bdefault\s{{0,9}}=\s{{0,9}}\\?\"(?!\[redacted|[$<{{])([^\"\\\s]{{4,128}})", re.I, needs="{"),
    # Letters alone, where nothing but a password can stand.
    _rule("assigned", "pass pw", rf"(?:(?:(?<![a-z])|(?<=\\[nrt]))PASS(?:WORD|WD|PHRASE)|(?<=_)PASS|(?<=_)PWD)=\\?[\"']?(?i:{NO_VALUE}{NO_WORD}([a-z]{{6,64}}+)(?![\w(\[:<>@-]|\.(?!\s|\Z)))"),
    _rule("assigned", "pass pw", rf"(?<=[;?&])(?:password|pwd)={_LETTERS}", re.I, needs="="),
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}{_IS}{_QUOTE}(?=[^\"'\n]{{0,99}}? )(?:(?=[^\"'\n]{{0,99}}\d)|(?=(?:[a-z]{{3,12}} ){{3}}))(?![^\"'\n]{{0,128}}?(?<![a-z])(?:must|should|least|most|char|enter|your|please|invalid|the|is|are|not|requ|for|with|and|or|min|max|than|to|of|at|in|has|have|no|an?)(?![a-z]|\d))([^\"'`\\\n\x7f-\U0010ffff\[]{{8,128}}+)[\"'\\]", re.I),
    _rule("assigned", "identified", rf"\bidentified\s{{1,3}}(?:with\s{{1,3}}\w{{1,40}}\s{{1,3}})?by\s{{1,3}}(?:password\s{{1,3}})?[\"']{NO_VALUE}([^\s\"'`\\]{{4,128}}+)[\"'\\]", re.I),
    _rule("assigned", "passw", rf"\bpassword[\s(]{{1,3}}'{NO_VALUE}{NO_WORD}([^'\n\s]{{4,128}})'", re.I, needs="'"),
    _rule("assigned", "password", rf"\bpassword\s{{1,3}}for\s[^\n=;]{{1,60}}=\s?(?:password\()?{_QUOTED}", re.I, needs="="),
    # The argument of a function that has its name, of the one behind it, or behind a user's.
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}[^\w\n,]{{0,5}}(?:\.(?:fill|type|send_?keys|press_?sequentially|input|set_?value)\s?)?\(\s{{0,3}}{_QUOTED}[\"']\s?\)", re.I, needs="("),
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}[^\w\s,(]{{0,4}}[\"'](?:\)\.\w{{1,20}}\(|\s?,\s?)(?!['\"]-){_QUOTED}", re.I, needs="("),
    _rule("assigned", "auth credential login", rf"(?:auth(?:\s?=\s?)?|credential|login)\(\s?[\"'][^\"'\n]{{1,99}}[\"']\s?,\s?{_QUOTED}", re.I, needs="("),
    _rule("assigned", "securestring", rf"securestring\s(?:-string\s)?{_QUOTED}", re.I),
    # A field of a form that a browser is told to fill in.
    _rule("assigned", _PASSWORDS, rf"{PASSWORD}[^\n{{}}]{{0,120}}?[\"'](?:text|value)\\?[\"']\s{{0,3}}:\s{{0,3}}{_QUOTED}", re.I, needs=":"),
    _rule("assigned", _NAMED, rf"{NAME}\\?[\"']?(?:>\s{{0,9}}<!\[cdata\[|</key>\s{{1,30}}<string>){_LIKELY}([^\s<\]]{{4,512}})", re.I, needs="<"),
    _rule("assigned", "psk", rf"(?<![a-z])psk\s?=\s?\\?\"?{NO_VALUE}([^\s\"\\]{{8,64}})", re.I, needs="="),
    # --- in a command
    _rule("assigned", "PASS PWD TOKEN SECRET API", rf"(?:(?<=[A-Z]_){_IN_ENV})(?:PASS(?:WORD|WD)?|PWD|TOKEN|SECRET|API_?KEY)\s(?:{_QUOTE})?(?i:{_ODD}({_SIGNS}{{6,512}}+)(?![(\[]))"),
    # The name of a setting: in small letters a key may be one of a table.
    _rule("assigned", "_KEY _PAT", rf"(?<=[A-Z0-9]){_OPEN_KEYS}_(?:KEY|PAT)\d?(?:{_IS}|\s{{1,3}}(?:\|\s{{1,9}}|is\s)?|>|\\?[\"']?,?{_BLANK}{{1,30}}\\?[\"']?value\\?[\"']?\s?[:=]\s?)b?(?:{_QUOTE})?(?:base64:)?(?i:{_LONG_KEY})"),
    _rule("assigned", "secret", rf"secret set\s[\w-]{{1,60}}\s[^\n]{{0,80}}?(?:-b|--body)[ =]?{_ANY}", needs="-b"),
    _rule("assigned", "securestring", rf"put-parameter\b[^\n]{{0,200}}?--value\s{{1,3}}{_ANY}", re.I, is_anywhere=True),
    _rule("option", "cqlsh cypher az twine hydra security mosquitto ipmitool", rf"(?:{_WORD}(?:az|security)\b[^\n|;]{{0,60}}?(?:login|unlock-keychain)\b{_COMMAND}-p|{_WORD}(?:cqlsh|cypher-shell|twine|hydra)\b{_COMMAND}-p|{_WORD}(?:mosquitto_\w{{3}}|ipmitool)\b{_COMMAND}-P)\s{{1,3}}{_ANY}", needs=" -p "),
    _rule("option", "secret-string", rf"secret-string\s{{1,3}}{_ANY}"),
    _rule("option", "pass", rf"(?:(?<=-store)|(?<=-key)|(?<=require))pass\s{{1,3}}{_ANY}"),
    # --- what is written down once and works for ever
    _rule("otp-seed", "secret key seed", rf"(?:{_after('otp 2fa mfa two-factor setup authenticator')})(?:secret|seed|key)(?: key)?(?:{_IS}| is:?\s)(?:{_QUOTE})?{_SEED}", re.I),
    _rule("otp-seed", "otp", rf"otp(?:\(\s?[\"']|\s-b\s){_SEED}", re.I),
    _rule("recovery-codes", "codes 恢复码 备用码 恢復碼 備用碼", rf"(?:(?:{_after('recovery backup')})codes|[恢备備][复用復][码碼])[^\n\w]{{0,12}}(?:are|is)?((?:[\s,;:：、*•`\\n-]{{1,12}}(?:\d{{1,2}}[.)]\s)?{_CODE}){{3,24}})", re.I, each=Pattern(_CODE, re.I | re.ASCII)),
    _rule("mnemonic", "mnemonic phrase 助记词 助記詞", rf"(?:mnemonic|(?:{_after('seed recovery secret backup')})phrase|助[记記][词詞])(?:{_IS}| is:?\s|\s)(?:{_QUOTE})?((?:(?:\d{{1,2}}[.)]\s?)?[a-z]{{3,8}}[,\s]{{1,2}}){{11,23}}(?:\d{{1,2}}[.)]\s?)?[a-z]{{3,8}})(?![a-z])", re.I),
    # --- in a sentence
    _rule("said", f"{_PASSWORDS} pw pass", rf"(?:{PASSWORD}|(?<![a-z])(?:pwd?|pass)(?=\s(?:is|was)))s?[\"'`*]{{0,2}}{_BECOMES}\s{{1,3}}(?:is|was|to|as|be|of|are|ist|lautet|es|è|é|est)[\s:*]{{1,3}}(?:[bfru]?{_QUOTED}|{_BARE}|[`\"']{_LETTERS}[`\"'])", re.I),
    _rule("said", _PASSWORDS, rf"{PASSWORD}\s(?:for|of|to)\s(?:[\w.@'-]{{1,30}}\s?){{1,5}}(?:\s?[:=]|\s(?:is|was))\s{{1,3}}(?:{_QUOTED}|{_BARE})", re.I),
    _rule("said", _PASSWORDS, rf"{PASSWORD}s?\s(?:(?:should|must|would|might|could|can) be|from|\(|-|–)\s?(?:{_QUOTE})?{_ODD}({_SIGNS}{{6,512}}+)(?![(\[])", re.I),
    _rule("said", _PASSWORDS, rf"{PASSWORD}\sfrom\s\S{{1,99}}\sto\s(?:{_QUOTED}|{_BARE})", re.I, needs=" to "),
    _rule("said", _PASSWORDS, rf"{PASSWORD}\s{{1,3}}(?!`){_QUOTED}[\"'」”’]", re.I),
    _rule("said", f"{_PASSWORDS} pass", rf"(?:{_after_words('use try with', 'remember the')})(?:{PASSWORD}|pass|pw)\s(?:{_QUOTE})?{_BARE}", re.I),
    _rule("said", _PASSWORDS, rf"{PASSWORD}\s?[:：]\s?[\w.@-]{{2,40}}\s?/\s?{_BARE}", re.I),
    _rule("said", "pw", rf"(?<![a-z])pw\s(?:{_QUOTE})?{_ODD}({_SIGNS}{{6,512}}+)(?![(\[])", re.I),
    _rule("said", "token secret key", rf"(?:token|secret|(?:{_after(_KEYS)})key)[\"'`*]{{0,2}}\s{{1,3}}(?:is|was|to)[\s:]{{1,3}}(?:{_QUOTE})?{NO_VALUE}(?=[\w.~+/=-]{{0,99}}[a-z])(?=[\w.~+/=-]{{0,99}}\d)([\w.~+/=-]{{16,512}})(?![(\[])", re.I),
    _rule("said", _PASSWORDS, rf"{_ALONE}{_WHOSE}\s{{1,3}}{PASSWORD}\s{{1,3}}(?:{_QUOTE})?{_BARE}", re.I, is_anywhere=True),
    _rule("said", _PASSWORDS, rf"{PASSWORD}\s{{1,3}}(?:{_QUOTE})?{_ODD}({_SIGNS}{{6,512}}+)(?![(\[])", re.I),
    _rule("said", _ZH_NAMED, rf"{_ZH_NAME}\s{{0,3}}(?:(?:{_ZH_PERHAPS})?{_ZH_BECOMES})?[\s:：]{{0,3}}(?:(?:{_QUOTE}|[（(])\s?)?{_BARE}", re.I),
    _rule("said", "pw", rf"(?<![a-z])pwd?\s?{_ZH_BECOMES}[\s:：]{{0,3}}(?:{_QUOTE})?{_BARE}", re.I),
    _rule("said", _ZH_NAMED, rf"{_ZH_NAME}\s{{0,3}}(?:{_ZH_BECOMES})?\s{{0,3}}[`「『“‘\"']{_LETTERS}", re.I),
    _rule("said", _ZH_NAMED, rf"{_ZH_NAME}[从從]\s?({NO_VALUE}[^\s，。；]{{1,64}}?\s?(?:改|[换換]|更新|[变變])(?:成|[为為])了?\s?[^\s，。；]{{1,64}})", re.I, each=_EACH),
    _rule("said", _ZH_NAMED, rf"{_ZH_NAME}分[别別][是为為]\s?([^，。；\n]{{6,200}})", re.I, each=_EACH),
    _rule("said", "账号密码 帐号密码 账密 帐密 賬號密碼 帳號密碼", rf"[账帐賬帳](?:[号號]密[码碼]|密)(?:是|[为為]|[:：])\s?[\w.@-]{{2,40}}[\s/、]{{1,3}}{_BARE}", re.I),
    _rule("said", "sa root admin postgres", rf"{_WORD}(?:sa|root|admin|administrator|postgres){_MARKS}\s{{1,3}}/\s{{1,3}}(?:{_QUOTE}|\*\*)?(?![a-z]{{2,20}}\d{{1,4}}\s[a-z]{{3}}){_NO_FILE}{_LIKELY}({_CHOSEN}{{8,64}}+)(?![(\[])", re.I, needs=" / "),
    _rule("said", "user test guest", rf"(?<![\w/.-])(?:user|test|guest){_MARKS}\s{{1,3}}/\s{{1,3}}(?:{_QUOTE}|\*\*)?(?![a-z]{{2,20}}\d{{1,3}}(?:\.[\dx]{{1,3}}){{0,3}}(?![!-~])){_STRONG}", re.I, needs=" / "),
    _rule("said", f"user login log sign credentials creds account {_ZH_LOGINS}", rf"{_LOGIN}\s{{1,3}}/\s{{1,3}}(?:{_QUOTE}|\*\*)?{_STRONG}", re.I, needs=" / "),
    _rule("said", f"creds credentials {_ZH_LOGINS}", rf"{_LOGIN}/{_STRONG}", re.I, needs="/"),
    _rule("said", "user", rf"(?<![\w/.-])user(?:name)?(?:\sis|\s?[:=])?\s{_MARKS}[\w.@+-]{{2,64}}{_MARKS},?\s(?:and\s|/\s)?pass(?:\sis|\s?[:=])?\s{_MARKS}{_STRONG}", re.I, needs=" pass"),
    _rule("said", "passw passphrase", rf"(?<![!-~])(?:{_QUOTE})?{_LIKELY}({_SIGNS}{{6,128}}+)[`\"']?\s{{1,3}}(?:as|for|is)\s{{1,3}}(?:(?:the|a|your|my|our|its|his)\s{{1,3}})?(?:[\w-]{{1,20}}\s)?(?:password|passphrase)", re.I, is_anywhere=True),
    _rule("said", "密码 密碼 口令", rf"(?<![!-~])(?:{_QUOTE})?{_LIKELY}({_SIGNS}{{6,128}}+)[`\"'」”]?\s{{0,3}}(?:作为|当作?|做|是)[^\x00-\x7f]{{0,8}}(?:密[码碼]|口令)", re.I, is_anywhere=True),
)  # fmt: skip

# What stands before the last part of an image's name: `FROM`, a command that takes one, a registry.
IMAGE = Pattern(
    r"(?:\bimage[\"']?\s?[:=]|\bfrom[\s=])\s?[\"']?[\w./:-]*$"
    r"|\b(?:docker|podman|nerdctl|skopeo|crane)\b.*[\s\"'/][\w.:-]+/[\w./-]*$"
    r"|(?:^|[\s\"'=(])(?:[\w-]+\.)+[\w-]+(?::\d+)?/[\w./-]*$",
    re.I | re.ASCII,
)

# A password that is like no word or name, and so the same wherever it stands.
AGAIN = Pattern(
    r"(?=[!-~]{0,127}[A-Za-z])(?=[!-~]{0,127}\d)(?!\[redacted)"
    r"(?:(?=[!-~]{0,127}[!@#$%^&*+=?~])|(?=[!-~]{0,127}[a-z])(?=[!-~]{0,127}[A-Z])|(?=(?:[a-z]*\d){2}[a-z0-9]*\Z))"
    r"[!\"$-.0-~][!-.0-~]{5,127}"
)
# A question for one, or what its answer is the rest of.
ASKS = Pattern(rf"{PASSWORD}[^\n]{{0,40}}\Z", re.I)

# ------------------------------------------------------------------- what may be a secret, for a person

# Too wide for redaction: here a person decides, there a memory would lose its sense. It finds a value behind
# a name, signs that look random, and codings (base64, hex) of what is a secret for sure.
NAMED, RANDOM, ENCODED = "named", "random", "encoded"
LEAST_ENTROPY = 4.0
LONGEST_CODED = 100_000
MOST = 500  # in one text; nobody looks at more
_BEHIND = r"[\"'`\]\\*|]{0,4}\s{0,9}(?:[:=：＝|]|=>|是|为|is|was|to)?\s{0,9}[\"'`「『“‘*]{0,3}"
_NO_DAY = r"(?!\d{4}-\d\d-\d\d \|)"  # in the table of MEMORY.md, behind a memory's last tag
_A_PASSWORD = Pattern(
    rf"{PASSWORD}(?:[\"'`\]\\*|]{{0,4}}\s{{0,9}}(?:[:=：＝]|=>|\||是|为|(?:is|was)\s)\s{{0,9}}[\"'`「『“‘*]{{0,3}}){NO_VALUE}{NO_WORD}{_NO_DAY}"
    r"([!-~]{4,256})",
    re.I,
)
_A_VALUE = Pattern(
    rf"{NAME}{_BEHIND}{NO_VALUE}{_NO_DAY}(?=[!-~]{{0,99}}\d)([\w.~+/=!@#$%^*-]{{8,512}})(?![(\[\w])",
    re.I,
)
_RUN = Pattern(
    r"(?<![\w+/=.-])(?=[\w+/-]{0,40}?[a-z])(?=[\w+/-]{0,40}?[A-Z])(?=[\w+/-]{0,60}?\d)[\w+/-]{24,512}={0,2}(?![\w/.(])",
    re.ASCII,
)
# What a mark becomes in a name; `token` in it is no name of a secret.
_IN_NAME = Pattern(r"(?<!\[)redacted[:-][a-z-]{2,40}[:-][0-9a-f]{4}(?![0-9a-f])")
_CODED = Pattern(r"(?<![\w+/-])(?:[0-9a-fA-F]{32,}+|[\w+/-]{24,}+={0,2})(?![\w+/])", re.ASCII)
_HEX = Pattern(r"[0-9a-fA-F]+")
_WORDS = Pattern(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")  # what a name or a path is made of


def possible_in(text: str, clean: str, redact: Callable[[str], str]) -> list[tuple[int, str]]:
    """`(where, kind)` of what may be a secret in a text, in order, without those that are sure.

    `clean` is the text as it is redacted; `redact` says whether what is decoded has a secret in it.
    """
    found: dict[int, str] = {}
    plain = _IN_NAME.sub(lambda mark: "[redacted".ljust(len(mark[0]), "]"), text)
    for start, end, kind in islice(_places_in(plain, redact), MOST):
        part = text[start:end]
        if part in clean and "[redacted:" not in part and not _IN_NAME.search(part):
            found.setdefault(start, kind)
    return sorted(found.items())


def _places_in(text: str, redact: Callable[[str], str]) -> Iterator[tuple[int, int, str]]:
    for match in _CODED.finditer(text):
        plain = _decoded(match[0])
        if plain and redact(plain) != plain:
            yield *match.span(), ENCODED
    for pattern in (_A_PASSWORD, _A_VALUE):
        for match in pattern.finditer(text):
            yield *match.span(match.lastindex or 0), NAMED
    for match in _RUN.finditer(text):
        if _is_random(match[0]):
            yield *match.span(), RANDOM


def _is_random(run: str) -> bool:
    """Whether signs are neither words nor a path of them."""
    in_words = sum(map(len, _WORDS.findall(run)))
    return in_words < len(run) // 2 and secrets.entropy_of(run) > LEAST_ENTROPY


def _decoded(run: str) -> str:
    """The text that a run of signs decodes to, if it does."""
    import base64
    import binascii

    run = run[:LONGEST_CODED]
    try:
        if _HEX.fullmatch(run) and len(run) % 2 == 0:
            data = bytes.fromhex(run)
        else:
            plain = run.rstrip("=").translate(str.maketrans("-_", "+/"))
            data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        text = data.decode("utf-8")
    except (ValueError, binascii.Error):
        return ""
    return text if text.isprintable() or "\n" in text else ""
