"""The sessions of the demo: two people, two languages, one project."""

from __future__ import annotations

from datetime import date, timedelta

from recollect._fastimport import NamedTuple


class DemoStep(NamedTuple):
    """Something that happened: `kind` is person, agent, shell, edit or todo."""

    kind: str
    text: str
    output: str = ""
    failed: bool = False


class Session(NamedTuple):
    """A session: its id, when it started, its steps, and the project that it was held in."""

    id: str
    started: str
    steps: tuple[DemoStep, ...]
    project: str = "orchard"


def person(text: str) -> DemoStep:
    """A prompt."""
    return DemoStep("person", text)


def agent(text: str) -> DemoStep:
    """What the agent said."""
    return DemoStep("agent", text)


def shell(command: str, output: str = "") -> DemoStep:
    """A command that worked."""
    return DemoStep("shell", command, output)


def fails(command: str, output: str) -> DemoStep:
    """A command that failed."""
    return DemoStep("shell", command, output, failed=True)


def edit(path: str) -> DemoStep:
    """A file that was changed."""
    return DemoStep("edit", path)


def todo(*items: str) -> DemoStep:
    """The agent's list of what is left."""
    return DemoStep("todo", "\n".join(items))


SESSIONS: tuple[Session, ...] = (
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000001",
        "2026-10-05T09:12:00Z",
        (
            person(
                "We decided to use PostgreSQL as the database for orders because we need JSONB and "
                "real transactions. Please set up the schema for orders and order lines."
            ),
            agent("I'll start with the schema."),
            edit("db/schema.sql"),
            edit("orders/store.py"),
            shell("psql -f db/schema.sql", "CREATE TABLE\nCREATE TABLE"),
            person(
                "Good. From now on write every migration as plain SQL, no ORM migrations. "
                "Prices are always integers in cents, never floats."
            ),
            edit("orders/money.py"),
            shell('git commit -am "Order store on PostgreSQL"', "[main 3f1c2aa] Order store"),
            agent(
                "The order store is on PostgreSQL: two tables, prices in cents, migrations as "
                "plain SQL below db/migrations."
            ),
        ),
    ),
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000002",
        "2026-10-06T14:30:00Z",
        (
            person(
                "Run the integration tests and fix what is red. From now on always squash pull "
                "requests."
            ),
            fails(
                "pytest tests/integration",
                "E   sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection to "
                'server at "127.0.0.1", port 5432 failed: Connection refused\n'
                "ERROR tests/integration/test_orders.py",
            ),
            agent("The tests expect a database; the compose file starts one."),
            shell("docker compose up -d db && pytest tests/integration", "14 passed in 3.21s"),
            agent("Green: the integration tests need the database of the compose file to be up."),
            person("One more thing: we decided to use npm for the shop front end."),
            agent("Noted."),
        ),
    ),
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000003",
        "2026-10-08T03:05:00Z",
        (
            person(
                "我们决定用 RabbitMQ 做发货通知的消息队列，因为需要延迟投递和死信队列。"
                "先把发布端写好。我们决定用 Jest 做前端测试。以后提交信息一律用中文。"
            ),
            agent("好的，先写发布端。"),
            edit("shipping/publisher.py"),
            fails(
                "python -m shipping.publisher --check",
                "ModuleNotFoundError: No module named 'pika'",
            ),
            agent("pika 只装在 shipping 这个可选依赖里。"),
            shell("uv run --extra shipping python -m shipping.publisher --check", "ok"),
            todo("为死信队列加监控", "把重试间隔写进配置"),
            shell('git commit -am "发货通知：发布端"', "[main 91b0d1c] 发货通知：发布端"),
            agent("发布端已完成，检查命令通过。还差死信队列的监控和可配置的重试间隔。"),
        ),
    ),
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000004",
        "2026-10-12T08:40:00Z",
        (
            person(
                "The checkout endpoint is slow. Find out why. I prefer measuring over guessing, so "
                "profile first."
            ),
            shell(
                "python -m cProfile -s cumtime bench/checkout.py", "orders/store.py:88 load_lines"
            ),
            agent("Nine in ten milliseconds go into loading order lines one by one."),
            edit("orders/store.py"),
            shell("python bench/checkout.py", "p50 11 ms (was 96 ms)"),
            person(
                "Let's cache the price list in Redis with a TTL of five minutes, because it changes twice a day."
            ),
            edit("pricing/cache.py"),
            todo("Warm the price cache at start-up"),
            agent(
                "Checkout went from 96 ms to 11 ms: order lines are loaded in one query, and the "
                "price list is cached in Redis for five minutes."
            ),
        ),
    ),
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000005",
        "2026-10-20T10:15:00Z",
        (
            person(
                "Bisecting the slow checkout took me a day, because every pull request is one "
                "commit. From now on never squash pull requests. Please change the repository's settings."
            ),
            edit(".github/settings.yml"),
            agent("Squashing is off; a pull request keeps its commits now."),
            person("新同事不懂中文。以后提交信息不要用中文。"),
            edit("CONTRIBUTING.md"),
            agent("CONTRIBUTING.md 已更新。"),
            person("We decided to use pnpm because installs are three times faster."),
            agent("Good."),
            person("我们决定用 Vitest，因为启动快得多。"),
            shell("npm install --save-dev vitest", "added 41 packages"),
            agent("Vitest is installed."),
            person("No, we use pnpm now."),
            shell("pnpm install --save-dev vitest", "Done in 1.2s"),
            agent("Done, with pnpm."),
        ),
    ),
)


