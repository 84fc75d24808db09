"""The hues of answers, rows and the probe, seen by the color-blind: CIE distances in Lab."""

from itertools import combinations

import numpy as np
import pytest

from octree_ext.octree_addon.preferences import Colors

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", 2009: dichromats, in linear RGB.
SIGHTS = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)
# One glance tells colors apart that are ten times as far as the least that anybody sees.
LEAST = 23.0


def lab(color, sight):
    """Return a color of sRGB in CIE Lab, as somebody with this sight has it."""
    color = np.asarray(color)
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(sight) @ linear, 0, 1)
    part = TO_XYZ @ seen / WHITE
    x, y, z = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
def test_what_stands_together_is_told_apart(sight):
    chosen = Colors()
    seen = [lab(each, SIGHTS[sight]) for each in (chosen.found, *chosen.pair, chosen.probe)]
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(one - other) > LEAST


def test_an_answer_and_its_rest_are_told_apart():
    found, missed = (lab(each, np.eye(3)) for each in (Colors.found, Colors.missed))
    assert np.linalg.norm(found - missed) > LEAST
