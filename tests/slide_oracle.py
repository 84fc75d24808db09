"""Gaps along a direction and slides by their definitions, over all pairs, in fractions."""

from fractions import Fraction
from itertools import pairwise, product

INFINITE = float("inf")


class Shadow:
    """A triangle seen along a direction: corners (u, v, w), exactly, and its shadow."""

    def __init__(self, corners, direction):
        way = [Fraction(float(each)) for each in direction]
        k = max(range(3), key=lambda axis: abs(way[axis]))
        i, j = (k + 1) % 3, (k + 2) % 3
        points = [[Fraction(float(each)) for each in corner] for corner in corners]
        self.corners = [
            (p[i] - p[k] / way[k] * way[i], p[j] - p[k] / way[k] * way[j], p[k] / way[k])
            for p in points
        ]
        self.ends = sorted({corner[:2] for corner in self.corners})
        self.edges = [*pairwise(self.corners), (self.corners[2], self.corners[0])]
        turn = side(*self.corners)
        self.size = 2 if turn else min(len(self.ends), 2) - 1
        self.sign = 1 if turn > 0 else -1

    def holds(self, point, strictly):
        """Tell whether a point lies in a shadow with an area."""
        sides = [self.sign * side(*edge, point) for edge in self.edges]
        return min(sides) > 0 if strictly else min(sides) >= 0

    def heights(self, point):
        """Return the heights of all corners and edges over a point, or of the plane."""
        if self.size == 2:
            (a, b, c), (x, y) = self.corners, point[:2]
            weights = [side(q, r, (x, y)) / side(a, b, c) for q, r in ((b, c), (c, a), (a, b))]
            return [sum(w * p[2] for w, p in zip(weights, self.corners, strict=True))]
        found = [p[2] for p in self.corners if p[:2] == tuple(point[:2])]
        for one, other in self.edges:
            axis = 0 if one[0] != other[0] else 1
            if one[axis] != other[axis]:
                share = (point[axis] - one[axis]) / (other[axis] - one[axis])
                if 0 <= share <= 1:
                    found.append(one[2] + share * (other[2] - one[2]))
        return found


def side(one, other, point):
    return (other[0] - one[0]) * (point[1] - one[1]) - (other[1] - one[1]) * (point[0] - one[0])


def meeting(one, other):
    """Return where two segments cross, ends included, unless they are parallel."""
    (a, b), (c, d) = one, other
    turn = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
    if turn == 0:
        return []
    s = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / turn
    t = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / turn
    return (
        [(a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]))]
        if 0 <= s <= 1 and 0 <= t <= 1
        else []
    )


def shared(one, other):
    """Return the corners of what two shadows share, none if they only graze."""
    if one.size < other.size:
        return shared(other, one)
    if one.size == 0:
        return one.ends if one.ends == other.ends else []
    if other.size == 0:
        return other.ends if one.size == 2 and one.holds(other.ends[0], True) else []
    ends = [(each.ends[0], each.ends[-1]) for each in (one, other)]
    if one.size == 1:
        met = meeting(*ends)
        return [] if not met or met[0] in (*ends[0], *ends[1]) else met
    points = {p[:2] for p in other.corners if one.holds(p, False)}
    if other.size == 2:
        points |= {p[:2] for p in one.corners if other.holds(p, False)}
    points |= {
        p
        for a, b in product(one.edges, other.edges)
        if a[0][:2] != a[1][:2]
        for p in meeting(a, b)
    }
    points = sorted(points)
    if len(points) < 2:
        return []
    middle = [sum(p[axis] for p in points) / len(points) for axis in range(2)]
    if not one.holds(middle, True) or (other.size == 2 and not other.holds(middle, True)):
        return []
    return points


def signed_gaps(one, other):
    return [b - a for p in shared(one, other) for a in one.heights(p) for b in other.heights(p)]


def gap(ones, others):
    """Return how far open surfaces may move, and whether they cross, from shadows of triangles."""
    least, crosses = INFINITE, False
    for one, other in product(ones, others):
        gaps = signed_gaps(one, other)
        if gaps and min(gaps) < 0 < max(gaps):
            crosses = True
        if gaps and min(gaps) >= 0:
            least = min(least, *gaps)
    return (Fraction(0) if crosses else least), crosses


def slides(surfaces, movers, direction):
    """Return the falls of open surfaces, in directions, and which cross at the start.

    `surfaces` are corners (n, 3, 3) of each; those that are not among the movers stand.
    """
    shown = [[Shadow(corners, direction) for corners in each] for each in surfaces]
    gaps, crossing = {}, set()
    for one in movers:
        for other in range(len(surfaces)):
            if one != other:
                gaps[one, other], crosses = gap(shown[one], shown[other])
                crossing |= {one, other} if crosses else set()
    for one, other in list(gaps):
        if gaps.get((other, one)) == 0 and one in crossing and gap(shown[other], shown[one])[1]:
            gaps[one, other] = Fraction(0)
    return solved(gaps, movers, len(surfaces)), crossing


def solved(gaps, movers, count):
    """Return the greatest falls that gaps (one, other) allow; infinite for what has no way out."""
    edges = {
        one: {o for o in range(count) if gaps.get((one, o), INFINITE) < INFINITE} for one in movers
    }
    reached = {one: reachable(one, edges) for one in movers}
    lost = {one for one in movers if reached[one] <= set(movers)}
    stays = {one for one in lost if all(one in reached[other] for other in reached[one])}
    falls = {i: INFINITE if i in set(movers) - stays else 0 for i in range(count)}
    for _ in range(count + 1):
        for one in set(movers) - stays:
            falls[one] = min([falls[one], *(gaps[one, o] + falls[o] for o in edges[one])])
    return [INFINITE if one in stays else falls[one] for one in movers]


def reachable(start, edges):
    found, waiting = {start}, [start]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found
