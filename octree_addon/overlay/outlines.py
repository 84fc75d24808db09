"""The outline of what is asked about, and of a camera's view, drawn as lines."""

from ..questions import Outline
from .lines import blended, line_batch, line_shader

_WIDTH = 2.0  # pixels
_COLOR = (1.0, 1.0, 1.0, 0.8)


def draw_outline(outline: Outline) -> None:
    """Draw the lines behind what hides them."""
    with blended(in_front=False):
        shader = line_shader(_WIDTH)
        shader.uniform_float("color", _COLOR)
        line_batch(*outline).draw(shader)
