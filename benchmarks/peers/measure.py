"""Measuring a question: our process and one peer's at a time, turn by turn, answers compared."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.peers import OURS, Peer, compare
from benchmarks.peers.client import Client, PeerError, fastest
from benchmarks.peers.questions import FASTEST, Question
from benchmarks.table import Row


@dataclass(frozen=True)
class Present:
    """A started peer: its functions and the versions of its packages."""

    peer: Peer
    names: tuple[str, ...]
    most: float
    passes_more: dict[str, str]
    versions: tuple[str, ...]

    def offers(self, question: Question) -> bool:
        """Return whether the peer can answer in reasonable time."""
        wanted = {question.build, question.measured}
        small = len(question.built.get("faces", ())) <= self.most
        return wanted <= set(self.names) and small and self.peer.name not in question.without


def present(peers: list[Peer]) -> list[Present]:
    """Start each peer once; say which could not be had, and why."""
    found = []
    for peer in peers:
        try:
            with Client(peer) as client:
                found.append(Present(peer, **client.tell("knows", *peer.packages)))
        except (PeerError, OSError) as problem:
            print(f"Without {peer.name}: {problem}", file=sys.stderr)
    return found


def versions(peers: list[Present]) -> str:
    """Name the packages and their versions."""
    named = {
        f"{package} {version}"
        for other in peers
        for package, version in zip(other.peer.packages, other.versions, strict=True)
    }
    return ", ".join(sorted(named))


def rows(question: Question, peers: list[Present], folder: Path, seconds: float) -> list[Row]:
    """Measure a question against each peer that can answer it."""
    question.save(folder)
    measured = []
    with Client(OURS) as ours:
        for other in (other for other in peers if other.offers(question)):
            print(f"{question.title}: {other.peer.name}", file=sys.stderr)
            try:
                with Client(other.peer) as theirs:
                    measured.append(row(question, other, ours, theirs, folder, seconds))
                print("   ", *filter(None, measured[-1].cells()[1:]), file=sys.stderr)
            except PeerError as problem:
                print(f"    left out: {problem}", file=sys.stderr)
    return with_goals(question, measured)


def row(
    question: Question, other: Present, ours: Client, theirs: Client, folder: Path, seconds: float
) -> Row:
    """Measure a question against one peer."""
    built, asked = folder / "built.npz", folder / "asked.npz"
    command, *where = ("ask", asked, str(question.round)) if question.asked else ("build", built)
    ours.tell("build", question.build, built)
    theirs.tell("build", question.build, built)
    contestants = [(client, (command, question.measured, *where)) for client in (ours, theirs)]
    ready = f"{question.measured}_ready"
    if ready in other.names:
        contestants.append((theirs, (command, ready, *where)))
    times = fastest(*contestants, seconds=seconds)
    answers = compared(question, other, ours, theirs, folder) if question.asked else ""
    return Row(question.title, other.peer.name, *times, answers=answers)


def compared(
    question: Question, other: Present, ours: Client, theirs: Client, folder: Path
) -> str:
    """Compare the answers, so that an incomplete answer cannot win."""
    asked = folder / "asked.npz"
    mine = answer(ours, question.asked, asked)
    his = answer(theirs, question.asked, asked)
    if question.asked == "objects_within":
        return compare.objects(mine, his, answer(ours, "proofs", asked), question.arrays["radii"])
    if question.asked in ("rays", "nearest"):
        return compare.distances(mine, his)
    if question.round > 1:
        return compare.pairs(mine, his, mine, mine, "")
    bounds = []
    for name, change in (("less", -compare.SINGLE), ("more", compare.SINGLE)):
        file = folder / f"{name}.npz"
        np.savez(file, **question.grown(change))
        bounds.append(answer(ours, question.asked, file))
    return compare.pairs(mine, his, *bounds, other.passes_more.get(question.asked, ""))


def answer(client: Client, name: str, file: Path) -> compare.Answer:
    """Have a question answered and read the answer."""
    target = file.with_name("answer.npz")
    client.tell("answer", name, file, target)
    with np.load(target) as arrays:
        return tuple(arrays.values())


def with_goals(question: Question, measured: list[Row]) -> list[Row]:
    """Set the goals beside the peers, or beside the fastest of them; a bound has its own row."""
    quickest = min(measured, key=lambda row: row.theirs, default=None)
    goals = dict(question.goals)
    if quickest and FASTEST in goals:
        goals[quickest.against] = goals[FASTEST]
    rows = [
        replace(row, must=must, aim=aim)
        for row in measured
        for must, aim in [goals.get(row.against, (None, None))]
    ]
    if measured and question.bound:
        ours = min(row.ours for row in measured)
        rows.append(Row(question.title, "the goal", ours, question.bound, must=1.0))
    return rows
