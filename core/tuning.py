"""Tunables of the library: how much is done at a time, and from where on another way pays."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Sizes measured to be fast, or small enough to report progress in time.

    Only `copies_on_the_way`, `copies_while_cheap` and `copies_at_a_depth` change trees; nothing
    changes an answer. A function reads those it needs from `current`, once a call.

    Attributes
    ----------
    piece : int
        Numbers in a piece of a pass: NumPy's own overhead vanishes, and a step stays short.
    sorted_at_once : int
        Keys up to which one sort is faster than to put sorted pieces together.
    divided : int
        Items for which cells and children are found in one step of a build.
    copies_on_the_way : float
        References of an item that all divisions on the way to a cell may make, with leaves of 32;
        smaller leaves may make more, in inverse proportion to their capacity.
    copies_while_cheap : float
        The same for "hybrid", whatever the leaves: fans and cones are kept beyond this.
    copies_at_a_depth : int
        Copies that even a small tree may have at one depth, at some hundred bytes each.
    copies_ahead : int
        With leaves of one item, a build is tried on a sample once the copies made exceed the limit
        of copies divided by this number; with larger leaves, later in proportion.
    certainly_too_many : float
        Factor by which a sample must exceed the limit of copies for a build to be refused.
    nearest_pairs : int
        Pairs of point and cell that a batch of points may visit; with more, it descends again in
        smaller parts.
    query_runs : int
        Runs of references beyond which a batch of volumes descends again in smaller parts.
    pairs_walked : int
        Pairs of entries, about, that the compiled kernel compares in one step.
    boxes_paired : int
        Pairs of boxes that a broad phase divides together.
    joined_pairs : int
        Pairs of entries that do not yet speak against joining two trees by the kernel.
    joined_crowd : int
        Pairs of places in one pair of leaves beyond which two trees are not joined.
    triangles_placed : int
        Triangles that are indexed in one step.
    triangles_tested : int
        Pairs of triangles that are tested together.
    touches_listed : int
        Pairs of triangles that the compiled kernel has room for in a step: 64 or more.
    indexed_together : int
        Triangles of meshes that are indexed together.
    leaves_together : int
        Leaves whose bounds are computed together.
    pairs_looked_at : int
        Pairs of volume and placement that are tested in a step.
    meshes_together : int
        Triangles of placements that are paired among themselves together.
    shells_together : int
        Triangles whose connected components are computed together.
    contacts_together : int
        Contacts of an audit that are examined in a step.
    depths_together : int
        Pairs of a surface and a solid whose depths are looked for together.
    nodes_paired : int
        Pairs of nodes of two surfaces that go down together.
    nodes_walked : int
        Pairs of nodes, about, that the compiled kernel looks at in one step.
    """

    piece: int = 2**18
    sorted_at_once: int = 2**20
    divided: int = 32_768
    copies_on_the_way: float = 128
    copies_while_cheap: float = 8
    copies_at_a_depth: int = 2**24
    copies_ahead: int = 128
    certainly_too_many: float = 1.25
    nearest_pairs: int = 1_048_576
    query_runs: int = 2_097_152
    pairs_walked: int = 262_144
    boxes_paired: int = 16_384
    joined_pairs: int = 65_536
    joined_crowd: int = 262_144
    triangles_placed: int = 65_536
    triangles_tested: int = 16_384
    touches_listed: int = 65_536
    indexed_together: int = 131_072
    leaves_together: int = 16_384
    pairs_looked_at: int = 1_024
    meshes_together: int = 131_072
    shells_together: int = 131_072
    contacts_together: int = 8_192
    depths_together: int = 256
    nodes_paired: int = 262_144
    nodes_walked: int = 65_536


current = Tuning()
