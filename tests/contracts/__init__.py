"""One suite for each port; every adapter and every fake inherits it."""

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite(
    *(f"{__name__}.{port}" for port in ("store", "journal", "index", "embedder"))
)

# A law that several classes inherit is run by each of them, one after the other.
inherited = settings(
    suppress_health_check=[
        HealthCheck.differing_executors,
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ]
)
