"""Forecasts: what the buttons will take with the present settings, worked out while at rest.

Not with a distance: that takes a question of its own, which a panel does not ask.
"""

from collections import Counter
from contextlib import suppress
from typing import NamedTuple

import bpy

from ....core import Running, Steps, run
from ...hiding import hidden_counts, plan
from ...options import read
from ...scene_index import at_rest, rest_soon, revision, steps_in
from ...ui import SessionStore, settings_of, tag_redraw
from .copies import planned_counts
from .masks import masked_counts
from .safety import Kept, kept_steps
from .samples import Samples, get
from .settings import CopyOptions


class Forecast(NamedTuple):
    """What is kept, what Delete in Copy and Mask would count, and what Hide would hide.

    `stay` tells why other objects that are never seen would not be hidden, and how many.
    """

    kept: Kept
    copies: Counter[str]
    masked: Counter[str]
    hidden: int
    stay: Counter[str]


class _Wish(NamedTuple):
    """Of what samples, by which settings, and in which state of the scene."""

    samples: Samples
    options: CopyOptions
    icon: str
    protected: str
    shown: tuple[int, int]


class _Known(NamedTuple):
    """What was asked for last, and what was found: None where the buttons will refuse, too."""

    wish: _Wish
    is_done: bool
    forecast: Forecast | None


# By the session id of the scene.
_forecasts: SessionStore[_Known] = SessionStore()


def forecast_of(context: bpy.types.Context) -> Forecast | None:
    """Return the forecast of the context's scene, or None and work it out soon."""
    wish = _wish_of(context.scene)
    if wish is None or wish.options.distance > 0:
        return None
    key = (context.scene.session_uid,)
    if key not in _forecasts or _forecasts[key].wish != wish:
        _forecasts[key] = _Known(wish, False, None)
        if bpy.app.background:
            run(_work_out(context.window, wish))
        else:
            rest_soon()
    return _forecasts[key].forecast


def _wish_of(scene: bpy.types.Scene) -> _Wish | None:
    found = get(scene)
    if found is None:
        return None
    options = read(settings_of(scene).never_seen, CopyOptions)
    hiding = settings_of(scene).hiding
    protected = hiding.protect.name if hiding.protect else ""
    shown = revision(), sum(hidden_counts(scene).values())
    return _Wish(found, options, hiding.icon, protected, shown)


def _steps(context: bpy.types.Context, wish: _Wish) -> Steps[Forecast]:
    kept = yield from kept_steps(context, wish.samples, wish.options)
    tested = wish.samples.objects
    objects = [item for item in context.view_layer.objects if item.session_uid in tested]
    hiding = plan(context, kept.subjects.among(context.scene.objects), wish.icon)
    return Forecast(
        kept,
        planned_counts(context, objects, kept, wish.options),
        masked_counts(objects, kept.meshes),
        len(hiding.objects),
        hiding.left,
    )


@at_rest
def unknown_forecast() -> Steps[None] | None:
    """Return how to work out what a window waits for, if any does."""
    for window in bpy.context.window_manager.windows:
        known = _forecasts.get((window.scene.session_uid,))
        if known and not known.is_done and known.wish == _wish_of(window.scene):
            return _work_out(window, known.wish)
    return None


def _work_out(window: bpy.types.Window, wish: _Wish) -> Steps[None]:
    """Work a forecast out in a window, as long as it is wished."""
    key, forecast = (window.scene.session_uid,), None
    with suppress(ValueError):
        running = Running(steps_in(window, _steps(bpy.context, wish)))
        while running.step():
            yield running.value
            known = _forecasts.get(key)
            if known is None or known.wish is not wish:
                return
        forecast = running.result
    _forecasts[key] = _Known(wish, True, forecast)
    tag_redraw()
