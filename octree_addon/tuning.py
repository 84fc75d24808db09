"""Tunables of the extension: amounts of work per step, and limits."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AddonTuning:
    """Sizes measured to keep Blender responsive.

    Only levels of detail depend on them, no answers. A function reads them from `current`, once
    per call.

    Attributes
    ----------
    first_turn, turn : float
        Seconds of the first turn and of later turns of a stepped operator, between which Blender
        handles input.
    longest_drawn : float
        Maximum of seconds by which a redraw extends the next turn.
    rest : float
        Seconds without a change of the scene before idle tasks run.
    objects_compared : int
        Maximum of objects in a view layer whose visibility is compared during a drawing.
    rebuilt_triangles : int
        Maximum of triangles of a tree that is rebuilt automatically after its file is opened.
    updates_looked_at : int
        Maximum of updates of a depsgraph that are inspected one by one; with more of them, all
        objects count as changed.
    rows_digested : int
        Words of eight bytes of a mesh that are digested in a step; also the maximum of rows that
        are digested without steps.
    split_triangles : int
        Triangles of a mesh beyond which the kernel splits its quads. Below it, Blender is as fast,
        and has often split them already.
    vertices_read, meshes_read, objects_read : int
        Amounts read in a step: at least these vertices; at most these meshes, and these objects
        that show meshes.
    instances_walked : int
        Object instances visited in a step.
    instances_placed, meshes_placed : int
        Instances placed in the index, and meshes added to it, in a step.
    objects_looked_at : int
        Objects whose faces are tested against cameras in a step.
    former_trees, former_bytes : int
        Maximum of former trees of a scene kept for undo, and of their bytes in total.
    probe_movement, probe_turn : float
        Seconds that the probe updates the index within a movement, and between two drawings.
    probe_objects : int
        Objects beyond which the probe reports and draws whole objects.
    label_bytes : int
        Maximum of bytes of label pictures in memory; a picture of 1920x1080 takes some 100 kB.
    exact_triangles : int
        Triangles of a view beyond which the graphics card draws two numbers per pixel; a float32
        holds integers exactly up to here.
    drawn_triangles : int
        Triangles that the graphics card draws in one call, so that a float32 can number them.
    level_share : float
        Fraction of the removable vertices that each level of detail keeps. With a quarter, a cell
        of a surface has about as many triangles as each of the four child cells that it replaces.
    level_triangles : int
        Triangles that an object keeps at least in a cell of a level of detail, if it has as many.
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
