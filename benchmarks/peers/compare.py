"""Are the answers the same? Counted, within what single precision may get wrong."""

from fractions import Fraction

import numpy as np

from tests.audit_scenes import squared_distance

# Tolerances of single precision: a share of the scene for a volume's border, and a distance.
SINGLE, NEAR = 1e-6, 1e-4
# The share of rays or points that may meet another triangle on a shared edge.
RIM = 1e-3

Answer = tuple[np.ndarray, ...]


def pairs(ours: Answer, theirs: Answer, less: Answer, more: Answer, passes_more: str) -> str:
    """Check that a peer's pairs lie between ours for slightly smaller and larger volumes.

    If the peer uses a coarser test, `passes_more`, its pairs must only include ours.
    """
    if len(theirs) == 1:
        return verdict(theirs[0][0] == len(ours[0]), f"{len(ours[0]):,} pairs, only counted")
    known, wanted, least, most = map(keys, (theirs, ours, less, more))
    holds = np.isin(least, known).all()
    if passes_more:
        rest = len(known) - len(wanted)
        return verdict(holds, f"{len(wanted):,} hits, {passes_more} pass {rest:,} more")
    rim = len(np.setxor1d(wanted, known))
    return verdict(holds and np.isin(known, most).all(), f"{len(wanted):,} hits, {rim} on the rim")


def objects(ours: Answer, theirs: Answer, proofs: Answer, radii: np.ndarray) -> str:
    """Check that our pairs include all pairs of a peer, and confirm the others in fractions.

    `proofs` are our pairs and, for each pair, the corners of two triangles, (h, 2, 3, 3).
    """
    mine, his, proven = keys(ours), keys(theirs), keys(proofs[0])
    limit = Fraction(float(radii[0])) ** 2
    extra = proofs[1][~np.isin(proven, his)]
    confirmed = sum(squared_distance(*corners) <= limit for corners in extra)
    holds = np.isin(his, mine).all() and np.array_equal(mine, proven) and confirmed == len(extra)
    more = (
        f", {len(extra):,} of them ours alone, each confirmed in fractions" if len(extra) else ""
    )
    return verdict(bool(holds), f"{len(mine):,} pairs{more}")


def keys(pairs: Answer) -> np.ndarray:
    """Turn each pair into one number."""
    return np.sort(pairs[0].astype(np.int64) << 32 | pairs[1].astype(np.int64))


def distances(ours: Answer, theirs: Answer) -> str:
    """Compare items where that is all they tell, else distances, but for a few on the rim."""
    if len(theirs) == 1:
        differs = ours[0] != theirs[0]
    else:
        differs = (ours[0] < 0) != (theirs[0] < 0)
        both = np.flatnonzero((ours[0] >= 0) & (theirs[0] >= 0))
        differs[both] = np.abs(ours[1][both] - theirs[1][both]) > NEAR
    hits = np.count_nonzero(ours[0] >= 0)
    return verdict(
        differs.mean() <= RIM, f"{hits:,} hits, {np.count_nonzero(differs):,} otherwise"
    )


def verdict(holds: bool, what: str) -> str:
    """Say so."""
    return f"{'equal' if holds else 'DIFFER'}: {what}"
