"""Work in steps: parts of longer work, fractions, what is dropped, and functions made of steps."""

import ast
import inspect
from pathlib import Path

import pytest
from stepping import finished

import core
from core.steps import Steps, ascending, at_once, between, counted, repeated, run

CHECKOUT = Path(__file__).resolve().parents[2]


def counting(count: int, closed: list[str]) -> Steps[int]:
    """Yield fractions up to 1, and return their number."""
    try:
        for number in range(count):
            yield (number + 1) / count
    finally:
        closed.append("closed")
    return count


@pytest.mark.parametrize("count", [0, 1, 4])
def test_all_at_once_and_one_by_one_make_the_same(count):
    assert run(counting(count, [])) == count
    assert finished(counting(count, [])) == ([(i + 1) / count for i in range(count)], count)


def test_a_part_lies_between_two_fractions():
    assert finished(between(0.5, 1.0, counting(2, []))) == ([0.75, 1.0], 2)


@pytest.mark.parametrize("expected", [0.5, 8, 40])
@pytest.mark.parametrize("count", [0, 1, 8, 400])
def test_counted_steps_ascend_to_one_however_many_come(count, expected):
    fractions, result = finished(counted(counting(count, []), expected))
    assert (len(fractions), fractions[-1], result) == (count + 1, 1.0, count)
    assert fractions == sorted(fractions)


def test_steps_that_come_as_expected_are_equally_long():
    fractions, _ = finished(counted((None for _ in range(40)), 40))
    assert fractions[:35] == pytest.approx([(step + 1) / 40 for step in range(35)])


def test_what_is_done_stays_done():
    def back_and_forth():
        yield from (0.1, 0.5, 0.2, 0.7)
        return "done"

    assert finished(ascending(back_and_forth())) == ([0.1, 0.5, 0.5, 0.7], "done")


def test_a_dropped_part_is_closed_with_the_whole():
    closed = []
    whole = between(0.0, 0.5, between(0.0, 1.0, counting(3, closed)))
    kept = whole  # the part is closed by the whole, not by going out of reach
    next(whole)
    whole.close()
    assert closed == ["closed"]
    with pytest.raises(StopIteration):
        next(kept)


def test_a_check_ahead_of_each_step_ends_the_work():
    closed, calls = [], []

    def check():
        calls.append(len(calls))
        if len(calls) == 3:
            raise RuntimeError("the scene has changed")

    with pytest.raises(RuntimeError, match="the scene has changed"):
        run(repeated(counting(5, closed), float, before=check))
    assert closed == ["closed"]


def test_a_function_of_all_steps_carries_signature_and_docstring():
    def cut_steps(count: int, /, *, width: float = 1.0) -> Steps[str]:
        """Cut something, in steps.

        Returns
        -------
        generator of str
            What was cut.
        """
        yield width
        return "cut" * count

    cut = at_once(cut_steps)
    assert cut(2, width=0.5) == "cutcut"
    assert cut.__name__ == "cut"
    assert inspect.getdoc(cut).startswith("Cut something.\n")
    assert "generator" not in inspect.getdoc(cut)
    expected = inspect.signature(cut_steps).replace(return_annotation=str)
    assert inspect.signature(cut) == expected
    assert inspect.signature(cut_steps).return_annotation == Steps[str]


def loops_without_steps(source: str) -> list[str]:
    """Return the loops in functions of steps that go on as long as there is work, without steps.

    Loops over axes, sides and the like have an end that no scene moves.
    """
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and "Steps[" in ast.unparse(node.returns or node.args)
    ]
    return [
        f"{function.name}: {ast.unparse(node).splitlines()[0]}"
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.While | ast.For)
        if isinstance(node, ast.While) or "blocks(" in ast.unparse(node.iter)
        if not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))
    ]


def test_a_loop_without_steps_is_found():
    sound = "def f() -> Steps[int]:\n    for some in blocks(3):\n        yield 0.0\n"
    assert loops_without_steps(sound) == []
    for head in ("while True", "for some in blocks(9)"):
        source = f"def f() -> Steps[int]:\n    {head}:\n        work()\n    yield 1.0\n"
        assert loops_without_steps(source) == [f"f: {head}:"]


@pytest.mark.parametrize("folder", ["core", "octree_addon"])
def test_every_loop_over_work_in_steps_has_a_step(folder):
    found = [
        f"{path.relative_to(CHECKOUT).as_posix()} {loop}"
        for path in sorted((CHECKOUT / folder).rglob("*.py"))
        for loop in loops_without_steps(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_steps_end_in_one_place_of_the_project():
    catching = [
        path.relative_to(CHECKOUT).as_posix()
        for folder in ("core", "octree_addon")
        for path in sorted((CHECKOUT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and "StopIteration" in ast.unparse(node.type or ast.Constant(""))
    ]
    assert set(catching) == {"core/steps.py"}
    assert core.run is run
