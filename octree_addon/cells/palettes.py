"""The colors that cells are drawn in, one a shade: (s, 3)."""

import numpy as np
from numpy.typing import NDArray

# Viridis: even steps of lightness, also for the color-blind. Smith and van der Walt, "A Better
# Default Colormap for Matplotlib", SciPy 2015. The darkest eighth is left out: on the grey of the
# viewport it is not seen.
_ANCHORS = "472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725"
SHADES = 64


def _make_ramp() -> NDArray[np.float32]:
    anchors = np.array([tuple(bytes.fromhex(anchor)) for anchor in _ANCHORS.split()]) / 255
    steps = np.linspace(0, len(anchors) - 1, SHADES)
    channels = [np.interp(steps, np.arange(len(anchors)), channel) for channel in anchors.T]
    return np.stack(channels, axis=1).astype(np.float32)


RAMP = _make_ramp()
# What is out, in doubt, in. Told apart by the color-blind, too. Okabe and Ito, "Color Universal
# Design", 2008: reddish purple, orange, sky blue.
OUT, DOUBT, IN = (0.80, 0.47, 0.65), (0.90, 0.60, 0.0), (0.34, 0.71, 0.91)
# By what a question took a cell for: unvisited, outside, crossing, inside.
VERDICTS = np.array([(0.0, 0.0, 0.0), OUT, DOUBT, IN], np.float32)
