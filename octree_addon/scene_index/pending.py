"""Pending changes of a scene since it was read: data-blocks by session id, and flags."""

from dataclasses import dataclass, field

from ..reader import SceneChanges


@dataclass(eq=False)
class Pending:
    """Changes of a scene since it was read.

    Attributes
    ----------
    moved : set of int, optional
        Session ids of what may be elsewhere; None is everything.
    reshaped : set of int
        Session ids of what may have another shape.
    regrouped : bool
        Whether objects may have come, gone, or been shown or hidden.
    reshown : bool
        Whether the user may have shown or hidden objects; mostly they were only selected.
    all : bool
        Whether nothing that is known holds.
    """

    moved: set[int] | None = field(default_factory=set)
    reshaped: set[int] = field(default_factory=set)
    regrouped: bool = False
    reshown: bool = False
    all: bool = False

    def note(self, changes: SceneChanges | None) -> None:
        """Add what an update may have changed; None is everything."""
        if changes is None:
            self.all = True
            return
        self.all |= changes.reshaped is None
        self.reshaped |= changes.reshaped or set()
        if self.moved is None or changes.moved is None:
            self.moved = None
        else:
            self.moved |= changes.moved
        self.reshown |= changes.by_hand
        self.regrouped |= changes.reshown and not changes.by_hand

    @property
    def needs_reading(self) -> bool:
        """Whether looking at matrices is not enough."""
        return bool(self.reshaped) or self.regrouped or self.all

    def __bool__(self) -> bool:
        return self.moved is None or bool(self.moved) or self.reshown or self.needs_reading
