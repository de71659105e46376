"""Hooks: which tools of our own server a client need not ask the person for: those that only read.

Promises: about anything else nothing is said, so that the client asks as ever; what a tool is
called is read from the client's own field, never from what was put into the tool.
Touches: nothing.

Clients that ignore matchers run this for every tool, so the matcher alone decides nothing.
"""

from recollect.hooks.payload import members, text_of

# The plugin's server, as the client names its tools. A server of the same name that a project
# brings along is called otherwise, and is not ours.
OURS = "mcp__plugin_recollect_recollect__"
READING = ("recall", "search", "expand", "timeline", "status")
ALLOWED = (
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",'
    b'"permissionDecisionReason":"This tool of Recollect only reads the stored notes."}}\n'
)


def answer_to(raw: bytes) -> bytes:
    """What the client is told about the tool that it is about to call; mostly nothing."""
    found = members(raw, ("tool_name",))
    name = text_of(found.get("tool_name", b""))
    is_reading = name.startswith(OURS) and name.removeprefix(OURS) in READING
    return ALLOWED if is_reading and found.get("") == b"whole" else b""
