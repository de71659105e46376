"""The sessions of seed 002, read as ours."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.summary import summary_text
from recollect.model.session import SessionState, is_old, state_of

OLD: dict[str, Any] = {
    "session_id": "session-20260110-091500-4f1a9c",
    "started": "2026-01-10T09:15:00.123456",
    "last_updated": "2026-01-10T11:00:00",
    "task": "Cache the catalogue",
    "status": "active",
    "files_modified": ["src/cache.py", ""],
    "decisions": [
        {"decision": "Use Redis", "rationale": "It is there", "alternatives": ["memcached"],
         "timestamp": "2026-01-10T09:20:00"},
        {"decision": "Expire after an hour"},
    ],
    "problems": [{"problem": "Stale prices", "solution": "Drop the key on save"},
                 {"problem": "Cold start", "solution": ""}],
    "notes": ["Ann knows the catalogue", {"note": "The queue is next", "timestamp": "x"}],
    "todos": ["Measure it", {"todo": "Tell Ann", "status": "completed"}],
}  # fmt: skip


def test_all_that_such_a_session_says_is_in_its_memory() -> None:
    text = summary_text(state_of(OLD), "m1", "en")
    for said in (
        "# Cache the catalogue",
        "created: 2026-01-10T09:15:00Z",
        "- [other] Use Redis: It is there (alternatives: memcached)",
        "- [other] Expire after an hour",
        "- [other] Stale prices → Drop the key on save: resolved",
        "- [other] Cold start: open",
        "- Ann knows the catalogue",
        "- The queue is next",
        "- [ ] Measure it",
        "- [x] Tell Ann",
        "`src/cache.py`",
    ):
        assert said in text, said


def test_our_own_states_are_none_of_them() -> None:
    assert is_old(OLD)
    assert not is_old(SessionState("s1", "claude").to_json())
    assert not is_old({"session_id": ""})


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(OLD, any_json)))
def test_whatever_is_in_such_a_file_nothing_is_raised(data: dict[str, Any]) -> None:
    state = state_of(data)
    assert summary_text(state, "m1", "zh")
    assert SessionState.from_json(state.to_json()) == state
