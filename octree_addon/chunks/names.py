"""Names valid in every file system: none reserved, none that differ only by case."""

import unicodedata

_FORBIDDEN = frozenset('<>:"/\\|?*%')
_RESERVED = frozenset(
    ("CON", "PRN", "AUX", "NUL", *(f"{kind}{n}" for kind in ("COM", "LPT") for n in range(10)))
)
# Bytes of a name that all supported versions of Blender store, and bytes reserved for a number.
_MOST, _NUMBER = 63, 6


def safe_name(text: str, ending: str, taken: set[str]) -> str:
    """Return a file name made of a text and an ending, and add it to `taken`.

    Parameters
    ----------
    text : str
        Name of an object, for example. Characters that file systems reject become underscores.
    ending : str
        Appended unchanged.
    taken : set of str
        Case-folded names in use. If the name is among them, it gets a number.
    """
    plain = "".join(
        "_" if each in _FORBIDDEN or unicodedata.category(each).startswith("C") else each
        for each in unicodedata.normalize("NFC", text)
    ).strip(". ")
    if plain.partition(".")[0].upper() in _RESERVED or not plain:
        plain = f"_{plain}"
    room = _MOST - _NUMBER - len(ending.encode())
    plain = plain.encode()[:room].decode("utf-8", "ignore").rstrip(". ")
    name, number = f"{plain}{ending}", 1
    while name.casefold() in taken:
        number += 1
        name = f"{plain}~{number}{ending}"
    taken.add(name.casefold())
    return name
