"""Panels drawn on a ruler: what a text needs in the font of Blender, and what its place has.

A row gives icons what they need, and all else equal shares of the rest, whatever it says; a column
gives each the whole width.
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import blf
import bpy

# Pixels at a scale of 1: an icon, the margins of a text, the arrow of a menu, a sidebar's content.
ICON, MARGIN, ARROW, SIDEBAR = 20, 6, 12, 236
_NAMES = 0.4  # of a row with a name before its value
# The size of texts in panels.
_POINTS = 11

Translate = Callable[[str, str], str]


class Ruler:
    """Stands in for a layout: remembers what is put on it, and how wide that has to be."""

    def __init__(self, translate: Translate, kind="column", factor=0.0, parent=None) -> None:
        self.__dict__.update(
            translate=translate, kind=kind, factor=factor, parts=[], operator_context="",
            use_property_split=parent is not None and parent.use_property_split,
        )  # fmt: skip

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def _part(self, kind, factor=0.0):
        part = Ruler(self.translate, kind, factor, self)
        self.parts.append(part)
        return part

    def column(self, heading="", **_):
        part = self._part("column")
        if heading:
            part._add(heading, share=_NAMES)
        return part

    def row(self, heading="", **_):
        return self._part("row")

    def box(self):
        return self._part("column")

    def split(self, factor=0.0, **_):
        return self._part("split", factor)

    def panel(self, _, **__):
        return self._part("row"), self._part("column")

    def separator(self, **_):
        pass

    def _add(self, text, icon="NONE", *, context="*", translate=True, more=0, share=1.0):
        said = self.translate(text, context) if text and translate else text or ""
        width = text_width(said) + MARGIN if said else 0
        width += ICON if icon not in ("NONE", "") else 0
        self.parts.append((said, (width + more) / share))

    def label(self, text="", icon="NONE", translate=True, **_):
        self._add(text, icon, translate=translate)

    def operator(self, name, text=None, icon="NONE", translate=True, **_):
        module, function = name.split(".")
        label = getattr(getattr(bpy.ops, module), function).get_rna_type().name
        said = label if text is None else text
        self._add(said, icon, context="Operator", translate=translate)
        return SimpleNamespace()

    def popover(self, *_, text="", icon="NONE", **__):
        self._add(text, icon)

    menu = popover

    def progress(self, factor=0.0, text="", **_):
        self._add(text, translate=False)

    def template_list(self, *_, **__):
        pass

    def prop_enum(self, group, name, value, text=None):
        item = group.bl_rna.properties[name].enum_items[value]
        self._add(item.name if text is None else text)

    def prop_search(self, group, name, *_, **options):
        self.prop(group, name, **options)

    def prop(self, group, name, text=None, expand=False, toggle=False, icon="NONE", **options):
        known = group.bl_rna.properties[name]
        said = known.name if text is None else text
        if known.type == "ENUM" and expand:
            row = self._part("row")
            for item in known.enum_items:
                row._add("" if options.get("icon_only") else item.name, item.icon)
        elif known.type == "ENUM":
            chosen = known.enum_items[getattr(group, name)] if known.enum_items else None
            self._named(said, chosen.name if chosen else "", ARROW, options.get("icon_only"))
        elif known.type == "BOOLEAN" and not toggle and icon == "NONE":
            self._add(said, more=ICON, share=1 - _NAMES if self.use_property_split else 1.0)
        elif known.type == "BOOLEAN":
            self._add(said, icon)
        else:
            self._named(said, "", 0, None)

    def _named(self, name, value, more, icon_only):
        """Put a name before a value, or a value alone, which says what it is."""
        if icon_only:
            self.parts.append(("", ICON + more))
        elif name and self.use_property_split:
            self._add(name, share=_NAMES)
            self.parts[-1] = self.parts[-1][0], self.parts[-1][1]
            row = Ruler(self.translate)
            row._add(value, more=more, share=1 - _NAMES)
            self.parts[-1] = (f"{self.parts[-1][0]}: {row.parts[0][0]}",
                              max(self.parts[-1][1], row.parts[0][1]))  # fmt: skip
        else:
            self._add(value or name, more=more)


def text_width(text: str) -> float:
    """Return how wide a text is, in pixels at a scale of 1."""
    blf.size(0, _POINTS)
    return float(blf.dimensions(0, text)[0])


def need_of(part: Any) -> float:
    """Return how wide the place of a part has to be for all of it to be read."""
    if isinstance(part, tuple):
        return float(part[1])
    needs = [need_of(each) for each in part.parts]
    if part.kind == "row":
        leaves = list(_leaves(part))
        words = [width for text, width in leaves if text]
        return sum(width for text, width in leaves if not text) + len(words) * max(
            words, default=0
        )
    if part.kind == "split" and needs:
        first = part.factor or 1 / len(needs)
        rest = (1 - first) / max(len(needs) - 1, 1)
        return max(needs[0] / first, *(each / rest for each in needs[1:]), 0)
    return max(needs, default=0.0)


def _leaves(part: Any) -> Iterator[tuple[str, float]]:
    """Yield what stands beside each other in a row: texts, and how wide each has to be."""
    for each in part.parts:
        if isinstance(each, tuple):
            yield each
        elif each.kind == "row":
            yield from _leaves(each)
        elif each.parts:
            yield texts_of(each), need_of(each)


def texts_of(part: Any) -> str:
    """Return all texts of a part."""
    if isinstance(part, tuple):
        return str(part[0])
    return " | ".join(texts_of(each) for each in part.parts)


def too_wide(panel: Any, room: float, translate: Translate, draw="draw") -> Iterator[str]:
    """Yield the lines of a panel that have less room than they need."""
    sheet = Ruler(translate)
    getattr(panel, draw)(SimpleNamespace(layout=sheet), bpy.context)
    for line in _lines(sheet):
        if need_of(line) > room:
            yield f"{need_of(line):.0f} > {room:.0f}: {texts_of(line)}"


def _lines(part: Any) -> Iterator[Any]:
    """Yield what stands in lines of its own."""
    if isinstance(part, tuple) or part.kind != "column":
        yield part
        return
    for each in part.parts:
        yield from _lines(each)
