"""Cached GPU data: cells as instanced boxes; found and missed items of answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial

import bpy
import gpu
import numpy as np

from ...core import Octree, Triangles
from .. import questions
from ..arrays import Ids
from ..built_tree import BuiltTree
from ..preferences import Color, colors, limits
from ..questions import Query
from ..snapshots import SceneTarget
from .boxes import DrawnBoxes, draw_boxes, upload
from .cells import Look, cell_colors, look_of, wanted_cells
from .detail import DetailView, Family, family_of, ranges, view_of
from .layers import Redraw, keep_uploads, upload_of, uploaded
from .lines import DepthTest, blended, draw_plain, triangle_batch
from .settings import OctreeDisplaySettings
from .visible import visible_objects

OPACITY = 0.5
# Factors of opacity for lines behind surfaces, and for cells beside an answer.
_BEHIND, _DIMMED = 0.2, 0.25
# Depth offset in clip space (-1 to 1): more than rounding errors, too small to be visible.
_NEARER = 1e-5
# Backgrounds lighter than the first are bright, unlike those of Blender's themes; colors are
# darkened on them, and lightened on others.
_BRIGHT, _DARKER, _LIGHTER = 0.55, -0.45, 0.35
_BOX_WIDTH = 2.0


@dataclass(frozen=True, eq=False)
class CellPicture:
    """The cells of an octree on the graphics card, and the state that they depend on."""

    octree: Octree
    query: Query | None
    look: Look
    family: Family
    boxes: DrawnBoxes | None

    @cached_property
    def wanted(self) -> int:
        """Number of wanted cells, without their ancestors."""
        return int(np.count_nonzero(self.family.wanted))

    def shows(self, octree: Octree, query: Query | None, look: Look) -> bool:
        """Return whether the picture is of this octree, question and look."""
        # Compared by identity: octrees with equal options compare equal.
        return self.octree is octree and self.query is query and self.look == look


@dataclass(frozen=True, eq=False)
class Painted:
    """Items in a single color on the graphics card: triangles or boxes."""

    color: Color
    faces: gpu.types.GPUBatch | None = None
    boxes: DrawnBoxes | None = None


# Number of cached uploads, for 3D views that hide different objects.
_VIEWS = 4


@dataclass(frozen=True, eq=False)
class Paint:
    """Items of a target in a single color, filtered by the visible objects of a 3D view.

    Attributes
    ----------
    target : SceneTarget
        The target that holds the items.
    numbers : ndarray of intp, shape (n,)
        Numbers of the items, sorted.
    color : tuple of float
        Color of the items.
    most : int
        Largest number of triangles to draw; beyond it, boxes around the placements are drawn.
    """

    target: SceneTarget
    numbers: Ids
    color: Color
    most: int
    _shown: dict[frozenset[int], Painted] = field(default_factory=dict)
    _uploaded: dict[frozenset[int], Painted] = field(default_factory=dict)

    def shown(self, visible: frozenset[int]) -> Painted:
        """Return the items of the objects with these session ids, uploaded if necessary."""
        painted = self._shown.get(visible)
        if painted is None:
            hidden = self._owners - visible
            painted = self._uploaded.get(hidden) or self._upload(hidden)
            for known, key in ((self._shown, visible), (self._uploaded, hidden)):
                if len(known) >= _VIEWS:
                    del known[next(iter(known))]
                known[key] = painted
        return painted

    @cached_property
    def _owners(self) -> frozenset[int]:
        return frozenset(self.target.owners[self._placements].tolist())

    @property
    def _placements(self) -> Ids:
        return self.target.placements_of(self.numbers)

    def _upload(self, hidden: frozenset[int]) -> Painted:
        numbers = self.numbers
        if hidden:
            owners = self.target.owners[self._placements]
            numbers = numbers[~np.isin(owners, list(hidden))]
        return paint_items(self.target, numbers, self.color, self.most)


def draw_tree(redraw: Redraw) -> None:
    """Draw the cells of the scene's octree, or those that the last question visited."""
    built, query, display = redraw.built, redraw.query, redraw.settings.display
    if built is None:
        keep_uploads("cells", redraw.scene, ())
        return
    by_question = display.cells == "QUESTION"
    if not display.show or (by_question and not redraw.is_current):
        return
    picture = picture_of(redraw.scene, built, query, display)
    is_dimmed = query is not None and not by_question and redraw.settings.answer.dim
    is_dimmed = is_dimmed and not questions.is_before_tree(redraw.scene)
    draw_picture(picture, display, is_dimmed=is_dimmed)


def picture_of(
    scene: bpy.types.Scene,
    built: BuiltTree,
    query: Query | None,
    display: OctreeDisplaySettings,
) -> CellPicture:
    """Return the cached cells of the octree, or those with the states of the last question."""
    octree, look = built.octree, look_of(display)
    asked = query if look.cells == "QUESTION" else None
    return uploaded(
        ("cells", scene.session_uid),
        lambda known: known.shows(octree, asked, look),
        lambda: make_picture(octree, asked, look),
    )


