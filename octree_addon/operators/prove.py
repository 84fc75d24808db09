"""Prove the answer to the last question: ask every item again, without the tree."""

import bpy

from .. import answers
from ..brute_force import Proof, ProofSteps, prove_steps
from ..ui import Status, SteppedOperator
from .reports import proof_text


class OCTREE_OT_prove_it(SteppedOperator, bpy.types.Operator):
    """Compare the last answer with brute force, which asks every item and no tree."""

    bl_idname = "octree.prove_it"
    bl_label = "Prove It"
    bl_description = "Compare the last answer with brute force, which asks every item and no tree"
    bl_options = {"REGISTER"}
    doing = "Asking every item"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        asked = answers.get(context.scene)
        if asked is None:
            cls.poll_message_set("Ask a question first")
            return False
        return True

    def steps(self, context: bpy.types.Context) -> ProofSteps:
        asked = answers.get(context.scene)
        assert asked is not None
        return prove_steps(asked)

    def finish(self, context: bpy.types.Context, result: Proof) -> Status:
        self.report({"INFO"} if result.holds else {"ERROR"}, proof_text(result))
        return {"FINISHED"}
