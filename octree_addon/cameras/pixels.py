"""Visibility of a shot by item buffers: pixels by object or instance, camera and frame."""

from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np

from ...core import Running, Steps, Visibility, between, visibility_steps
from ..answers.hints import instances_text
from ..arrays import Flags, Ids
from ..camera import CameraPicture, camera_picture, picture_size
from ..item_buffer import Recorder
from ..scene_index import SceneIndex, index_steps
from ..ui import ChangedMeanwhileError
from .frames import frame_steps
from .frusta import cameras_of
from .label_store import LabelStore
from .render_roles import not_counted
from .seen_items import ItemNumbers, items_of
from .shot import Shot
from .shown_scene import Shown, ShownScene
from .table import Items, LabelPicture, Pixels, SeenTable, Views, table_from_views
from .visibility_result import PixelFacts, VisibilityResult


@dataclass(frozen=True)
class PixelOptions:
    """Options for counting pixels.

    Attributes
    ----------
    share : float
        Resolution as a fraction of the render's, along each side.
    samples : int
        Samples per pixel along each axis (4 = 16 samples).
    least : float
        Number of pixels below which an object counts as too small to be seen.
    open_faces : bool
        True if faces of transparent materials are left out.
    """

    share: float = 1.0
    samples: int = 1
    least: float = 1.0
    open_faces: bool = False


def pixel_steps(
    context: bpy.types.Context, shot: Shot, options: PixelOptions
) -> Steps[VisibilityResult]:
    """Count the pixels of objects and instances in the pictures of cameras over a shot.

    An object is drawn if both viewports and a render show it, with the modifiers of viewports. The
    options `exact`, `faces`, `margin` and `angle` of the shot are ignored.

    Yields the fraction done. Between steps, the scene is at some frame of the shot. When the steps
    end or are closed, the scene is restored. Raises a `ValueError` if a camera is missing or has
    no frustum, or if the size of the pictures changes.
    """
    counted = _Counted(context, shot, options)
    look = partial(counted.look_steps, context)
    yield from frame_steps(context, shot.frames, index_steps, look)
    return counted.result()


