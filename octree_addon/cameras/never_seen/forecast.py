"""Forecasts: the effects of the buttons with the present settings, computed by an idle task.

There is no forecast for a distance greater than 0, since this needs a query that is too slow for a
panel.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import bpy

from ....core import Running, Steps, run
from ...hiding import hidden_counts, plan
from ...options import read
from ...scene_index import Version, at_rest, rest_soon, steps_in, version_of
from ...ui import SessionStore, settings_of, tag_redraw
from .copies import planned_counts
from .masks import masked_counts
from .safety import Kept, kept_steps
from .samples import Samples, get
from .settings import CopyOptions


class Forecast(NamedTuple):
    """Kept objects and faces, the counts of Delete in Copy and Mask, and the count of Hide.

    `stay` counts the never-seen objects that Hide would leave visible, by reason.
    """

    kept: Kept
    copies: Counter[str]
    masked: Counter[str]
    hidden: int
    stay: Counter[str]


class _Wish(NamedTuple):
    """Input of a forecast: samples, settings, and the number of hidden objects."""

    samples: Samples
    options: CopyOptions
    icon: str
    protected: str
    hidden: int


class _Known(NamedTuple):
    """The last requested forecast, with its input.

    `forecast` is None if it is not computed yet, or if the buttons would fail, too.
    """

    wish: _Wish
    version: Version
    is_done: bool
    forecast: Forecast | None


# Forecasts by session id of the scene.
_forecasts: SessionStore[_Known] = SessionStore()


def forecast_of(context: bpy.types.Context) -> Forecast | None:
    """Return the forecast of the context's scene; if unknown, return None and request it."""
    wish = _wish_of(context.scene)
    if wish is None or wish.options.distance > 0:
        return None
    key = (context.scene.session_uid,)
    if not _is_current(context.scene, _forecasts.get(key), wish):
        version = replace(version_of(context.scene), own=True)
        _forecasts[key] = _Known(wish, version, False, None)
        if bpy.app.background:
            run(_work_out(context.window, _forecasts[key]))
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
    hidden = sum(hidden_counts(scene).values())
    return _Wish(found, options, hiding.icon, protected, hidden)


def _is_current(scene: bpy.types.Scene, known: _Known | None, wish: _Wish | None) -> bool:
    return known is not None and known.wish == wish and known.version.is_same(scene)


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
    """Return the steps of a forecast that a window waits for; None if no window does."""
    for window in bpy.context.window_manager.windows:
        known = _forecasts.get((window.scene.session_uid,))
        if known and not known.is_done and known.wish == _wish_of(window.scene):
            return _work_out(window, known)
    return None


def _work_out(window: bpy.types.Window, asked: _Known) -> Steps[None]:
    """Compute a forecast in a window; stop if the request has been replaced."""
    key, forecast = (window.scene.session_uid,), None
    with suppress(ValueError):
        running = Running(steps_in(window, _steps(bpy.context, asked.wish)))
        while running.step():
            yield running.value
            if _forecasts.get(key) is not asked:
                return
        forecast = running.result
    _forecasts[key] = asked._replace(is_done=True, forecast=forecast)
    tag_redraw()
