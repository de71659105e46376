"""Command line: completing ids and settings in a shell."""

from __future__ import annotations

import click

MOST = 50


def complete_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The ids that start like this; none rather than an error."""
    from recollect.app import App
    from recollect.domain.model import Filter

    app = App(ctx.find_root().params.get("folder"))
    try:
        found = (e.id for store in app.stores() for e in store.index.entries(Filter()))
        return [name for name in found if name.startswith(incomplete)][:MOST]
    except Exception:  # noqa: BLE001 - a shell asks while somebody types
        return []
    finally:
        app.close()


def complete_settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The settings that start like this."""
    from recollect.app import settings

    return [name for name in settings.names() if name.startswith(incomplete)]
