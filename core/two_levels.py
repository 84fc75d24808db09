"""Two levels (TLAS and BLAS): what stands in for an octree in every question answers by itself."""

from typing import Any


class TwoLevels:
    """The part of a `SceneOctree` that the questions know."""

    def _answer(self, question: str, *data: object, **options: object) -> Any:
        """Answer one of the public questions, by its name, with the data and options of it."""
        raise NotImplementedError
