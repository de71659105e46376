"""What is learned from a failure, and what is not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import error_line, failure_fix
from recollect.capture.failure_fix import Failure, Solution
from recollect.text import commands, failures

from .build import is_quick

NOT_FOUND = "Exit code 127\nbash: lintool: command not found"
REFUSED = (
    "Exit code 1\nE   psycopg.OperationalError: connection to server at localhost, port 5432 "
    "failed: Connection refused"
)
LOCKED = "npm error code EUSAGE\nnpm error `npm ci` can only install with a lock file in sync"


def learned(
    ran: str, error: str, *then: str, edits: tuple[tuple[str, str], ...] = (), known: bool = False
) -> list[Solution]:
    """What is learned of a failure if these commands worked then, after these edits.

    `known` says that the files had been edited before the failure.
    """
    failure = failure_fix.failed(ran, error, 1)
    waiting = [failure] if failure else []
    for path, change in edits:
        waiting = failure_fix.with_edit(waiting, path, change, is_first=not known)
    found: list[Solution] = []
    for step, command in enumerate(then, 2):
        waiting, more = failure_fix.with_success(waiting, command, step)
        found += more
    return found


@pytest.mark.parametrize(
    ("ran", "error", "worked"),
    [
        ("lintool strict", NOT_FOUND, "npx lintool strict"),
        ("lintool strict", NOT_FOUND, 'PATH="$PATH:./tools" lintool strict'),
        ("npm test", "Error: listen EADDRINUSE: address already in use :::3000", "PORT=0 npm test"),
        ("npm install", "npm error ERESOLVE could not resolve", "npm install --legacy-peer-deps"),
        ("pip install httpx", "error: externally-managed-environment", "uv pip install httpx"),
        ("python app.py", "ModuleNotFoundError: No module named 'flask'", "uv run python app.py"),
        ("docker-compose up", "docker-compose: command not found", "docker compose up"),
        ("gradle build", "error: invalid source release: 21", "./gradlew build"),
        ("mypy src", "错误：找不到模块 pydantic", "uv run mypy src"),
        ("git push", "fatal: The current branch x has no upstream branch.", "git push -u origin x"),
    ],
)
def test_the_same_in_another_way_is_a_solution(ran: str, error: str, worked: str) -> None:
    (found,) = learned(ran, error, worked)
    assert (found.failed, found.solution) == (ran, worked)
    assert found.symptom in error


@pytest.mark.parametrize(
    ("ran", "error", "then", "solution"),
    [
        ("pytest tests", REFUSED, ("docker ps", "docker compose up -d db", "ls | head", "pytest tests"),
         "docker compose up -d db && pytest tests"),
        ("pytest tests", REFUSED, ("docker compose up -d db && pytest tests",),
         "docker compose up -d db && pytest tests"),
        ("npm ci", LOCKED, ("npm install", "npm ci"), "npm install && npm ci"),
        ("lintool strict", NOT_FOUND, ("brew install lintool", "lintool --fast"),
         "brew install lintool && lintool strict"),
        ("jq . a.json", "jq: command not found", ("sudo apt install -y jq", "jq .x b.json"),
         "sudo apt install -y jq && jq . a.json"),
        ("make", "fatal error: openssl/ssl.h: No such file or directory", ("apt-get install -y libssl-dev", "make"),
         "apt-get install -y libssl-dev && make"),
        ("npm run build", 'npm error Missing script: "build"', ("cd web && npm run build",), "cd web && npm run build"),
        ("npm start", "Error: bind EADDRINUSE :::80", ("lsof -ti:80 | xargs kill", "npm start"),
         "lsof -ti:80 | xargs kill && npm start"),
        ("pytest -q", "E   ModuleNotFoundError: No module named 'yaml'",
         ("export PYTHONPATH=src && pytest -q",), "export PYTHONPATH=src && pytest -q"),
        ("npm run dev", "Error: ENOSPC: System limit for number of file watchers reached",
         ("echo fs.watches=9 | sudo tee -a /etc/sysctl.conf && sudo sysctl -p", "npm run dev"),
         "echo fs.watches=9 | sudo tee -a /etc/sysctl.conf && sudo sysctl -p && npm run dev"),
        ("npm run dev", "Error: ENOSPC: System limit for number of file watchers reached",
         ("echo $(date) | tee /tmp/run && cat a | tee run.log", "sudo sysctl -p", "npm run dev"), "sudo sysctl -p && npm run dev"),
        ("docker pull example.org/lid:1", "Error response from daemon: denied: denied",
         ("gh auth token | docker login example.org -u ada --password-stdin", "docker pull example.org/lid:1"),
         "gh auth token | docker login example.org -u ada --password-stdin && docker pull example.org/lid:1"),
        ("make lids", "error: The sandbox is not in sync with the Podfile.lock", ("cd ios && bundle exec pod install", "make lids"),
         "(cd ios && bundle exec pod install) && make lids"),
        ("make lids", "error: The sandbox is not in sync with the Podfile.lock", ("(cd ios && pod install)", "make lids"),
         "(cd ios && pod install) && make lids"),
        ("make lids", "error: The sandbox is not in sync with the Podfile.lock", ("cd ios && pod install && cd .. && make lids",),
         "(cd ios && pod install) && make lids"),
        ("npm run build", "sh: 1: lidpack: not found", ("cd web && npm ci && npm run build",), "cd web && npm ci && npm run build"),
        ("cd web && npm run build", "sh: 1: lidpack: not found", ("cd web && npm ci && npm run build",), "npm ci && npm run build"),
        ("make lids", "error: The lock is not in sync with the lids", ("cd .. && lidtool sync", "make lids"), "lidtool sync && make lids"),
    ],
)  # fmt: skip
def test_what_was_done_before_the_same_check_passed_is_the_solution(
    ran: str, error: str, then: tuple[str, ...], solution: str
) -> None:
    (found,) = learned(ran, error, *then)
    assert found.solution == solution


@pytest.mark.parametrize(
    ("ran", "error", "then"),
    [
        ("lintool strict", NOT_FOUND, ("lintool strict",)),  # mended elsewhere
        ("lintool strict", NOT_FOUND, ("git status",)),
        ("cat src/a.py", "cat: src/a.py: No such file or directory", ("cat lib/a.py",)),
        ("grep -r zebra .", "grep: zebra: No such file or directory", ("grep -ri zebra .",)),
        ("pytest tests", REFUSED, ("docker ps", "git log", "cat a | grep b", "node --version", "pytest tests")),
        ("pytest tests", REFUSED, ("docker compose up -d db",)),  # nobody knows whether it passes now
        ("pytest tests", REFUSED, ("docker compose up -d db", "pytest tests | tail -3")),
        ("pytest tests", REFUSED, ("docker compose up -d db", "pytest tests || true")),
        ("pytest tests", REFUSED, ("docker compose up -d db", "pytest tests -k fast")),
        ("pytest tests/a.py", "FAILED tests/a.py::test_x - assert 1 == 2", ("pip install x", "pytest tests/a.py")),
        ("bun test a.test.ts", "error: expect(received).toMatchObject(expected)", ("BUN_TEST_TIMEOUT=15000 bun test a.test.ts",)),
        ("make all", "Exit code 2\nit went red\nthen green\nthen red", ("make all -j1",)),
        ("make all", "ERROR: failed\nfatal error", ("make deps", "make all")),
        ("npm ci", LOCKED, ("rm -rf node_modules", "npm ci")),
        ("npm ci", LOCKED, ("git checkout web/package-lock.json", "npm ci")),
        ("npm ci", LOCKED, ("git restore web", "npm ci")),
        ("npm ci", LOCKED, ("npm ci --force",)),
        ("git commit -m x", "error: hook needs prettier, not found", ("git commit -m x --no-verify",)),
        ("git pull", "error: cannot pull with rebase: You have unstaged changes.", ("git stash && git pull",)),
        ("git merge x", "fatal: refusing to merge unrelated histories", ("git reset --hard origin/x", "git merge x")),
        ("npm start", "Error: listen EADDRINUSE: address already in use :::3000", ("pkill -f vite", "npm start")),
        ("npm start", "Error: listen EADDRINUSE: address already in use :::3000", ("kill -9 4711", "npm start")),
        ("npm start", "Error: listen EADDRINUSE: address already in use :::3000", ("pgrep vite | xargs kill", "npm start")),
        ("npm test", "The user doesn't want to proceed with this tool use. error", ("npm i", "npm test")),
        ("npm test", "<tool_use_error>Error: cannot run</tool_use_error>", ("npm i", "npm test")),
        ("npm test", "Command timed out after 2m 0s\nerror: cannot go on", ("npm i", "npm test")),
        ("npm test", "Cancelled: not found", ("npm i", "npm test")),
        ("python -c 'import x'", "ModuleNotFoundError: No module named 'x'", ("pip install x", "python -c 'import x'")),
    ],
)  # fmt: skip
def test_what_did_not_mend_it_or_throws_away_teaches_nothing(
    ran: str, error: str, then: tuple[str, ...]
) -> None:
    assert learned(ran, error, *then) == []


def test_the_change_of_a_file_is_named() -> None:
    change = ("tsconfig.json", '`"module": "es6"` → `"module": "node16"`')
    error = "src/a.ts(1,2): error TS1378: Top-level 'await' needs another 'module' option"
    (found,) = learned("npx tsc", error, "npx tsc", edits=(change,))
    assert found.edits == (change,)
    assert found.solution == "npx tsc"


def test_a_mistake_in_the_code_at_hand_teaches_nothing() -> None:
    error = "src/cart.go:7:2: undefined: currency"
    change = ("src/cart.go", "`currency` → `money.Currency`")
    assert learned("go build", error, "go build", edits=(change,), known=True) == []
    assert learned("go build", error, "go build", edits=(change,)) == []
    assert learned("go build", error, "go build", edits=(("src/cart.go", ""),)) == []
    assert (
        learned("go build", error, "go mod download", "go build", edits=(change,), known=True) == []
    )


def test_after_too_many_changes_nobody_knows_which_it_was() -> None:
    edits = tuple((f"conf/{n}.toml", "") for n in range(4))
    assert learned("make image", "error: unknown base 'alpine:9'", "make image", edits=edits) == []
    steps = tuple(f"./prepare {n}" for n in range(4))
    assert learned("make image", "error: unknown base 'alpine:9'", *steps, "make image") == []


def test_who_fails_in_the_same_way_again_was_not_helped() -> None:
    waiting: list[Failure] = []
    for step, (ran, error) in enumerate(
        [("npm i", "npm error ERESOLVE"), ("npm i --force", "npm error ERESOLVE")]
    ):
        failure = failure_fix.failed(ran, f"{error} could not resolve", 3 * step)
        assert failure
        waiting = failure_fix.with_failure(waiting, failure)
        waiting, _ = failure_fix.with_success(waiting, "npm cache verify --fix", 3 * step + 1)
    waiting, (found,) = failure_fix.with_success(waiting, "npm i --legacy-peer-deps", 9)
    assert found.tries == ("npm i",)
    assert found.failed == "npm i --force"
    assert waiting == []


def test_of_two_failures_of_one_check_each_has_its_own_fix() -> None:
    first = failure_fix.failed("pytest -q", "E   ModuleNotFoundError: No module named 'yaml'", 1)
    second = failure_fix.failed("pytest -q", REFUSED, 3)
    assert first
    assert second
    waiting, _ = failure_fix.with_success([first], "pip install pyyaml", 2)
    waiting = failure_fix.with_failure(waiting, second)
    waiting, _ = failure_fix.with_success(waiting, "docker compose up -d db", 4)
    _, found = failure_fix.with_success(waiting, "pytest -q", 5)
    assert [one.solution for one in found] == [
        "pip install pyyaml && pytest -q",
        "docker compose up -d db && pytest -q",
    ]


@pytest.mark.parametrize(
    ("ran", "said", "worked", "slug"),
    [
        ("npm install", "No, we use pnpm here.", "pnpm install", "pnpm install, not npm install"),
        ("pip install httpx", "不对，我们用uv。", "uv pip install httpx", "uv pip install httpx, not pip install"),
        ("pnpm install", "Wrong, I said --frozen-lockfile.", "pnpm install --frozen-lockfile", "pnpm install --frozen-lockfile, not pnpm install"),
    ],
)  # fmt: skip
def test_a_correction_that_names_the_other_way_is_a_solution(
    ran: str, said: str, worked: str, slug: str
) -> None:
    waiting = [Failure(ran, "", 1, objection=said)]
    waiting, _ = failure_fix.with_success(waiting, "cat package.json", 2)
    _, (found,) = failure_fix.with_success(waiting, worked, 3)
    assert (found.slug, found.failed, found.solution) == (slug, ran, worked)
    assert found.symptom == found.why == said


@pytest.mark.parametrize(
    ("ran", "said", "then"),
    [
        ("pytest src/a.py", "No, that's wrong.", ("git diff src/a.py",)),
        ("npm install", "No, that's wrong.", ("npm install left-pad",)),
        ("npm install", "No, we use pnpm here.", ("npm install",)),
        ("npm install", "No, we use pnpm here.", ("make build", "pnpm install")),  # not the next step
        ("npm install", "No, we use pnpm here.", ("pnpm run lint",)),
        ("git push", "No, use --force", ("git push --force",)),
    ],
)  # fmt: skip
def test_a_correction_that_names_nothing_teaches_nothing(
    ran: str, said: str, then: tuple[str, ...]
) -> None:
    waiting = [Failure(ran, "", 1, objection=said)]
    for step, command in enumerate(then, 2):
        waiting, found = failure_fix.with_success(waiting, command, step)
        assert found == []


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (NOT_FOUND, "bash: lintool: command not found"),
        ("Exit code 1", ""),
        ("ERROR: failed\nfatal error\n2 failed", ""),
        ("one\ntwo\nthree", ""),
        ("Traceback (most recent call last):\n  x\nKeyError: 'a'\nValueError: bad", "ValueError: bad"),
        ("\x1b[31merror:\x1b[0m it broke badly", "error: it broke badly"),
        ("正在构建\n错误：找不到文件", "错误：找不到文件"),
        ("npm error code ERESOLVE\nnpm error ERESOLVE could not resolve\nnpm error A complete log of this run can be",
         "npm error ERESOLVE could not resolve"),
        ("python -m pytest\n/usr/bin/python: No module named pytest\nmake: *** [Makefile:7: test] Error 1",
         "/usr/bin/python: No module named pytest"),
        ("func f() error {\n  a.go:3:1: undefined: x\n[lint] ERROR task failed", "a.go:3:1: undefined: x"),
        ("* What went wrong:\nExecution failed for task ':a'.\n> error: invalid source release: 21\nBUILD FAILED in 3s",
         "> error: invalid source release: 21"),
        ('go: downloading example.org/lid v1.2.0\nmain.go:6:2: Get "https://proxy.example.org/lid": dial tcp 10.0.0.7:443: i/o timeout',
         'main.go:6:2: Get "https://proxy.example.org/lid": dial tcp 10.0.0.7:443: i/o timeout'),
        ("Resolving the packages from the lock file\n\nlid.toml changed significantly since lid.lock was written.",
         "lid.toml changed significantly since lid.lock was written."),
        ("go: downloading example.org/lid v1.2.0", ""),
        ("Loading the lid failed", "Loading the lid failed"),
        ("missing go.sum entry for module providing package example.org/lid", "missing go.sum entry for module providing package example.org/lid"),
        ("正在读取软件包列表\n包 lid 没有可安装候选", "包 lid 没有可安装候选"),
        ("[ERROR] Failed to execute goal org.x:y:1 (z) on project lid: Fatal error compiling: error: invalid target release: 21\n[ERROR] [Help 1] http://x/MojoExecutionException",
         "Fatal error compiling: error: invalid target release: 21"),
        ("Unable to find image 'lid:5.7' locally\n5.7: Pulling from library/lid\ndocker: no matching manifest for linux/arm64/v8 in the list",
         "docker: no matching manifest for linux/arm64/v8 in the list"),
        ("error: Failed to spawn: `lidtest`\n  Caused by: No such file or directory (os error 2)", "error: Failed to spawn: `lidtest`"),
        ("  - ada/lid is locked to version v6.4.8 and an update of this package was not requested.\n  - ada/lid v6.4.8 requires ext-lid * -> it is missing",
         "- ada/lid v6.4.8 requires ext-lid * -> it is missing"),
        ("* What went wrong:\nCould not open settings file 'settings.gradle'\n> BUG! Unsupported class file major version 65",
         "> BUG! Unsupported class file major version 65"),
        ("   FAILED  Tests\\LidTest > opens   MissingKeyException\n  No encryption key has been specified.\n\n  Tests: 1 failed",
         "No encryption key has been specified."),
        ("ValidationError: 1 validation error for Settings\nlid_url\n  Field required [type=missing, input_value={'a': 'b'}, input_type=dict]\n    For further",
         "ValidationError: 1 validation error for Settings lid_url Field required"),
        ("E ValidationError: 1 validation error for Settings\nE lid_url\nE   Field required [type=missing]",
         "ValidationError: 1 validation error for Settings lid_url Field required"),
        ("CMake Error at CMakeLists.txt:2 (add_subdirectory):\n  The source directory\n\n    /home/ada/lid/cup\n\n  does not contain a CMakeLists.txt file.\n\n-- Configuring",
         "CMake Error at CMakeLists.txt:2 (add_subdirectory): The source directory /home/ada/lid/cup does not contain a CMakeLists.txt file."),
        ("Host key verification failed.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
         "Host key verification failed."),
        ("fatal: Could not read from remote repository.", "fatal: Could not read from remote repository."),
        ('Release "lid" does not exist. Installing it now.\nError: repo cups not found', "Error: repo cups not found"),
        ("The command could not be loaded, possibly because:\n  * You intended to run it:\n      A compatible .NET SDK was not found.",
         "A compatible .NET SDK was not found."),
        (f"error: the lid is not there: {'a bcd ' * 40}", f"error: the lid is not there: {'a bcd ' * 28}a …"),
        ("│ Error: Inconsistent dependency lock file │", "Error: Inconsistent dependency lock file"),
        ("│ Error: Inconsistent dependency lock file\n│ \n│   - provider example.org/ada/lid: required by this configuration but no version is selected",
         "Error: Inconsistent dependency lock file"),
        ("[ERROR] COMPILATION ERROR :\n[ERROR] Source option 7 is no longer supported. Use 8 or later.\n[ERROR] Target option 7 is no longer supported.",
         "[ERROR] Source option 7 is no longer supported. Use 8 or later."),
        ("src/a.ts(4,2): error TS2580: Cannot find name 'process'. Do you need to install type definitions for node?\nsrc/b.ts(2,2): error TS2307: Cannot find module 'http'",
         "src/a.ts(4,2): error TS2580: Cannot find name 'process'. Do you need to install type definitions for node?"),
    ],
)  # fmt: skip
def test_the_line_that_tells_most(error: str, line: str) -> None:
    assert error_line.telling_line(error) == line


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("cd app && npm test", "npm"), ("PORT=0 npm test", "npm"), ("sudo -E /usr/bin/apt x", "apt"),
        ("", ""), ("FOO=1", ""), ("a | b", "a"), ("npx -y tsc -p x", "tsc"), ("uv run --extra x pytest", "pytest"),
        ("M=$(go env GOMODCACHE) && /opt/py/bin/python3.12 app.py > log.txt", "python"),
    ],
)  # fmt: skip
def test_the_program_of_a_command(command: str, program: str) -> None:
    assert failure_fix.program_of(command) == program


def test_triggers_name_the_code_and_the_thing() -> None:
    assert failure_fix.triggers_of("Error TS2304: Cannot find module 'left-pad'") == (
        "TS2304",
        "left-pad",
    )
    assert failure_fix.triggers_of("fatal: it failed with error 7") == ()


@pytest.mark.parametrize(
    ("ran", "error", "title"),
    [
        ("npm test", "Error: listen EADDRINUSE: address already in use :::3000", "npm: listen EADDRINUSE: address already in use"),
        ("golangci-lint run", "pkg/a.go:12:1: File is not properly formatted (gofmt)", "golangci-lint: File is not properly formatted (gofmt)"),
        ("make", "tls.c:4:10: fatal error: openssl/ssl.h: No such file or directory", "make: fatal error: openssl/ssl.h: No such file or directory"),
        ("./check.sh", "FileNotFoundError: app.lock is missing", "check: FileNotFoundError: app.lock is missing"),
        ("bundle exec rspec", "Could not find nokogiri-1.15.4 in locally installed gems (Bundler::GemNotFound)",
         "rspec: Could not find … in locally installed gems (Bundler::GemNotFound)"),
        ("pytest", 'psycopg.OperationalError: connection to server at "127.0.0.1", port 5432 failed: Connection refused',
         "pytest: OperationalError: connection to server at … port … failed"),
        ("pytest", 'sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection to server at "127.0.0.1", port 5432 failed: Connection refused',
         "pytest: OperationalError: connection to server at … port … failed"),
        ("pytest", "错误：无法连接 10.0.0.7:5432 上的数据库", "pytest: 错误：无法连接 … 上的数据库"),
        ("cargo build", "  = note: /usr/bin/ld: cannot find -lssl: No such file or directory", "cargo: ld: cannot find -lssl: No such file or directory"),
        ("git push", " ! [rejected]        main -> main (fetch first)", "git: [rejected] main -> main (fetch first)"),
        ("mypy src", "错误：找不到模块 pydantic", "mypy: 错误：找不到模块 pydantic"),
        ("npx eslint src", "ESLint couldn't find an eslint.config.(js|mjs|cjs) file.", "eslint: ESLint couldn't find an eslint.config.(js|mjs|cjs) file."),
        ("cargo build", "error[E0463]: can't find crate for `core`", "cargo: error[E0463]: can't find crate for `core`"),
        ("docker compose up -d", "Error response from daemon: Bind for 0.0.0.0:5432 failed: port is already allocated",
         "docker: Error response from daemon: Bind for … failed: port is already allocated"),
        ("docker pull ada/lid", "Error response from daemon: pull access denied for ada/lid, repository does not exist",
         "docker: Error response from daemon: pull access denied for ada/lid, repository"),
        ("./scripts/lid.sh", "/bin/bash: line 1: ./scripts/lid.sh: Permission denied", "lid.sh: Permission denied"),
        ("./scripts/lid.sh", "./scripts/lid.sh: line 7: jq: command not found", "lid: jq: command not found"),
        ("psql lids", 'psql: error: connection to server on socket "/run/.s.PGSQL.5432" failed: FATAL: role "ada" does not exist', 'psql: role "ada" does not exist'),
    ],
)  # fmt: skip
def test_a_title_says_what_does_not_change(ran: str, error: str, title: str) -> None:
    (found,) = learned(ran, error, f"{ran} --fix-it")
    assert found.slug == title


SAME = [
    ("Error: repo lids not found", "helm: Error: repo lids not found"),
    ("Could not find Hex, which is needed to build dependency :lid", "Could not find Hex, which is needed to build dependency :cup"),
    ("src/a.ts(3,9): error TS2307: Cannot find module 'x'", "lib/b/c.ts(41,2): error TS2307: Cannot find module 'x'"),
    ("bash: line 1: jq: command not found", "zsh:1: command not found: jq"),
    ("E   psycopg.OperationalError: port 5432 failed: Connection refused", "OperationalError: port 5433 failed: Connection refused"),
    ("Error: listen EADDRINUSE: address already in use :::3000", "Error: listen EADDRINUSE 127.0.0.1:8080"),
    ("open /home/ada/app/.env: no such file or directory", "open /srv/.env: no such file or directory"),
    ("mkdir '/usr/lib/node_modules/a' EACCES: permission denied", "mkdir '/opt/node_modules/b' EACCES: permission denied"),
    ("./a.sh: line 7: jq: command not found", "/bin/bash: line 1: jq: command not found"),
    ("fatal: unable to read 1f3e9ab02c", "fatal: unable to read 77aa0b31e9d1"),
    ("could not find nokogiri-1.18.2 in gems", "could not find nokogiri-1.19.0 in gems"),
    ("missing entry for package example.org/lid (imported by example.org/a); to add:", "missing entry for package example.org/lid (imported by example.org/b/c); to add:"),
]  # fmt: skip
OTHER = [
    ("Error: repo cups not found", "Error: repo lids not found"),
    ("Cannot find module 'express'", "Cannot find module 'left-pad'"),
    ("bash: jq: command not found", "bash: yq: command not found"),
    ("./a.sh: line 7: jq: command not found", "./a.sh: line 7: yq: command not found"),
    ("a.ts(2,2): error TS2307: Cannot find module 'http'", "b.ts(2,2): error TS2307: Cannot find module './lids'"),
    ("a.ts(3,9): error TS2307: Cannot find it", "a.ts(3,9): error TS2322: Cannot find it"),
    ("open /home/ada/app/.env: no such file or directory", "open /home/ada/app/key.pem: no such file or directory"),
    ("missing entry for package example.org/lid (imported by example.org/a)", "missing entry for package example.org/cup (imported by example.org/a)"),
    ('psql: error: connection to server on socket "/run/.s.PGSQL.5432" failed: FATAL:  Peer authentication failed for user "ada"',
     'psql: error: connection to server on socket "/run/.s.PGSQL.5432" failed: FATAL:  role "ada" does not exist'),
    ("gh: Not Found (HTTP 404)", "gh: Forbidden (HTTP 403)"),
    ("error: the build failed", "error: the test failed"),
    ("错误：找不到模块 pydantic", "错误：端口已被占用"),
    ("bash: foo：未找到命令", "bash: bar：未找到命令"),
    ("bash: ./a.sh: 权限不够", "bash: ./a.sh: 没有那个文件或目录"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_numbers_places_and_hashes_make_no_difference(one: str, other: str) -> None:
    assert failures.likeness(failures.ErrorSignature(one), failures.ErrorSignature(other)) > 0


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_name_code_or_file_does(one: str, other: str) -> None:
    assert failures.likeness(failures.ErrorSignature(one), failures.ErrorSignature(other)) == 0


@pytest.mark.parametrize(
    ("command", "throws_away"),
    [
        ("bash -c 'rm -rf lids && npm ci'", True), ("sg docker -c 'docker system prune'", True),
        ("kind delete cluster --name lids", True), ("sudo apt-get purge lids", True), ("aws s3api delete-object --key a", True),
        ("gcloud compute instances delete lid", True), ("redis-cli del lids:state", True), ("redis-cli get lids", False),
        ("npm install deleted", False), ("make delete-lids.o", False), ("cat docs/delete", False),
        ("bash -lc 'npm ci'", False), ("sh lids.sh", False), ("echo 'rm -rf lids'", False),
        ("pytest -k delete", False), ("git checkout delete-user", False), ("grep -rn delete src", False), ("terraform -chdir=lids destroy", True),
    ],
)  # fmt: skip
def test_what_a_shell_is_given_to_run_may_throw_something_away(
    command: str, throws_away: bool
) -> None:
    assert commands.is_dangerous(command) is throws_away


@given(st.text(max_size=200), st.text(max_size=400), st.text(max_size=200))
def test_whatever_was_said_a_solution_is_single_lines_and_plain_triggers(
    ran: str, error: str, worked: str
) -> None:
    for found in learned(ran, f"error not found {error}", worked, ran):
        for text in (found.symptom, found.failed):
            assert "\n" not in text
            assert len(text) <= failures.LONGEST_LINE
        assert all(re.fullmatch(r"[\w@./:+-]{2,40}", word) for word in found.triggers)
        assert len(found.triggers) <= failure_fix.MOST_TRIGGERS


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("bash -lc 'make lids'", "make"), ("sg docker -c 'docker ps'", "docker"), ("sh -ec 'npm ci'", "npm"),
        ("bash lids.sh -c prod", "bash"), ("sh lids.sh -c config.yaml", "sh"),
    ],
)  # fmt: skip
def test_a_shell_runs_what_stands_behind_its_own_option(command: str, runs: str) -> None:
    (part,) = commands.parts_of(command)
    assert commands.core_of(part.words)[0] == runs


@given(st.text("ab'\"\\ ;|&>$()\n<=-", max_size=60))
def test_any_command_line_is_cut_into_commands_with_words(command: str) -> None:
    for part in commands.parts_of(command):
        assert part.words
        assert part.text
    commands.programs_of(command)
    commands.is_dangerous(command)


@pytest.mark.parametrize(
    "unit", ["error ", "'a' ", "E1 ", "x\n", "\x1b[", "A_B", "word&&", "a=1 ", "$("]
)
def test_a_long_error_is_soon_read(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert is_quick(lambda: learned(text[:2000], text, text[:1990]))


@given(st.text(st.characters(codec=None)))
def test_a_line_has_no_escapes_and_one_blank_between_words(text: str) -> None:
    line = error_line.clean_line(text)
    assert line == " ".join(error_line._ESCAPES.sub("", text).split())[: failures.LONGEST_LINE]


@pytest.mark.parametrize(
    ("ran", "error", "then", "solution"),
    [
        ("psql -d lids -f a.sql", 'psql:a.sql:4: ERROR:  type "vector" does not exist',
         ("psql -d lids -c '\\dx'", "psql lids -c 'SELECT 1'", "psql -d lids -c 'CREATE EXTENSION vector'", "psql -d lids -f a.sql"),
         "psql -d lids -c 'CREATE EXTENSION vector' && psql -d lids -f a.sql"),
        ("psql -U ada lids -c 'select 1'", 'psql: error: FATAL:  Peer authentication failed for user "ada"',
         ("psql -h localhost -U ada lids -c 'select 1'",), "psql -h localhost -U ada lids -c 'select 1'"),
        ("docker compose up -d", "permission denied while trying to connect to the Docker daemon socket",
         ("sudo usermod -aG docker $USER", "sg docker -c 'docker compose up -d'"),
         "sudo usermod -aG docker $USER && sg docker -c 'docker compose up -d'"),
        ("lidtool load", "bash: lidtool: command not found", ("bash -lc 'lidtool load'",), "bash -lc 'lidtool load'"),
    ],
)  # fmt: skip
def test_what_a_shell_or_a_database_is_told_to_do_counts(
    ran: str, error: str, then: tuple[str, ...], solution: str
) -> None:
    assert [one.solution for one in learned(ran, error, *then)] == [solution]


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [
        ("psql -d lids -f a.sql", 'psql:a.sql:4: ERROR:  type "vector" does not exist', "psql -d lids -c '\\dx'"),
        ("docker compose up", "permission denied while trying to connect", "sg docker -c 'docker compose ps; id'"),
        ("tmux capture-pane -pt 'side:0'", "can't find session: side", "tmux capture-pane -pt '$9:0'"),
        ("gh api repos/ada/kettle/pulls/7/comments/1", "gh: Not Found (HTTP 404)", "mkdir -p plans && gh api repos/ada/kettle/pulls/7"),
        ("git -C ../kettle-lid status --short", "fatal: cannot change to '../kettle-lid': No such file or directory", "git -C ../kettle-lamp status --short"),
        ("bun test lid.test.ts", "(pass) lid > opens slowly [1297.98ms]\nerror: script exited with code 143", "LONG=1 bun test lid.test.ts"),
    ],
)  # fmt: skip
def test_asking_for_something_else_is_no_fix(failed: str, error: str, worked: str) -> None:
    failure = failure_fix.failed(failed, f"Exit code 1\n{error}", 1)
    known = [failure] if failure else []  # some teach nothing to begin with
    assert failure_fix.with_success(known, worked, 2)[1] == []


def test_a_line_of_code_that_a_linter_shows_is_no_error() -> None:
    shown = 'lid.ts:12 format ━━━\n\n  × Formatter would have printed the following content:\n\n  728 732 │   "Invalid lid format: missing hinge or lamp",\n  267     │ - → → hinges·>·5'
    assert "│" not in error_line.telling_line(shown)
