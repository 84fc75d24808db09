"""Pending changes of a scene since it was read: data-blocks by session id, and flags."""

from dataclasses import dataclass, field

from ..reader import SceneChanges


@dataclass(eq=False)
class Pending:
    """Changes of a scene since it was read.

    Attributes
    ----------
    moved : set of int, optional
        Session ids of data-blocks that may have moved; None stands for all.
    reshaped : set of int
        Session ids of data-blocks whose geometry may have changed.
    regrouped : bool
        True if objects may have been added, removed, shown or hidden.
    reshown : bool
        True if the user may have shown or hidden objects. A mere selection sets this flag, too.
    all : bool
        True if anything may have changed, so that all has to be read again.
    """

    moved: set[int] | None = field(default_factory=set)
    reshaped: set[int] = field(default_factory=set)
    regrouped: bool = False
    reshown: bool = False
    all: bool = False

    def note(self, changes: SceneChanges | None) -> None:
        """Add the changes of one update; None stands for changes of anything."""
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
        """True if objects or meshes have to be read again, in addition to matrices."""
        return bool(self.reshaped) or self.regrouped or self.all

    def __bool__(self) -> bool:
        return self.moved is None or bool(self.moved) or self.reshown or self.needs_reading
