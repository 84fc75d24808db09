"""Panels drawn on paper: each property and operator that they name exists."""

from inspect import isfunction
from types import MethodType, SimpleNamespace
from typing import Any

import bpy


class Paper:
    """Stands in for a layout and for its rows and columns: what is put on it, and if greyed."""

    def __init__(self, lines=None, greyed=False, buttons=None):
        lines = [] if lines is None else lines
        buttons = [] if buttons is None else buttons
        self.__dict__.update(lines=lines, greyed=greyed, buttons=buttons)
        self.__dict__["operator_context"] = "INVOKE_DEFAULT"

    def __setattr__(self, name, value):
        if name == "enabled":
            self.__dict__["greyed"] = not value

    def column(self, **_):
        return Paper(self.lines, self.greyed, self.buttons)

    row = column
    split = column
    box = column

    def panel(self, _, **__):
        return self.column(), self.column()

    def separator(self, **_):
        pass

    def label(self, text="", icon="NONE", **_):
        self.lines.append((text, icon))

    def prop(self, group, name, **_):
        assert name in group.bl_rna.properties
        self.lines.append((name, "greyed" if self.greyed else "open"))

    def prop_search(self, group, name, owner, collection, **_):
        assert collection in owner.bl_rna.properties
        self.prop(group, name)

    def prop_enum(self, group, name, value, text=None):
        assert value in group.bl_rna.properties[name].enum_items
        self.lines.append((value, text))

    def menu(self, name, **_):
        assert name in dir(bpy.types)
        self.lines.append((name, "menu"))

    def progress(self, factor=0.0, text="", **_):
        assert 0 <= factor <= 1
        self.lines.append((text, "progress"))

    def popover(self, name, **_):
        assert name in dir(bpy.types)
        self.lines.append((name, "popover"))

    def template_list(self, kind, _, owner, collection, active_owner, active, **__):
        assert kind in dir(bpy.types)
        assert collection in owner.bl_rna.properties
        self.prop(active_owner, active)

    def operator(self, name, text=None, **_):
        module, function = name.split(".")
        assert function in dir(getattr(bpy.ops, module))
        self.lines.append((name, text))
        self.buttons.append(SimpleNamespace(name=name))
        return self.buttons[-1]


class Redo:
    """Stands in for an operator while its redo panel is drawn."""

    def __init__(self, operator: Any, layout: Paper) -> None:
        known = bpy.context.window_manager.operator_properties_last(operator.bl_idname)
        self.__dict__.update(
            operator=operator, layout=layout, properties=known, bl_rna=known.bl_rna
        )

    def __getattr__(self, name):
        if name in self.properties.bl_rna.properties:
            return getattr(self.properties, name)
        value = getattr(self.operator, name)
        if isinstance(value, property):
            return value.__get__(self)
        return MethodType(value, self) if isfunction(value) else value

    def __setattr__(self, name, value):
        setattr(self.properties, name, value)


def redo_panel(operator: Any) -> dict[str, str]:
    """Return the lines of an operator's redo panel."""
    paper = Paper()
    operator.draw(Redo(operator, paper), bpy.context)
    return dict(paper.lines)


def drawn(panel: Any, draw: str = "draw") -> dict[str, str]:
    """Return the lines of a panel: texts with their icons, properties and operators."""
    return dict(_paper_of(panel, draw).lines)


def said(panel: Any) -> list[tuple[str, Any]]:
    """Return the lines of a panel as they stand, also those that are there twice."""
    return _paper_of(panel, "draw").lines


def buttons(panel: Any) -> list[SimpleNamespace]:
    """Return the buttons of a panel: their names, and the options that they pass on."""
    return _paper_of(panel, "draw").buttons


def _paper_of(panel: Any, draw: str) -> Paper:
    paper = Paper()
    getattr(panel, draw)(SimpleNamespace(layout=paper), bpy.context)
    return paper
