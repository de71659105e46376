"""Our named tuples are as those of the standard library."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from recollect._fastimport import NamedTuple


class Stop(NamedTuple):
    """A stop of a train."""

    town: str
    minutes: int = 2
    names: tuple[str, ...] = ()

    @property
    def is_short(self) -> bool:
        """Whether nobody gets off."""
        return self.minutes < 3

    @classmethod
    def at_night(cls, town: str) -> Stop:
        """A stop that takes longer."""
        return cls(town, 9)

    @staticmethod
    def unit() -> str:
        """What the time is in."""
        return "min"


class Theirs(typing.NamedTuple):
    """A stop of a train."""

    town: str
    minutes: int = 2
    names: tuple[str, ...] = ()


def test_what_it_knows_of_itself_is_the_same() -> None:
    for of in ("_fields", "_field_defaults", "__doc__", "__match_args__", "__module__"):
        assert getattr(Stop, of) == getattr(Theirs, of), of
    assert typing.get_type_hints(Stop) == typing.get_type_hints(Theirs)
    assert Stop.__mro__[1:] == Theirs.__mro__[1:]


def test_values_are_tuples_with_names() -> None:
    stop = Stop("Bern", names=("Berne",))
    assert (stop.town, stop.minutes) == ("Bern", 2)
    assert stop._replace(minutes=5).minutes == 5
    assert repr(Stop("Bern")) == "Stop(town='Bern', minutes=2, names=())"
    assert pickle.loads(pickle.dumps(stop)) == stop
    assert stop == ("Bern", 2, ("Berne",))


def test_methods_come_along() -> None:
    assert Stop("Bern").is_short
    assert not Stop.at_night("Bern").is_short
    assert Stop.unit() == "min"


def test_it_is_copied_listed_and_made_of_a_row_as_theirs_is() -> None:
    ours, theirs = Stop("Bern", 3), Theirs("Bern", 3)
    assert ours._asdict() == theirs._asdict()
    assert Stop._make([*theirs]) == ours == copy.deepcopy(ours)
    assert tuple(ours._replace(names=("Berne",))) == tuple(theirs._replace(names=("Berne",)))
    assert repr(ours) == repr(theirs).replace("Theirs", "Stop")
    assert Stop(*ours) == Stop(town="Bern", minutes=3) == Stop(**ours._asdict())
    for values in (("Bern",), ("Bern", 1, (), 4)):
        with pytest.raises(TypeError, match=f"Expected 3 arguments, got {len(values)}"):
            Stop._make(values)
    with pytest.raises(TypeError, match=r"unexpected field names: \['name'\]"):
        ours._replace(name="Basel")  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        ours.town = "Basel"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        ours.platform = 4  # type: ignore[attr-defined]


def test_a_field_without_a_default_does_not_stand_behind_one_with_it() -> None:
    with pytest.raises(TypeError, match="Wrong"):

        class Wrong(NamedTuple):
            town: str = "Bern"
            minutes: int  # type: ignore[misc]


def test_words_that_are_missing_or_too_many_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Stop.__new__\(\) missing .* 'town'"):
        Stop()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Stop("Bern", 1, (), 4)  # type: ignore[call-arg]
