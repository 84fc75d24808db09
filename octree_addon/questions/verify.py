"""Prove It: brute force over all items, without a tree, against the last answer."""

from collections.abc import Generator
from dataclasses import dataclass
from time import perf_counter

import bpy
import numpy as np

from ..arrays import Flags
from ..scope import is_too_much
from ..ui import Status, SteppedOperator, plural
from . import last_query
from .last_query import Query


@dataclass(frozen=True, eq=False)
class Proof:
    """What asking every item says of an answer.

    Attributes
    ----------
    query : Query
        The question, and the answer that the tree gave.
    hits : ndarray of bool, shape (n,)
        Whether each item is a hit.
    seconds : float
        Spent on asking every item.
    """

    query: Query
    hits: Flags
    seconds: float

    @property
    def missing(self) -> int:
        """How many hits the tree did not find."""
        return int((self.hits & ~self.query.found).sum())

    @property
    def surplus(self) -> int:
        """How many items the tree found that are no hits."""
        return int((self.query.found & ~self.hits).sum())

    @property
    def holds(self) -> bool:
        """Whether the answer is right; candidates may be more than the hits, never fewer."""
        return not self.missing and (not self.surplus or self.query.relation == "candidates")


ProofSteps = Generator[float, None, Proof]


def prove_steps(query: Query) -> ProofSteps:
    """Ask every item again, or for collisions every pair of items.

    Yields the fraction done, returns the proof.
    """
    started = perf_counter()
    found = yield from query.hit_steps(np.flatnonzero(query.target.possible))
    return Proof(query, query.flags_of(found), perf_counter() - started)


class OCTREE_OT_prove_it(SteppedOperator, bpy.types.Operator):
    """Check the last answer by brute force: every item is tested, without the tree."""

    bl_idname = "octree.prove_it"
    bl_label = "Prove It"
    bl_description = "Check the last answer by brute force: every item is tested, without the tree"
    bl_options = {"REGISTER"}
    doing = "Testing every item"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        query = last_query.get(context.scene)
        if query is None:
            return "Ask a question first"
        many = int(query.target.starts[-1])
        return f"{plural(many, query.target.noun)} are too many to test each" * is_too_much(many)

    def steps(self, context: bpy.types.Context) -> ProofSteps:
        query = last_query.get(context.scene)
        assert query is not None
        return prove_steps(query)

    def finish(self, context: bpy.types.Context, result: Proof) -> Status:
        self.report({"INFO"} if result.holds else {"ERROR"}, proof_text(result))
        return {"FINISHED"}


def proof_text(proof: Proof) -> str:
    """Say in one line whether brute force confirms an answer: "Proven" or "Wrong"."""
    query, hits = proof.query, int(proof.hits.sum())
    effort = (
        f"{plural(len(query.target), query.target.noun)} asked one by one in {proof.seconds:.3f} s"
    )
    if not proof.holds:
        return f"Wrong: {effort}, {proof.missing:,} missing and {proof.surplus:,} too many"
    if query.relation == "candidates":
        return (
            f"Proven: {effort}, all {hits:,} hits are among the {int(query.found.sum()):,} found"
        )
    return f"Proven: {effort}, the same {hits:,} found"
