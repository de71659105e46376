"""Statements without a phrase that is known for them: weighed by their words, or held by what they say of themselves."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import extract, sentence_weights


def contents(prompt: str) -> list[str]:
    return [fact.content for fact in extract.facts_in_prompt(prompt)]


@pytest.mark.parametrize(
    "sentence",
    [
        "we don't want the retry flag, it would always be on and only hide what is wrong",
        "I don't think we need a reload policy, the default is just to block and ask the user",
        "we should call ours max_loans as well to be consistent",
        "We should remove the old importer and only use the API directly",
        "the default mode should be read only, otherwise the user has to ask for it",
        "I don't want any names of people to be in the project, use the list of members for that",
    ],
)
def test_a_statement_is_weighed_by_its_words(sentence: str) -> None:
    [found] = contents(sentence)
    assert found.casefold() in sentence.casefold()


def test_a_weight_does_not_depend_on_the_order_of_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    model = sentence_weights._Model(0.0, {"a": 0.1, "b": 0.2, "c": -0.3})
    monkeypatch.setattr(sentence_weights, "_model", lambda: model)
    sentence = sentence_weights.Sentence("tea", "tea", 0, 1, is_vague=False, has_reason=False)
    for order in permutations(model.weights):
        monkeypatch.setattr(sentence_weights, "features_of", lambda _, order=order: order)
        assert sentence_weights.keep_score(sentence) == sentence_weights.LEAST


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("you're in a vm so do not have access to docker. you can access its services on the host os - 192.0.2.7",
         "You're in a vm so do not have access to docker. You can access its services on the host os - 192.0.2.7"),
        ("you are running in a Linux container without a browser", "You are running in a Linux container without a browser"),
        ("你现在是在容器里运行，没有浏览器", "你现在是在容器里运行，没有浏览器"),
    ],
)  # fmt: skip
def test_what_an_agent_is_told_of_its_machine_is_kept(said: str, kept: str) -> None:
    assert contents(said) == [kept]
    assert contents("you're in a container, right?") == []


def test_specifically_is_no_part_of_a_statement() -> None:
    said = "Specifically we want the list of loans to only use the API, never the old importer"
    assert contents(said) == [f"W{said.partition('w')[2]}"]


def test_a_statement_is_kept_without_the_words_that_hang_it_on_another() -> None:
    said = "Assuming so, the list of loans should always be sorted by date"
    assert contents(said) == ["The list of loans should always be sorted by date"]


@pytest.mark.parametrize(
    "sentence",
    [
        "can you add a test for the parser of loans and run it once more?",
        "the button in the list of loans is still too far to the left on my screen",
        "fix the failing test in loans.py and show me what was wrong with it",
        "why does the search need two seconds when I open the second page?",
        "it should not be in the header but below the list of rooms instead",
        "thanks, that looks good, commit it and open a pull request please",
        "perhaps we should just remove the importer and only use the API directly",
        "I thought we no longer use the old importer, we just use the API",
        "the filters of loans are not working when I use the list, to be more precise, they are always reset",
        "when I tried to change it the default was used instead, and nothing is ever written, only the old one",
        "I would like the members to be able to search for all loans directly, and just use the default mode",
        "I'd like to continue to extend the desk with a rule for all loans, it should just be the default mode",
        "Let's make it so that the list of loans is never empty, and it should always use the default",
        "now let's use a common format for the loans of the desk",
        "I switched to agent mode finally",
        "Make the `loans list` command actually open the list, so the reader doesn't have to open it themselves",
        "The order of the fields is as you mention, the fee should be at the very end of the slip, no need to show it on the list",
        "We don't care about returned loans, create a task to update the `loans list` command to default to open loans only",
        "The due hook never actually worked, but I also think it's a weird scenario, so let's just remove that entirely",
        "I want to tell the reader that we found another card, so they can keep going with the old one",
        "Have enter or right arrow go to the loan view from the list, can have it just keep enter as the only mention in the footer",
        "Use sqlite to create a simple cache of fetched loans so we don't always have to ask the server",
        "The file should just be a list of loans and fees, in chronological order, with a summary at the end",
        "When the app loads it should always be filtered to this week and remove the search box",
        "Keep all we have as a page for the staff",
    ],
)
def test_a_task_is_no_statement(sentence: str) -> None:
    assert contents(sentence) == []


@given(st.text("абвгдежзиклмнопрстуфхцчшэюя ,.", max_size=200))
def test_a_language_that_the_model_does_not_know_gives_no_statement(text: str) -> None:
    assert contents(text) == []


@given(st.integers(0, 40), st.integers(1, 40), st.booleans(), st.booleans())
def test_no_form_and_no_place_make_a_statement_of_words_that_say_nothing(
    n: int, of: int, is_vague: bool, has_reason: bool
) -> None:
    text = "Qwx qwy `qwz` Qwu " * 6
    one = sentence_weights.Sentence(text, text, n, of, is_vague, has_reason)
    assert sentence_weights.keep_score(one) < sentence_weights.LEAST


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (
            (
                "We live in the desk package, so for future reference this is the command I have to run:\n\n"
                "make -C desk loans DAY=today\n\nkeep that in mind when I ask how to run things"
            ),
            (
                "We live in the desk package, so for future reference this is the command I have to run:"
                " `make -C desk loans DAY=today`"
            ),
        ),
        (
            "I told you that I run the review myself. Never do that again on your own.",
            "I told you that I run the review myself. Never do that again on your own",
        ),
        (
            "For future reference, our loans are counted on the desk machine.",
            "Our loans are counted on the desk machine",
        ),
        (
            "All that only the next tag has can go at once, maybe document this as learning.",
            "All that only the next tag has can go at once, maybe document this as learning",
        ),
        (
            "The desk runs on the other machine. Memorize the setup and ensure this never repeats.",
            "The desk runs on the other machine. Memorize the setup and ensure this never repeats",
        ),
        ("你刚才直接改了主分支。以后不要这样做。", "你刚才直接改了主分支。 以后不要这样做"),
    ],
)
def test_what_holds_from_now_on_is_kept_with_what_it_points_to(prompt: str, content: str) -> None:
    assert content in contents(prompt)


def test_what_a_browser_shows_of_an_error_is_no_rule() -> None:
    shown = "Console Error\n\nLoans must have unique keys so that the desk can tell them apart."
    rule = "Loans must have unique names."
    assert contents(f"{rule}\n\n{shown}") == [rule.rstrip(".")]
    assert contents(f"console error\n{rule}") == [rule.rstrip(".")]  # typed


def test_what_points_to_nothing_is_not_kept() -> None:
    assert contents("Don't do that again.") == []
    assert contents("Is that how it is done? Never do that again, is that clear?") == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("get rid of the late fees at the end and not leave them unused", []),
        ("get rid of the late fees completely", ["Get rid of the late fees completely"]),
        ("Use sqlite to make a list of the loans so we don't always have to ask the server", []),
        ("Use sqlite for the list of loans, always", ["Use sqlite for the list of loans, always"]),
    ],
)
def test_what_is_gone_for_good_is_a_statement_and_what_is_to_be_made_is_none(
    said: str, kept: list[str]
) -> None:
    assert contents(said) == kept
