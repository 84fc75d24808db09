"""Names that every file system takes: no reserved ones, no two that differ by case alone."""

import unicodedata

_FORBIDDEN = frozenset('<>:"/\\|?*%')
_RESERVED = frozenset(
    ("CON", "PRN", "AUX", "NUL", *(f"{kind}{n}" for kind in ("COM", "LPT") for n in range(10)))
)
# Bytes that Blender keeps of a name, in all supported versions; and what is left for a number.
_MOST, _NUMBER = 63, 6


def safe_name(text: str, ending: str, taken: set[str]) -> str:
    """Return a name made of a text and an ending, and note that it is taken.

    Parameters
    ----------
    text : str
        Such as the name of an object. What file systems do not take becomes an underscore.
    ending : str
        What follows it, as it is.
    taken : set of str
        Names in lower case that are taken; of equal ones the later gets a number.
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
