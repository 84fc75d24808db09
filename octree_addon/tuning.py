"""Tunables of the extension: how much is done at a time, and what is too much."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AddonTuning:
    """Sizes measured to keep Blender responsive; no answer depends on them but levels of detail.

    A function reads those it needs from `current`, once a call.

    Attributes
    ----------
    first_turn, turn : float
        Seconds that a stepped operator works before the keyboard is looked at for the first time,
        and then each time.
    longest_drawn : float
        Seconds that a redraw between two turns may add to the second one.
    rest : float
        Seconds without a change after which scenes are compared with what was known of them.
    objects_compared : int
        Objects of a view layer up to which it is looked at which are visible, while it is drawn.
    rebuilt_triangles : int
        Triangles up to which the tree of a file that is opened is built again unasked.
    updates_looked_at : int
        Updates of a depsgraph up to which they are looked at one by one: with more, everything is
        in doubt.
    rows_digested : int
        Words of eight bytes of a mesh that are digested in a step; rows up to which nobody waits
        for that.
    split_triangles : int
        Triangles of a mesh beyond which the kernel splits its quads: fewer Blender splits as fast,
        and often has done so before.
    vertices_read, meshes_read, objects_read : int
        What is read in a step: vertices, at least; meshes, and objects that show meshes, at most.
    instances_walked : int
        Object instances that are walked through in a step.
    instances_placed, meshes_placed : int
        Instances that are placed in the index in a step, and meshes that it takes.
    objects_looked_at : int
        Objects whose faces cameras are asked about in a step.
    former_trees, former_bytes : int
        Trees of a scene that are kept for undo besides its own, and bytes of all these together.
    probe_movement, probe_turn : float
        Seconds that the probe catches up within a movement, and between two drawings.
    probe_objects : int
        Objects beyond which an answer of the probe is told and drawn by whole objects.
    label_bytes : int
        Bytes of label pictures that are kept; a picture of 1920x1080 takes some 100 kB.
    exact_triangles : int
        Triangles of a view beyond which a card draws two numbers for each pixel: a float holds
        whole numbers up to here.
    drawn_triangles : int
        Triangles that a card draws in one call, so that a float numbers them.
    level_share : float
        Of the vertices that may go, how many are left a level of detail: of surfaces a quarter,
        so that a cell has about as many triangles as each of the four that it is made of.
    level_triangles : int
        Triangles that an object keeps in a cell of such a level, if it has so many.
    """

    first_turn: float = 0.2
    turn: float = 0.05
    longest_drawn: float = 0.5
    rest: float = 0.2
    objects_compared: int = 5_000
    rebuilt_triangles: int = 200_000
    updates_looked_at: int = 256
    rows_digested: int = 1 << 20
    split_triangles: int = 1 << 18
    vertices_read: int = 250_000
    meshes_read: int = 1_024
    objects_read: int = 8_192
    instances_walked: int = 4_096
    instances_placed: int = 8_192
    meshes_placed: int = 1_024
    objects_looked_at: int = 1_024
    former_trees: int = 4
    former_bytes: int = 2**30
    probe_movement: float = 0.01
    probe_turn: float = 0.03
    probe_objects: int = 200
    label_bytes: int = 1 << 29
    exact_triangles: int = 1 << 24
    drawn_triangles: int = 1 << 22
    level_share: float = 0.25
    level_triangles: int = 24


current = AddonTuning()