class _Counted:
    """Accumulator of the pixel counts of all frames."""

    def __init__(self, context: bpy.types.Context, shot: Shot, options: PixelOptions) -> None:
        self._shot, self._options = shot, options
        self._size = picture_size(context.scene, options.share)
        self._scene = ShownScene(open_faces=options.open_faces)
        self._numbers = ItemNumbers()
        self._labels = LabelStore(self._size)
        self._cameras: dict[str, int] = {}
        self._views: list[tuple[int, int]] = []
        self._parts: list[tuple[SeenTable, Ids]] = []
        self._not_counted: set[str] = set()
        self._instances = ""

    def look_steps(self, context: bpy.types.Context, index: SceneIndex, frame: int) -> Steps[None]:
        """Draw the pictures of all cameras in the present frame, whose index is `frame`."""
        scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
        cameras = cameras_of(depsgraph, scene, self._shot.cameras)
        pictures = [
            camera_picture(
                camera.evaluated_get(depsgraph), scene, depsgraph, share=self._options.share
            )
            for camera in cameras
        ]
        if any(picture.size != self._size for picture in pictures):
            raise ValueError("The size of the picture changes during the shot")
        self._not_counted |= not_counted(context.view_layer)
        placements = index.placements
        self._instances = instances_text(placements.owners, placements.is_instance)
        columns = [self._cameras.setdefault(each.name, len(self._cameras)) for each in cameras]
        shown = self._scene.update(context, index)
        taken = self._taken(index, shown)
        for number, (column, picture) in enumerate(zip(columns, pictures, strict=True)):
            start, stop = number / len(columns), (number + 1) / len(columns)
            looked = self._view_steps(index, shown, taken, picture)
            yield from between(start, stop, looked)
            self._views.append((self._shot.frames[frame], column))

    def _taken(self, index: SceneIndex, shown: Shown) -> Flags:
        """Return flags of shown placements that count as items: requested, and not holdouts."""
        taken, wanted = ~shown.holdout, self._shot.wanted
        if wanted is not None:
            taken &= np.isin(index.placements.owners[shown.rows], list(wanted))
        return taken

    def _view_steps(
        self, index: SceneIndex, shown: Shown, taken: Flags, picture: CameraPicture
    ) -> Steps[None]:
        """Draw one picture and count its pixels."""
        placements = index.placements
        items, which = np.unique(
            self._numbers.of(placements.keys[shown.rows[taken]]), return_inverse=True
        )
        # All other placements occlude as one object with the last number.
        owners = np.full(len(taken), len(items))
        owners[taken] = which.ravel()
        recorder = Recorder(shown.renderer)
        steps = visibility_steps(
            recorder,
            picture.matrix[None],
            size=picture.size,
            owners=owners,
            supersampling=self._options.samples,
            smallest=self._options.least,
        )
        running = Running(steps)
        while running.step():
            yield running.value
            if index.placements is not placements:
                raise ChangedMeanwhileError
        found = running.result
        is_whole = self._options.samples == 1
        table = _table_of(found, len(items), picture.start, is_whole=is_whole)
        self._parts.append((table, items))
        of_rows = np.append(np.append(items, -1)[owners], -1)  # index -1 selects the last
        self._labels.add(self._label_picture(of_rows[recorder.drawn]))

    def _label_picture(self, numbers: Ids) -> LabelPicture:
        """Return the item of each pixel, or of the sample nearest to the middle of the pixel."""
        (width, height), samples = self._size, self._options.samples
        fine = numbers.reshape(height * samples, width * samples)
        return fine[samples // 2 :: samples, samples // 2 :: samples][::-1].astype(np.int32)

    def result(self) -> VisibilityResult:
        """Return the result of all frames."""
        frames, cameras = np.array(self._views, np.intp).reshape(-1, 2).T
        table = _joined(
            items_of(self._numbers.uids, self._numbers.instances),
            Views(frames, cameras, tuple(self._cameras), self._size),
            self._parts,
            self._labels,
        )
        uids, wanted = set(self._numbers.uids), self._shot.wanted
        return VisibilityResult(
            table=table,
            owners=tuple(self._numbers.uids),
            faces={},
            skipped=len(wanted) - len(uids) if wanted is not None else 0,
            left_out=self._shot.left_out,
            instances=self._instances,
            pixels=PixelFacts(
                clear=tuple(sorted(self._scene.clear)),
                is_open=self._options.open_faces,
                not_counted=tuple(sorted(self._not_counted)),
                left_out=len(self._scene.left_out - uids),
            ),
        )


def _table_of(found: Visibility, count: int, start: float, *, is_whole: bool) -> SeenTable:
    """Return the table of one view for the first `count` items; add `start` to all depths."""
    some, kind = slice(count), np.int64 if is_whole else np.float64
    return table_from_views(
        Items(("",) * count, ((),) * count, ("",) * count),
        Views(np.zeros(1, np.intp), np.zeros(1, np.intp), ("",), found.size),
        states=found.states[:, some],
        visible=found.visible[:, some].astype(kind),
        amodal=found.amodal[:, some].astype(kind),
        whole=found.whole[:, some].astype(kind),
        depths=found.depths[:, some] + start,
        visible_boxes=found.visible_boxes[:, some],
        amodal_boxes=found.amodal_boxes[:, some],
    )


def _joined(
    items: Items, which: Views, parts: list[tuple[SeenTable, Ids]], labels: LabelStore
) -> SeenTable:
    """Join the tables of single views; each part has the item numbers of its columns."""
    no_boxes, nothing = np.empty((0, 4), np.int64), np.empty(0, np.int64)
    none = Pixels(nothing, nothing, nothing, no_boxes, no_boxes, np.empty(0))
    pixels = [none, *(table.pixels for table, _ in parts if table.pixels is not None)]
    return SeenTable(
        items,
        which,
        np.repeat(np.arange(len(parts)), [len(table) for table, _ in parts]),
        np.concatenate([nothing, *(numbers[table.items_of] for table, numbers in parts)]),
        np.concatenate([np.empty(0, np.uint8), *(table.states for table, _ in parts)]),
        Pixels(
            **{
                name: np.concatenate([getattr(each, name) for each in pixels])
                for name in Pixels.__dataclass_fields__
            }
        ),
        labels,
    )
