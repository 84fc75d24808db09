"""Prove It: brute force over all items or a random sample, without a tree, against the answer."""

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty, IntProperty

from ...core import Steps, kernel, run
from .. import tuning
from ..arrays import Flags, Ids
from ..scope import is_too_much
from ..ui import Status, SteppedOperator, column_of, plural
from . import last_query
from .last_query import Query

# Seconds from which on it is told beforehand how long a proof takes.
_LONG = 10.0


@dataclass(frozen=True, eq=False)
class Proof:
    """The outcome of asking every item, or a sample, to prove an answer.

    Attributes
    ----------
    query : Query
        The question, and the answer that the tree gave.
    asked : ndarray of intp, shape (k,)
        The items that were asked; sorted.
    hits : ndarray of bool, shape (n,)
        Whether each item is a hit, or of objects only, belongs to one that has a hit.
    seconds : float
        Spent on asking.
    """

    query: Query
    asked: Ids
    hits: Flags
    seconds: float

    @property
    def is_sample(self) -> bool:
        """Whether not all were asked that can be found."""
        return len(self.asked) < len(self.query.target)

    @property
    def missing(self) -> int:
        """How many hits the tree did not find."""
        return int((self.hits & ~self.query.found).sum())

    @property
    def surplus(self) -> int:
        """How many items of those asked the tree found that are no hits."""
        if self.is_sample and self.query.objects_only:
            return 0  # another item of the object may be a hit
        flags = self.query.found & ~self.hits
        return int(flags[self.asked].sum() if self.is_sample else flags.sum())

    @property
    def holds(self) -> bool:
        """Whether the answer is right; candidates may be more than the hits, never fewer."""
        return not self.missing and (not self.surplus or self.query.relation == "candidates")


ProofSteps = Steps[Proof]


def prove_steps(query: Query, *, count: int = 0, seed: int = 0) -> ProofSteps:
    """Ask every item again, or for collisions every pair of items.

    With a `count`, a sample of that size is asked, chosen at random by `seed`; in collisions each
    of it with all others. Yields the fraction done, returns the proof.
    """
    started = perf_counter()
    asked = np.flatnonzero(query.target.possible)
    if count and query.is_itemwise:
        asked = chosen(asked, count, seed)
    found = yield from query.hit_steps(asked)
    return Proof(query, asked, query.flags_of(found), perf_counter() - started)


def chosen(items: Ids, count: int, seed: int) -> Ids:
    """Return `count` of the items, at random and each once; all if there are no more."""
    some = np.random.default_rng(seed).permutation(len(items))[:count]
    return items[np.sort(some)]


def estimated_seconds(query: Query, count: int) -> float:
    """Estimate how long it takes to ask `count` items, from some that are asked twice.

    The first time makes what is made only once, and does not count.
    """
    total = len(query.target)
    tests = total if query.pair_rows is not None else 1
    tried = min(max(tuning.current.tests_timed // max(tests, 1), 1), total)
    if not query.is_itemwise or not tried:
        return 0.0
    some = chosen(np.flatnonzero(query.target.possible), tried, 0)
    run(query.hit_steps(some))
    started = perf_counter()
    run(query.hit_steps(some))
    return (perf_counter() - started) * min(count, total) / tried


def duration_text(seconds: float) -> str:
    """Write about how long something takes, such as "about 2 hours"."""
    for size, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
        if seconds >= 0.95 * size:
            return f"about {plural(max(round(seconds / size), 1), name)}"
    return "less than a second"


class OCTREE_OT_prove_it(SteppedOperator, bpy.types.Operator):
    """Check the last answer by brute force: every item is tested, without the tree."""

    bl_idname = "octree.prove_it"
    bl_label = "Prove It"
    bl_description = (
        "Check the last answer by brute force: every item is tested, or a random sample, without"
        " the tree. What takes long is told beforehand"
    )
    bl_options = {"REGISTER"}
    doing = "Testing every item"
    _is_offer = False
    _seconds = 0.0

    if TYPE_CHECKING:
        sample: bool
        count: int
        seed: int
        is_agreed: bool
    else:
        sample: BoolProperty(
            name="Random Sample",
            description="Test some of the items, chosen at random, not all of them",
        )
        count: IntProperty(
            name="Sample Size",
            description="How many items are tested",
            default=1000,
            min=1,
            soft_max=100_000,
        )
        seed: IntProperty(
            name="Seed", description="Another seed chooses other items", default=0, min=0
        )
        is_agreed: BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        query = last_query.get(context.scene)
        if query is None:
            return "Ask a question first"
        many = int(query.target.starts[-1])
        return f"{plural(many, 'triangle')} are too many to test each" * is_too_much(many)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        query = last_query.get(context.scene)
        if query is None or self.is_agreed or bpy.app.background:
            return super().invoke(context, event)
        self._seconds = estimated_seconds(query, len(query.target))
        if self._seconds < _LONG:
            self.sample = False
            return super().invoke(context, event)
        self._is_offer = self.sample = True
        manager = context.window_manager
        return manager.invoke_props_dialog(self, width=340)

    def execute(self, context: bpy.types.Context) -> Status:
        if not self._is_offer:
            return super().execute(context)
        bpy.ops.octree.prove_it(  # type: ignore[attr-defined]
            "INVOKE_DEFAULT",
            is_agreed=True,
            sample=self.sample,
            count=self.count,
            seed=self.seed,
        )
        return {"CANCELLED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the dialog: how long it takes, or less of it."""
        query, column = last_query.get(context.scene), column_of(self)
        total = len(query.target) if query and self._seconds else 0
        if query and total:
            text = f"All {plural(total, 'triangle')}: {duration_text(self._seconds)}"
            column.label(text=text)
        column.prop(self, "sample")
        row = column.column()
        row.enabled = self.sample
        row.prop(self, "count")
        row.prop(self, "seed")
        if total:
            some = min(self.count, total)
            took = duration_text(self._seconds * some / total)
            row.label(text=f"{some:,} at random: {took}")

    def steps(self, context: bpy.types.Context) -> ProofSteps:
        query = last_query.get(context.scene)
        assert query is not None
        self.doing = "Testing a sample" if self.sample else "Testing every item"
        return prove_steps(query, count=self.count if self.sample else 0, seed=self.seed)

    def finish(self, context: bpy.types.Context, result: Proof) -> Status:
        self.report({"INFO"} if result.holds else {"ERROR"}, f"{proof_text(result)} ({kernel()})")
        return {"FINISHED"}


def proof_text(proof: Proof) -> str:
    """Say in one line whether brute force confirms an answer: "Proven", "Agrees" or "Wrong"."""
    query, hits = proof.query, int(proof.hits.sum())
    took = f"in {proof.seconds:.3f} s"
    effort = f"{plural(len(proof.asked), 'triangle')} asked one by one {took}"
    if proof.is_sample:
        total = plural(len(query.target), "triangle")
        effort = f"{len(proof.asked):,} of {total} asked at random {took}"
    if not proof.holds:
        return f"Wrong: {effort}, {proof.missing:,} missing and {proof.surplus:,} too many"
    if proof.is_sample:
        return f"A sample, no proof: {effort}: all agree"
    if query.relation == "candidates":
        return (
            f"Proven: {effort}, all {hits:,} hits are among the {int(query.found.sum()):,} found"
        )
    return f"Proven: {effort}, the same {hits:,} found"
