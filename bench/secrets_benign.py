"""Ordinary lines of developers: what looks a little like a secret and is none.

Promises: the same lines for the same seed; no line has anything that must not be kept.
Touches: nothing.
"""

from __future__ import annotations

import random
import string
import uuid

_WORDS = """
parser token stream cache session worker queue index router handler schema client server deploy build
billing orders invoice account user profile search ranking snapshot backup migration release pipeline
secret key password credential auth access login api webhook gateway cluster volume bucket region
""".split()
TEMPLATES = """
{w} = get_{w}_from_env()
const {w} = await get{W}{n}({w2});
password = os.environ["{U}_PASSWORD_{n}"]
const apiKey = process.env.{U}_API_KEY;
api_key=settings.{w}_api_key_v{n}
token: Optional[str] = None
def login({w}: str, password: str) -> {W}Token{n}:
password: ${{ secrets.{U}_PASSWORD }}
secret: <your-{w}-secret>
token: your-token-here
PASSWORD_FILE=/run/secrets/{w}_password
private_key: ~/.ssh/id_ed25519
token_url: https://auth.example.com/oauth2/{w}
max_tokens: {n}
tokens_per_second: {n}.{n}
type="password" name="password" id="{w}-password"
commit {sha1}
Merge {sha1s} into {sha1s}
sha256:{sha256}
"integrity": "sha512-{b64}=="
resolved "https://registry.example.org/{w}/-/{w}-{n}.{n}.{n}.tgz#{sha1}"
{uuid}
trace_id={uuid} span_id={hex16} status=ok
request {uuid} took {n} ms
/home/ada/{w}/src/{w2}_{n}/{w}_{n}.py:{n}: in {w}_{w2}_{n}
node_modules/.pnpm/{w}@{n}.{n}.{n}/node_modules/{w2}/dist/index-{hex8}.js
https://github.com/{w}-org/{w2}/commit/{sha1}
https://example.com/{w}/{w2}?page={n}&ref={hex8}#section-{n}
docker pull example/{w}:{n}.{n}.{n}@sha256:{sha256}
image: example/{w}-{w2}:{n}.{n}-alpine{n}
pip install {w}=={n}.{n}.{n} --hash=sha256:{sha256}
0x{hex16} in {w}_{w2} () from /usr/lib/lib{w}.so.{n}
E   AssertionError: assert {n} == {n}
tests/unit/test_{w}_{w2}.py::test_{w}_{w2}_when_{w}_is_{n} PASSED
test_a_{w}_of_the_{w2}_is_found_when_the_{w}_has_{n}_{w2}s
class {W}{W2}Repository{n}(Base{W}Repository):
{W}{W2}ServiceFactoryImpl{n}.create{W}From{W2}(config)
import {{ use{W}{W2} }} from "@/{w}/{w2}{n}";
git checkout feature/{U}-{n}-{w}-{w2}-{w}
kubectl logs {w}-{w2}-{hex8}{n}-{hex5} -n {w2}
arn:aws:iam::{n12}:role/{w}-{w2}-role
i-0{hex16}  t3.medium  running  10.0.{n}.{n}
vpc-0{hex16} subnet-0{hex16}
2026-01-11T14:30:00.{n}Z INFO {w} refreshed in {n} ms
The {w} is hashed with bcrypt and stored in the {w2} table.
Please rotate the {w} key of the {w2} service before Friday.
We decided to keep the api token of {w} in Vault, not in {w2}.
- [ ] write the {w} {w2} test ({w}-{n})
| {w} | {w2} | {n} | {sha1s} |
ETag: "{hex16}-{n}"
Content-Length: {n}
--border: 1px solid #{hex6};
uid={n}(ada) gid={n}(ada) groups={n}(docker)
{b64line}
curl -s https://api.example.org/{w}/{n} | jq .{w2}
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} ada@teapot
-----BEGIN CERTIFICATE-----
请把 {w} 的密钥放进 Vault，不要写在 {w2} 里。
令牌桶算法每秒 {n} 个请求
The password is wrong, so the {w} returns {n}.
The password is stored as argon2id in the {w2} table, never as text.
the password field of {w}_{w2}_{n} is optional
Set the password to at least {n} characters, with one digit.
The token is valid for {n} hours and refreshed by {w}.
the token is passed as {w}_token_{n} to {w2}
use {w}{n} as the cache key, not {w2}
Reset password link expires after 15min for {w}.
password reset-v2 and password-reset-v1 both call {w}
| password | varchar({n}) | not null |
| token | string | the {w} token of {w2} |
| password_hash | text | bcrypt, cost {n} |
<label for="password">Password</label>
<input type="password" name="{w}-password-{n}" />
connect(user=user, password=password, host="{w}-{n}.internal")
PASSWORD=$(pass show {w}/{w2})
PASSWORD=required
DB_PASSWORD=${{DB_PASSWORD:-}}
if [ -z "$PASSWORD" ]; then echo "no password for {w}"; fi
mysql -u root -p {w} < dump-{n}.sql
mysql -P 3306 -h {w}-{n} -u {w2}
docker run -p 8080:{n} {w}/{w2}
redis-cli -h {w}-{n} -a "$REDIS_PASSWORD" ping
sshpass -p "$PASS" ssh {w}@{w2}-{n}
curl -b cookies.txt -c cookies.txt https://{w}.example.org/{n}
const cookie = request.cookies.get("{w}_{n}");
cookie: {{ secure: true, maxAge: {n}, sameSite: "lax" }}
Cookies are set with SameSite=Lax; see {w}.
"auth": {{"required": true, "{w}": {n}}}
variable "{w}_password" {{ type = string, sensitive = true }}
default = "{w}-{n}"
"passwordHint": "At least {n} characters, one digit"
"password": "The password must have {n} characters or more"
"session_id": "{uuid}"
sessionId={uuid}
session {uuid} was resumed after {n} s
CREATE TABLE {w} (password VARCHAR({n}) NOT NULL, token CHAR(64));
throw new Error(`password for ${{user}} not found in {w}`);
密码错误时返回 401，{w} 会重试 {n} 次。
密码用 bcrypt 加密后存进 {w2} 表，长度 {n} 位。
密码是用户自己设置的，不能为空
忘记密码的链接 15 分钟后失效，由 {w} 负责
令牌是 JWT，{n} 小时后过期
密钥为空时 {w} 启动失败
| 密码 | varchar({n}) | 不为空 |
把密码改成可选字段，{w} 不再校验
口令强度至少 {n} 级
""".strip().splitlines()


def benign_lines(chance: random.Random, count: int) -> list[str]:
    """So many lines, each template as often as the others."""
    return [_filled(TEMPLATES[n % len(TEMPLATES)], chance) for n in range(count)]


def _filled(template: str, chance: random.Random) -> str:
    def of(signs: str, size: int) -> str:
        return "".join(chance.choices(signs, k=size))

    hexes, base64 = "0123456789abcdef", string.ascii_letters + string.digits + "+/"
    word, other = chance.choice(_WORDS), chance.choice(_WORDS)
    values = {
        "w": word, "w2": other, "W": word.title(), "W2": other.title(), "U": word.upper(),
        "sha1": of(hexes, 40), "sha1s": of(hexes, 9), "sha256": of(hexes, 64),
        "hex5": of(hexes, 5), "hex6": of(hexes, 6), "hex8": of(hexes, 8), "hex16": of(hexes, 16),
        "n12": of(string.digits, 12), "b64": of(base64, 86), "b43": of(base64, 43),
        "b64line": of(base64, 76),
        "uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    }  # fmt: skip
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", value)
    while "{n}" in template:
        template = template.replace("{n}", str(chance.randint(1, 9999)), 1)
    return template.replace("{{", "{").replace("}}", "}")
