"""The public questions, as a scene answers them: data are checked here."""

from abc import abstractmethod
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled
from ..arrays import Flags, Ids
from ..nearest import Nearest
from ..nearest.api import NearestQuestions
from ..pairs.api import PairQuestions
from ..query import VolumeQuestions, check_volumes
from ..rays import RayCrossings, RayHits
from ..rays.api import RayQuestions
from ..rays.asked import questions_of, rays_of
from ..shapes import Shapes
from ..steps import Steps, ascending, run
from . import packed, pairs, rays, volumes
from .moment import Moment

RELATIONS = ("touching", "inside", "objects")


class SceneQuestions(VolumeQuestions, RayQuestions, NearestQuestions, PairQuestions):
    """Answers the questions of all octrees, of a scene at the moment of each."""

    @abstractmethod
    def _moment(self, groups: SupportsIndex) -> Moment:
        """Return the scene as it is now, to those who ask with these groups."""

    def _query(
        self, asked: Shapes, relation: str, groups: SupportsIndex, threads: SupportsIndex | None
    ) -> Ids:
        if relation == "candidates":
            raise ValueError(
                "relation must be touching or inside for a scene, which has no cells of its own"
                f" (see objects_touching), got {relation!r}"
            )
        checks.choice("relation", relation, RELATIONS)
        if relation == "objects":
            return run(self._object_steps(asked, groups))
        check_volumes(asked)
        moment, several = self._moment(groups), compiled.threads_of(threads)
        found = packed.touched(moment, asked, several) if relation == "touching" else None
        return volumes.found_in(moment, asked, relation) if found is None else found[1]

    def _object_steps(self, asked: Shapes, groups: SupportsIndex) -> Steps[Ids]:
        """Return volumes and placements, (2, h), in steps."""
        check_volumes(asked)
        moment = self._moment(groups)
        return moment.as_long_as_current(ascending(volumes.objects_in(moment, asked)))

    def _query_any(
        self, asked: Shapes, groups: SupportsIndex, threads: SupportsIndex | None
    ) -> Flags:
        check_volumes(asked)
        moment, several = self._moment(groups), compiled.threads_of(threads)
        found = packed.touched(moment, asked, several, any_hit=True)
        return volumes.any_in(moment, asked) if found is None else found[0] > 0

    def _query_count(
        self, asked: Shapes, groups: SupportsIndex, threads: SupportsIndex | None
    ) -> Ids:
        check_volumes(asked)
        moment, several = self._moment(groups), compiled.threads_of(threads)
        found = packed.touched(moment, asked, several)
        return volumes.counted_in(moment, asked) if found is None else found[0]

    def _ray_cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> RayHits:
        asked = questions_of(origins, directions, max_distance, threads)
        moment = self._moment(groups)
        found = packed.cast(moment, asked)
        return rays.cast(moment, rays_of(asked)) if found is None else found

    def _ray_test(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> Flags:
        asked = questions_of(origins, directions, max_distance, threads)
        moment = self._moment(groups)
        found = packed.tested(moment, asked)
        return rays.tested(moment, rays_of(asked)) if found is None else found

    def _ray_cast_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: ArrayLike,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> RayCrossings:
        asked = questions_of(origins, directions, max_distance, threads)
        moment = self._moment(groups)
        found = packed.cast_all(moment, asked)
        return rays.cast_all(moment, rays_of(asked)) if found is None else found

    def _nearest(
        self,
        points: ArrayLike,
        count: SupportsIndex,
        max_distance: SupportsFloat,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> Nearest:
        places = checks.plain_floats("points", points, 3)
        checks.every_row("points", "be finite", np.isfinite(places).all(axis=1), places)
        many = checks.whole_number("count", count, 1)
        most = checks.number("max_distance", max_distance, 0.0, finite=False)
        checks.room("count", many, len(places), many, 3)
        several = compiled.threads_of(threads)
        return packed.nearest(self._moment(groups), places, many, most, several)

    def _pair_steps(
        self,
        margin: float,
        skip_neighbours: bool,
        within: bool,
        owners: ArrayLike | None,
        groups: SupportsIndex,
    ) -> Steps[Ids]:
        margin = checks.length("margin", margin)
        if within and owners is not None:
            raise ValueError("within pairs triangles of one owner: owners must be None")
        moment = self._moment(groups)
        numbers = _owners(moment, owners)
        steps = pairs.overlapping(moment, margin, numbers, within, skip_neighbours)
        return moment.as_long_as_current(steps)

    def _object_pair_steps(
        self, margin: float, owners: ArrayLike | None, groups: SupportsIndex
    ) -> Steps[Ids]:
        margin = checks.length("margin", margin)
        moment = self._moment(groups)
        steps = pairs.overlapping_objects(moment, margin, _owners(moment, owners))
        return moment.as_long_as_current(steps)


def _owners(moment: Moment, owners: ArrayLike | None) -> Ids | None:
    """Return the owner of each placement, checked."""
    return None if owners is None else checks.one_each("owners", owners, len(moment))
