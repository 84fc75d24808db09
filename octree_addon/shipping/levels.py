"""Cells of coarser levels, made in steps; only those with changed contents are made again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core import Steps
from ..arrays import Floats
from ..chunks import SceneCut
from .details import CellDetail, DetailMaker, detail_parts
from .folder import ChunkFiles
from .manifest import KnownChunk
from .parents import ParentCell, parent_hashes
from .tileset import error_above
from .twins import CellStage, Digests

WriteCell = Callable[[str, CellStage], dict[str, str]]
# Members of the manifest that are known only once a cell is made.
_MEASURED = {"triangles", "toSource", "fromSource", "bounds"}


class LevelRoom:
    """Builder of the cells above the chunks.

    Parameters
    ----------
    cut : SceneCut
        The chunks.
    parents : sequence of ParentCell
        The cells, each after its children.
    known : Mapping of str to KnownChunk
        Cells of an earlier export whose files are unchanged, by id.
    meters : float
        Length of a Blender unit.
    stage_of : callable
        Takes the number of a chunk, returns its evaluated contents.
    """

    def __init__(
        self,
        cut: SceneCut,
        parents: Sequence[ParentCell],
        known: Mapping[str, KnownChunk],
        meters: float,
        stage_of: Callable[[int], CellStage],
    ) -> None:
        self._cut, self._parents, self._known, self._meters = cut, parents, known, meters
        self._stage_of = stage_of
        self._numbers = {code: cell for cell, code in enumerate(cut.found.codes.tolist())}
        self._stages: dict[int, CellStage] = {}
        self._details: dict[int, CellDetail] = {}

    def steps(self, chunks: Sequence[ChunkFiles], write: WriteCell) -> Steps[list[ChunkFiles]]:
        """Return the manifest members and files of the cells; yield the fraction done.

        `chunks` are those of the finest level. `write` writes temporary files for the contents of
        a cell, and returns their hashes by name.
        """
        codes = [each.members["code"] for each in chunks]
        hashes = parent_hashes(
            self._parents, {code: each.hash for code, each in zip(codes, chunks, strict=True)}
        )
        stale = {
            each.code for each in self._parents if not self._is_known(each, hashes[each.code])
        }
        needed = self._needed(stale)
        said = {code: dict(each.members) for code, each in zip(codes, chunks, strict=True)}
        for code in codes:
            said[code]["geometricError"] = 0.0
        maker, digests, made = DetailMaker(self._cut.matrices), Digests(), []
        try:
            for number, parent in enumerate(self._parents):
                if parent.code in needed:
                    self._make(parent, maker)
                measured: dict[str, Any] = {}
                if parent.code in stale:
                    stage = self._shown(parent, maker, digests)
                    try:
                        files = write(parent.name, stage)
                        measured = self._measured(parent, stage)
                    finally:
                        stage.close()
                else:
                    former = self._known[parent.name]
                    files, measured = former.files, former.members
                below = [said[code] for code in parent.children]
                members = _members(parent, below, measured)
                said[parent.code] = members
                made.append(ChunkFiles(members, hashes[parent.code], files))
                yield (number + 1) / len(self._parents)
        finally:
            for code in [*self._details]:
                self._drop(code)
            maker.close()
        return made

    def _is_known(self, parent: ParentCell, sums: str) -> bool:
        former = self._known.get(parent.name)
        return former is not None and former.hash == sums and former.members.keys() >= _MEASURED

    def _needed(self, stale: set[int]) -> set[int]:
        """Return the codes of stale cells, and of all cells that these are made from."""
        needed = set(stale)
        for each in reversed(self._parents):
            if each.code in needed:
                needed |= {code for code in each.children if code not in self._numbers}
        return needed

    def _make(self, parent: ParentCell, maker: DetailMaker) -> None:
        for code in parent.children:
            if code in self._numbers:
                self._stages[code] = self._stage_of(self._numbers[code])
                self._details[code] = maker.of_chunk(self._stages[code])
        children = [self._details[code] for code in parent.children]
        self._details[parent.code] = maker.of_parent(parent, children)
        for code in parent.children:
            self._drop(code)

    def _drop(self, code: int) -> None:
        """Remove the contents of a cell."""
        self._details.pop(code).draft.drop()
        if code in self._stages:
            self._stages.pop(code).close()

    def _shown(self, parent: ParentCell, maker: DetailMaker, digests: Digests) -> CellStage:
        detail = self._details[parent.code]
        items = maker.items(parent, detail)
        parts = detail_parts(detail, -1)
        return CellStage(parts, items, self._cut.matrices, digests, maker.scene)

    def _measured(self, parent: ParentCell, stage: CellStage) -> dict[str, Any]:
        error = self._details[parent.code].error
        lower, upper = stage.bounds()
        return {
            "triangles": stage.triangle_count,
            "toSource": self._meters * error.to_source,
            "fromSource": self._meters * error.from_source,
            "bounds": [lower.tolist(), upper.tolist()],
        }


def _members(
    parent: ParentCell, children: Sequence[Mapping[str, Any]], measured: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the members of the manifest for a cell, from those of its children."""
    known = {name: measured[name] for name in ("triangles", "toSource", "fromSource")}
    boxes: list[Floats] = [np.array(each["bounds"]) for each in (*children, measured)]
    least = max(error_above(each["geometricError"]) for each in children)
    labels = dict.fromkeys(label for each in children for label in each["objects"])
    return {
        **parent.members,
        **known,
        "geometricError": max(known["toSource"], known["fromSource"], least),
        "bounds": [
            np.min([lower for lower, _ in boxes], axis=0).tolist(),
            np.max([upper for _, upper in boxes], axis=0).tolist(),
        ],
        "objects": [*labels],
    }
