"""The labels of operators, panels, menus and settings, and whether each is translated."""

import ast
from pathlib import Path

import bpy
import pytest
from registered import SHOWN

import octree_ext
from octree_ext.octree_addon import CLASSES, translations
from octree_ext.octree_addon.ui import OWN_WORDS

SOURCES = Path(octree_ext.__file__).parent / "octree_addon"
TABLES = translations.TABLES


def labels():
    """Return every label that Blender may show, with its context."""
    for group in SHOWN:
        yield from labels_of(group.bl_rna)
    for each in CLASSES:
        if issubclass(each, bpy.types.Operator):
            yield "Operator", each.bl_label
            module, name = each.bl_idname.split(".")
            yield from labels_of(getattr(getattr(bpy.ops, module), name).get_rna_type())
        elif hasattr(each, "bl_label"):
            yield "*", each.bl_label
        elif issubclass(each, bpy.types.AddonPreferences):
            yield from labels_of(each.bl_rna)


def labels_of(rna):
    for item in rna.properties:
        if item.identifier in ("rna_type", "name", "bl_idname", "remove_name", "remove_active"):
            continue
        # What has no name of its own is shown nowhere.
        if not item.is_hidden and item.name != item.identifier:
            yield item.translation_context, item.name
            if item.type == "ENUM":
                context = item.translation_context
                yield from ((context, choice.name) for choice in item.enum_items)


def texts():
    """Return the texts that layouts are given in the code, with their contexts."""
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                for keyword in node.keywords:
                    given = getattr(keyword.value, "value", None)
                    if keyword.arg in ("text", "heading") and isinstance(given, str) and given:
                        yield "Operator" if node.func.attr == "operator" else "*", given
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Hint":
                given = getattr(node.args[1], "value", None)
                if isinstance(given, str):
                    yield "Operator", given


@pytest.mark.parametrize("locale", TABLES)
def test_every_label_is_translated(locale):
    missing = {*labels(), *texts()} - TABLES[locale].keys()
    assert missing == set()
    assert all(text == text.strip() != "" for text in TABLES[locale].values())


@pytest.mark.parametrize("part", ["OPERATORS", "LABELS"])
def test_languages_have_the_same_labels_in_alphabetical_order(part):
    each = [list(getattr(language, part)) for language in translations.LANGUAGES.values()]
    in_order = sorted(each[0], key=lambda label: (label.lower(), label))
    assert all(labels == in_order for labels in each)


def test_what_blender_means_otherwise_has_a_context_of_our_own():
    """In German "Current" was "Current Scene", "Triangles" was "to triangulate"."""
    wanted = {"Current", "Triangles", "Box", "Nearest", "Duplicate", "Lights"}
    assert not wanted & {label for context, label in labels() if context == "*"}
    assert wanted <= {label for context, label in labels() if context == OWN_WORDS}


def test_german_fits_where_english_does():
    german = translations.LANGUAGES["de_DE"]
    assert all(len(text) <= 32 for text in german.OPERATORS.values())
    for label, text in german.LABELS.items():
        assert len(text) <= max(len(label) + 9, 16), text


def test_chinese_is_chinese():
    assert all(any(ord(sign) > 0x3000 for sign in text) for text in TABLES["zh_HANS"].values())
    assert not any(any(ord(sign) > 0x3000 for sign in text) for text in TABLES["de_DE"].values())
