r"""Make `text/gitleaks.json` anew from a gitleaks configuration.

    python tools/secret_rules.py path/to/gitleaks.toml

gitleaks' rules are data under the MIT licence (`text/LICENSE.gitleaks`); its releases have
the file as `config/gitleaks.toml`. What is done to a rule here is what must be done for two engines to
read it: flags in the middle of a pattern become groups, and `\z` becomes `$`. Run the tests and
`python -m bench.secrets` afterwards: a new rule that touches what it should not belongs into `LEFT_OUT`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "src" / "recollect" / "text" / "gitleaks.json"
# Why a rule is not taken over.
LEFT_OUT = {
    "generic-api-key": "our own `assigned` finds more and touches less",
    "private-key": "our own finds keys that are cut off, or stand in JSON",
    "jwt": "our own",
    "curl-auth-header": "our own bearer and basic-auth",
    "curl-auth-user": "our own curl-password",
    "kubernetes-secret-yaml": "looks through whole files, by their paths",
    "hashicorp-tf-password": "only for files of one name; our own `assigned`",
    "nuget-config-password": "only for files of one name; our own `assigned`",
    "pkcs12-file": "has no pattern, only paths",
}
# A key ends where its signs end: gitleaks asks for white space or a quote, texts have `,`, `)`, `*`, `。`.
_END, END = r"""(?:[\x60'"\s;]|\\[nr]|$)""", r"(?:[^\w-]|$)"
_FLAGS = re.compile(r"\(\?(-?[is]+)\)")


def portable(pattern: str) -> str:
    """The pattern as both engines read it: a flag holds for a group, to whose end it held before."""
    pattern = pattern.replace(r"\z", "$").replace(_END, END)
    pattern = pattern.replace("(login|token)", "(?:login|token)")  # a name, which is no secret
    found = _FLAGS.search(pattern)
    while found:
        end = _end_of_group(pattern, found.end())
        inside = pattern[found.end() : end]
        pattern = f"{pattern[: found.start()]}(?{found[1]}:{inside}){pattern[end:]}"
        found = _FLAGS.search(pattern)
    return pattern


def _end_of_group(pattern: str, at: int) -> int:
    """Where the group ends in which `at` stands."""
    depth, in_class = 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            at += 1 if pattern[at + 1] in "]^" else 0
        elif char == "(":
            depth += 1
        elif char == ")":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return at


def rows_of(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The rules that are taken over."""
    rows = []
    for rule in config["rules"]:
        if rule["id"] in LEFT_OUT:
            continue
        none = [
            portable(regex)
            for allowed in rule.get("allowlists", [])
            for regex in allowed.get("regexes", [])
        ]
        pattern = portable(rule["regex"])
        re.compile(pattern)
        rows.append(
            {
                "kind": rule["id"],
                "words": sorted(rule["keywords"]),
                "entropy": float(rule.get("entropy", 0)),
                "nothing": none,
                "pattern": pattern,
            }
        )
    return rows


def main() -> None:
    """Write the file."""
    import tomllib

    rows = rows_of(tomllib.loads(Path(sys.argv[1]).read_text("utf-8")))
    TARGET.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", "utf-8")
    sys.stdout.write(f"{len(rows)} rules in {TARGET}\n")


if __name__ == "__main__":
    main()