def make_picture(octree: Octree, query: Query | None, look: Look) -> CellPicture:
    """Select cells, and upload them with their ancestors."""
    states = query.states_in(octree) if query else None
    family = family_of(octree, wanted_cells(octree, look, states), look.boxes)
    colors = cell_colors(octree, family.cells, look, states)
    uploaded = upload(family.rows, colors, family.parents, family.wanted, family.has_finer)
    return CellPicture(octree, query, look, family, uploaded)


def draw_picture(picture: CellPicture, display: OctreeDisplaySettings, *, is_dimmed: bool) -> None:
    """Draw cells: in front of everything, or fainter where surfaces hide them."""
    if picture.boxes is None:
        return
    view, least = current_view(), least_pixels(display)
    parts = ranges(picture.family, view, least)
    opacity = display.opacity * (_DIMMED if is_dimmed else 1.0)
    passes: list[tuple[DepthTest, float]] = [
        ("LESS_EQUAL", opacity),
        ("GREATER", opacity * _BEHIND),
    ]
    if display.in_front:
        passes = [("NONE", opacity)]
    elif is_dimmed or not display.behind:
        passes = passes[:1]
    for depth_test, visible in passes:
        with blended(depth_test):
            draw_boxes(
                picture.boxes,
                visible,
                display.line_width,
                lift=lift(),
                view=view,
                least=least,
                ranges=parts,
            )


def least_pixels(display: OctreeDisplaySettings) -> float:
    """Return the smallest size at which a cell is drawn, in pixels of the screen."""
    scale: float = bpy.context.preferences.system.ui_scale
    return display.least_size * scale


def current_view() -> DetailView:
    """Return the view of the current drawing."""
    matrices = gpu.matrix.get_model_view_matrix(), gpu.matrix.get_projection_matrix()
    model_view, projection = map(np.array, matrices)
    return view_of(model_view, projection, gpu.state.viewport_get()[3])


def lift() -> float:
    """Return the change of lightness that makes colors stand out from the theme's background."""
    background = bpy.context.preferences.themes[0].view_3d.space.gradients.high_gradient
    return _DARKER if sum(background[:3]) / 3 > _BRIGHT else _LIGHTER


def shown_picture(scene: bpy.types.Scene) -> CellPicture | None:
    """Return the cells of a scene's octree as drawn last; None if they were never drawn."""
    picture: CellPicture | None = upload_of(("cells", scene.session_uid))
    return picture


def paint_items(target: SceneTarget, numbers: Ids, color: Color, most: int) -> Painted:
    """Upload items of a target, sorted; for more than `most`, boxes around their placements."""
    if not len(numbers):
        return Painted(color)
    shapes = target.shapes_of(numbers, most)
    if isinstance(shapes, Triangles):
        return Painted(color, faces=triangle_batch(shapes.vertices, shapes.faces))
    rows = shapes.bounds().rows.astype(np.float32)
    return Painted(color, boxes=upload(rows, np.full((len(shapes), 3), color, np.float32)))


def draw_found(
    scene: bpy.types.Scene,
    query: Query,
    in_front: bool,
    *,
    with_missed: bool,
    strength: float = 1.0,
) -> None:
    """Draw found and missed items on their own surfaces; `strength` is a factor of opacity."""
    chosen, shown = colors(), []
    if with_missed:
        missed = partial(np.flatnonzero, query.missed)
        shown.append(_paint(scene, "missed", query, missed, chosen.missed))
    shown.append(_paint(scene, "found", query, lambda: query.whole_items, chosen.found))
    for each in shown:
        draw_paint(each, in_front, strength)


def _paint(
    scene: bpy.types.Scene, name: str, query: Query, numbers: Callable[[], Ids], color: Color
) -> Paint:
    """Return the cached items of a question; make them again if question or color changed."""
    return uploaded(
        (name, scene.session_uid),
        lambda known: known.target is query.target and known.color == color,
        lambda: Paint(query.target, numbers(), color, limits().triangles),
    )


def draw_paint(paint: Paint, in_front: bool, strength: float = 1.0) -> None:
    """Draw the visible items on their own surfaces; `strength` is a factor of opacity."""
    with blended("NONE" if in_front else "LESS_EQUAL"), nearer():
        draw_painted(paint.shown(visible_objects()), strength)


def draw_painted(painted: Painted, strength: float = 1.0) -> None:
    """Draw items in their color; `strength` is a factor of opacity."""
    if painted.boxes is not None:
        draw_boxes(painted.boxes, strength, _BOX_WIDTH)
    if painted.faces is not None:
        draw_plain(painted.faces, (*painted.color, OPACITY * strength))


@contextmanager
def nearer() -> Iterator[None]:
    """Draw slightly nearer to the eye, so that coplanar surfaces do not show through."""
    projection = gpu.matrix.get_projection_matrix()
    projection[2] -= _NEARER * projection[3]
    with gpu.matrix.push_pop_projection():
        gpu.matrix.load_projection_matrix(projection)
        yield
