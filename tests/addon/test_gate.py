"""The gate: what fails, what does not, and what is refused."""

import json
import re
from argparse import ArgumentParser

import numpy as np
import pytest
from finding_scenes import ANY, any_findings, house, make_findings
from hypothesis import given
from hypothesis import strategies as st

from octree_ext.core import FINDING_CLASSES
from octree_ext.octree_addon.audit import model as audit
from octree_ext.octree_addon.audit import report_formats as reports
from octree_ext.octree_addon.audit.model import (
    IGNORED,
    RESOLVED,
    REVIEWED,
    About,
    gate,
)

ABOUT = About("house.blend", "Ada", "2026-11-22T17:00:00+00:00")


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ("", gate.FAIL_ON),
        ("--fail-on overlap,duplicate --clearance 0.03", ("overlap", "duplicate")),
        ("--fail-on none", ()),
        ("--fail-on self-intersection", ("self-intersection",)),
        ("--fail-on coplanar", ("coplanar same-facing", "coplanar opposite-facing")),
        ("--fail-on coplanar-same-facing,overlap", ("overlap", "coplanar same-facing")),
        ("--fail-on near --clearance 1", ("near",)),
    ],
)
def test_lines_that_make_sense(line, classes):
    assert audit.gate_of(parsed(line.split())).fail_on == classes


def parsed(arguments):
    parser = ArgumentParser(allow_abbrev=False)
    audit.add_options(parser)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--fail-on crash", "got 'crash'"),
        ("--fail-on ,", "got ''"),
        ("--fail-on over", "got 'over'"),
        ("--fail-on near", "needs a --clearance above 0"),
        ("--clearance -1", "--clearance must be 0 or more"),
        ("--clearance nan", "--clearance must be 0 or more"),
        ("--clearance inf", "--clearance must be 0 or more"),
        ("--report x.pdf", "must end in .csv"),
    ],
)
def test_lines_that_make_none(line, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        audit.run_audit(parsed(line.split()), lambda _: pytest.fail("It was run"))


@pytest.mark.parametrize("line", ["--clearance x", "--clearance", "--nonsense", "stray"])
def test_what_a_parser_does_not_understand_is_two(line, capsys):
    with pytest.raises(SystemExit) as end:
        parsed(line.split())
    assert end.value.code == 2
    assert "usage:" in capsys.readouterr().err


def code(line, found=None, known=None):
    asked = audit.gate_of(parsed(line.split()))
    return int(gate.failing(house() if found is None else found, asked, known).any())


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", 1),
        ("--fail-on overlap", 1),
        ("--fail-on duplicate", 1),
        ("--fail-on contained", 0),
        ("--fail-on none", 0),
        ("--fail-on near --clearance 0.02", 1),
        ("--fail-on near --clearance 0.019", 0),
    ],
)
def test_the_code_of_a_house(line, wanted):
    assert code(line) == wanted


@pytest.mark.parametrize(("status", "wanted"), [(IGNORED, 0), (RESOLVED, 0), (REVIEWED, 1)])
def test_what_is_settled_does_not_fail(status, wanted):
    found = house().with_statuses(np.arange(5), status, "so be it")
    assert code("", found) == wanted


def test_what_a_baseline_has_does_not_fail():
    assert code("", known=house()) == 0
    assert code("", known=house().take(np.array([0, 2, 3]))) == 1
    assert code("--fail-on duplicate", known=house().take(np.array([3]))) == 0
    resolved = house().with_statuses([0], RESOLVED)
    assert code("--fail-on overlap", known=resolved) == 1  # it came back


@given(any_findings(), st.sets(st.sampled_from(FINDING_CLASSES)))
@ANY
def test_what_fails_is_what_a_loop_finds(found, classes):
    asked = gate.Gate(tuple(classes), clearance=1e9)
    wanted = [
        found.class_of(row) in classes and found.statuses[row] < IGNORED
        for row in range(len(found))
    ]
    assert gate.failing(found, asked).tolist() == wanted


def run(line, found=None):
    said = []
    asked = []

    def answer(gate):
        asked.append(gate)
        return (house() if found is None else found), ABOUT

    return gate.run_audit(parsed(line), answer, said.append), said, asked


def test_a_run_says_what_fails():
    fails, said, asked = run(["--fail-on", "overlap", "--clearance", "0.03"])
    assert fails
    assert said == [
        "overlap: Pipe / Beam, depth 0.012 to 0.013 m",
        "overlap: Pipe / Slab, depth 0.2 m",
        "5 found, 2 of them fail",
    ]
    assert asked[0].clearance == 0.03


def test_a_run_writes_its_reports(tmp_path):
    paths = [tmp_path / f"audit{writer.ending}" for writer in reports.REPORTS.values()]
    line = [part for path in paths for part in ("--report", str(path))]
    assert run([*line, "--fail-on", "duplicate"])[0]
    assert all(path.stat().st_size for path in paths)
    assert b'failures="1"' in (tmp_path / "audit.xml").read_bytes()
    baseline = ["--baseline", str(tmp_path / "audit.json")]
    assert run(baseline)[:2] == (False, ["5 found, 0 of them fail"])


def test_many_are_not_all_said():
    objects = audit.audited_objects([f"Part {number}" for number in range(31)])
    found = make_findings(
        objects,
        [0] * 30,
        [range(30), range(1, 31)],
        [1] * 30,
        [1] * 30,
        [1] * 30,
        np.zeros((30, 3)),
    )
    _, said, _ = run([], found)
    assert said[-2:] == ["and 10 more", "30 found, 30 of them fail"]
    assert len(said) == 22


def test_a_baseline_that_is_none_is_refused(tmp_path):
    path = tmp_path / "old.json"
    with pytest.raises(OSError, match=r"old\.json"):
        run(["--baseline", str(path)])
    path.write_text(json.dumps({"format": "other"}))
    with pytest.raises(ValueError, match="format must be 'octree-audit'"):
        run(["--baseline", str(path)])


def test_a_report_that_cannot_be_written_is_refused_before_the_audit(tmp_path):
    path = tmp_path / "no such folder" / "x.csv"
    with pytest.raises(OSError, match="no such folder"):
        audit.run_audit(parsed(["--report", str(path)]), lambda _: pytest.fail("It was run"))


def test_help_names_the_classes(capsys):
    with pytest.raises(SystemExit):
        parsed(["--help"])
    said = "".join(capsys.readouterr().out.split())
    assert all(name.replace(" ", "-") in said for name in FINDING_CLASSES)