def _release(n: int, day: str, version: str) -> Session:
    """Work that comes again and again: what is done each time could be a skill."""
    return Session(
        f"0b6f1c2e-7d51-4c1e-9a11-6d1f0000000{n}",
        f"{day}T16:00:00Z",
        (
            person(f"Publish release {version}: changelog, tag, package."),
            edit("CHANGELOG.md"),
            shell("pytest -q", "58 passed"),
            shell(f"git tag v{version} && git push --tags", f"* [new tag] v{version}"),
            shell("uv build && uv publish", f"orchard-{version}.tar.gz"),
            agent(f"Release {version} is published: changelog, tag and package."),
        ),
    )


SESSIONS += (
    _release(6, "2026-10-22", "1.2.0"),
    _release(7, "2026-11-03", "1.3.0"),
    _release(8, "2026-11-12", "1.3.1"),
)


# A day on which three agents are at work: two in one project, one in another.
OTHER = "lighthouse"
DAY: tuple[Session, ...] = (
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000011",
        "2026-11-15T09:00:00Z",
        (
            person("We decided to number orders with ULIDs, because they sort by time."),
            edit("db/schema.sql"),
            shell("psql -f db/schema.sql", "ALTER TABLE"),
            agent("Orders have a ULID as their number now."),
        ),
    ),
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000012",
        "2026-11-15T09:01:00Z",
        (
            person("我们决定按邮政编码分区计算运费，因为承运商按区收费。"),
            edit("shipping/zones.py"),
            shell("pytest tests/shipping", "6 passed in 0.41s"),
            agent("运费按邮政编码分区计算，测试通过。"),
        ),
    ),
    Session(
        "0b6f1c2e-7d51-4c1e-9a11-6d1f00000013",
        "2026-11-15T09:02:00Z",
        (
            person(
                "We decided to use SQLite as the database for tide tables, because the lamp has no network."
            ),
            edit("tides/tables.py"),
            shell("python -m tides.tables", "8,760 rows"),
            agent("The tide tables of a year are in SQLite."),
        ),
        OTHER,
    ),
)
ASKED_OF_BOTH = "Which database do we use, and why?"


# The same two days in each language, told on one screen.
_REFUSED = (
    "E   sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection to server at "
    '"127.0.0.1", port 5432 failed: Connection refused\nERROR tests/integration/test_orders.py'
)
_CHECK = ("pytest tests/integration", "docker compose up -d db && pytest tests/integration")


