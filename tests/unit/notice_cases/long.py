"""Long prompts, and all that may come out of them."""

from __future__ import annotations

LONG: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        ("Hi! I have a problem with the login page: it always redirects to /home. Could you look at\n"
        "src/auth/login.ts? By the way, we decided to use Keycloak for SSO because the customer has it.\n"
        "Also please never log the tokens. Thanks!"),
        (("decision", "Use Keycloak for SSO"), ("pattern", "Never log the tokens")),
    ),
    (
        ("Please fix this:\n\n```\nERROR always failing\nwe will use default\n```\n\n"
        "Don't commit yet. Use pytest instead of unittest for the new tests."),
        (("decision", "Use pytest instead of unittest"),),
    ),
    (
        ("Here is the plan:\n- let's use SQLite for the index\n- write the docs\n- never delete a memory\n"
        "What do you think? Should we use a queue?"),
        (("decision", "Use SQLite for the index"), ("pattern", "Never delete a memory")),
    ),
    (
        ("登录页有个问题：总是跳转到首页，帮我看看 src/auth/login.ts。\n另外，我们决定用 Keycloak 做单点登录，因为客户已经有了。\n"
        "以后不要在日志里打印 token。谢谢！"),
        (("decision", "Keycloak"), ("pattern", "不要在日志里打印 token")),
    ),
    (
        ("I ran it again and got this:\n\n$ make test\nFAILED tests/test_a.py - always\n\n"
        "> we use Redis\n\nIt says we should never do that. What now?"),
        (),
    ),
    ("word " * 80 + "and we decided to use Redis", ()),
    ("x" * 5_000, ()),
    ("", ()),
)  # fmt: skip
