"""Translations of labels, a file for each language, for `bpy.app.translations`.

Tooltips and reports stay English, and so do the names of objects and files.
"""

import bpy

from ..ui import OWN_WORDS
from . import chinese, german

LANGUAGES = {"de_DE": german, "zh_HANS": chinese}
# By locale, then by context and English text. Blender's own translation of a text in a context
# takes precedence, so some labels have a context that Blender does not know.
TABLES = {
    locale: {
        (context, label): text
        for context in (OWN_WORDS, "Operator")
        for label, text in language.OPERATORS.items()
    }
    | {
        (context, label): text
        for context in ("*", OWN_WORDS)
        for label, text in language.LABELS.items()
    }
    for locale, language in LANGUAGES.items()
}


def register() -> None:
    """Register the translations of labels in Blender."""
    bpy.app.translations.register(__package__, TABLES)


def unregister() -> None:
    """Unregister the translations."""
    bpy.app.translations.unregister(__package__)
