"""Translations of labels, a file for each language, for `bpy.app.translations`.

Tooltips and reports stay English, and so do the names of objects and files.
"""

import bpy

from ..ui import OWN_WORDS
from . import chinese, german

LANGUAGES = {"de_DE": german, "zh_HANS": chinese}
# By locale, then by context and English text. Where Blender has a text in a context, its own word
# wins, whatever we say: so some labels have a context that it does not know.
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
    """Let Blender translate the labels."""
    bpy.app.translations.register(__package__, TABLES)


def unregister() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__package__)