def _yesterday(decides: str, rules: str, done: str, tests: str, cause: str) -> tuple[Session, ...]:
    return (
        Session(
            "0b6f1c2e-7d51-4c1e-9a11-6d1f00000021",
            "2026-11-14T09:12:00Z",
            (
                person(decides),
                edit("db/schema.sql"),
                edit("orders/store.py"),
                shell("psql -f db/schema.sql", "CREATE TABLE"),
                person(rules),
                edit("orders/money.py"),
                agent(done),
            ),
        ),
        Session(
            "0b6f1c2e-7d51-4c1e-9a11-6d1f00000022",
            "2026-11-14T14:30:00Z",
            (
                person(tests),
                fails(_CHECK[0], _REFUSED),
                shell(_CHECK[1], "14 passed in 3.21s"),
                agent(cause),
            ),
        ),
    )


YESTERDAY = {
    "en": _yesterday(
        "We use PostgreSQL for orders because we need JSONB. Set up the schema.",
        "Prices are always integers in cents, never floats.",
        "The order store is on PostgreSQL, and prices are in cents.",
        "Run the integration tests and fix what is red.",
        "Green: the integration tests need the database of the compose file.",
    ),
    "zh": _yesterday(
        "订单用 PostgreSQL 存储，因为需要 JSONB。先建好表结构。",
        "价格一律用整数（分）表示，不要用浮点数。",
        "订单已存入 PostgreSQL，价格以分为单位。",
        "运行集成测试，把失败的修好。",
        "测试通过：集成测试需要 compose 文件里的数据库。",
    ),
}
_FAILS_AGAIN = (
    "failure",
    (
        "pytest tests/integration/test_refunds.py\n"
        'psycopg.OperationalError: connection to server at "127.0.0.1", port 5432 failed: '
        "Connection refused"
    ),
)
ASKED_NEXT = {
    "en": (
        ("prompt", "Which database holds the orders, and why?"),
        _FAILS_AGAIN,
        ("prompt", "Write a haiku about autumn leaves"),
    ),
    "zh": (
        ("prompt", "订单用的是什么数据库？为什么？"),
        _FAILS_AGAIN,
        ("prompt", "写一首关于秋叶的俳句"),
    ),
}


def held_before(day: date, sessions: tuple[Session, ...] = SESSIONS) -> list[Session]:
    """Sessions, moved by whole days so that the last of the history was ten days before this one."""
    return _moved(sessions, (day - _day_of(SESSIONS[-1])).days - 10)


def held_yesterday(day: date, sessions: tuple[Session, ...]) -> list[Session]:
    """Sessions, moved by whole days so that the last was on the day before this one."""
    return _moved(sessions, (day - _day_of(sessions[-1])).days - 1)


def _day_of(session: Session) -> date:
    return date.fromisoformat(session.started[:10])


def _moved(sessions: tuple[Session, ...], days: int) -> list[Session]:
    moved = timedelta(days=days)
    return [s._replace(started=f"{_day_of(s) + moved}{s.started[10:]}") for s in sessions]


# What is asked in later sessions: a prompt, or a command that fails the way one failed before.
QUESTIONS = (
    ("prompt", "Which database do we use for orders, and why?"),
    ("prompt", "Add a discount column to the orders table"),
    ("prompt", "发货通知用的是什么消息队列？"),
    ("prompt", "How long may prices be cached?"),
    ("prompt", "Install the packages with npm install"),
    ("prompt", "Write a haiku about autumn leaves"),
    (
        "failure",
        (
            "pytest tests/integration/test_refunds.py\n"
            'psycopg.OperationalError: connection to server at "127.0.0.1", port 5432 failed: '
            "Connection refused"
        ),
    ),
    (
        "failure",
        "python -m shipping.consumer\nModuleNotFoundError: No module named 'pika'",
    ),
)
