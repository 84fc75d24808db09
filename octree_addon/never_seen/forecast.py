"""Forecasts: what the buttons will take with the present settings, worked out while at rest.

Not with a distance: that takes a question of its own, which a panel does not ask.
"""

from collections import Counter
from time import perf_counter
from typing import NamedTuple

import bpy

from ...core import Running, Steps, run
from ..ui import schedule, settings_of, tag_redraw
from .copies import CopyOptions, planned_counts
from .safety import Kept, Safety, kept_steps
from .samples import Samples, get


class Forecast(NamedTuple):
    """What is kept, and what Delete in Copy would count."""

    kept: Kept
    copies: Counter[str]


class _Wish(NamedTuple):
    """Of what samples, by which settings."""

    samples: Samples
    safety: Safety
    options: CopyOptions


# By the session id of the scene: what was asked for last, and what was found.
_forecasts: dict[int, tuple[_Wish, Forecast | None]] = {}
_running: list[tuple[int, _Wish, Running[Forecast]]] = []
# Seconds: of rest after which the work begins, and of work at a time.
_REST, _SLICE = 0.2, 0.02


def forecast_of(context: bpy.types.Context) -> Forecast | None:
    """Return the forecast of the context's scene, or None and work it out soon."""
    wish = _wish_of(context.scene)
    if wish is None or wish.safety.distance > 0:
        return None
    uid = context.scene.session_uid
    known = _forecasts.get(uid)
    if known is None or known[0] != wish:
        _forecasts[uid] = wish, None
        if bpy.app.background:
            _forecasts[uid] = wish, _at_once(context, wish)
        else:
            schedule(work, None)
            schedule(work, _REST)
    return _forecasts[uid][1]


def _wish_of(scene: bpy.types.Scene) -> _Wish | None:
    found, settings = get(scene), settings_of(scene).never_seen
    if found is None:
        return None
    material = settings.material.name if settings.material else ""
    safety = Safety(settings.least, settings.rings, settings.distance, material)
    return _Wish(found, safety, CopyOptions(settings.modifiers, settings.whole, settings.rings))


def _steps(context: bpy.types.Context, wish: _Wish) -> Steps[Forecast]:
    kept = yield from kept_steps(context, wish.samples, wish.safety)
    tested = wish.samples.objects
    objects = [item for item in context.view_layer.objects if item.session_uid in tested]
    return Forecast(kept, planned_counts(context, objects, kept, wish.options))


def _at_once(context: bpy.types.Context, wish: _Wish) -> Forecast | None:
    try:
        return run(_steps(context, wish))
    except ValueError:  # as the buttons will say
        return None


def work() -> float | None:
    """Go on with the forecasts that windows wait for; return when there is more to do."""
    for window in bpy.context.window_manager.windows:
        uid = window.scene.session_uid
        wish, forecast = _forecasts.get(uid, (None, None))
        if wish is None or forecast is not None or wish != _wish_of(window.scene):
            continue
        with bpy.context.temp_override(window=window):
            if _work(bpy.context, uid, wish):
                return 0.0
    _running.clear()
    return None


def _work(context: bpy.types.Context, uid: int, wish: _Wish) -> bool:
    """Work for a while; tell whether there is more to do."""
    if not _running or _running[0][:2] != (uid, wish):
        _running[:] = [(uid, wish, Running(_steps(context, wish)))]
    deadline, running = perf_counter() + _SLICE, _running[0][2]
    try:
        while running.step() and perf_counter() < deadline:
            pass
    except ValueError:  # as the buttons will say
        return False
    if running.is_done:
        _forecasts[uid] = wish, running.result
        tag_redraw()
    return not running.is_done


def forget() -> None:
    """Leave nothing behind."""
    _forecasts.clear()
    _running.clear()
    schedule(work, None)
