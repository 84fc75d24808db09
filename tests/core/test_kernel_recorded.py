"""Recorded kernel calls are repeated in C, as on machines without Python."""

import shutil
import subprocess
import sys

import pytest
from support.kernels import needs_kernel
from test_layers import CHECKOUT

pytestmark = [
    needs_kernel,
    pytest.mark.skipif(not shutil.which("gcc") or sys.platform != "linux", reason="wants gcc"),
]


def test_every_function_is_called_once_more_and_answers_as_before(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT / "kernel/tests")
    import recorded

    counts = recorded.record(tmp_path / "calls", (6, 8))
    asked_by_ctypes = {"abi"}  # when the library is opened
    assert set(recorded.FUNCTIONS) == counts.keys() | asked_by_ctypes
    program = recorded.driver(tmp_path, ["gcc", "-O1"])
    same = subprocess.run([program, tmp_path / "calls"], capture_output=True, check=False)
    assert (same.returncode, same.stdout.endswith(b", 0 answered otherwise\n")) == (0, True)
    calls = bytearray((tmp_path / "calls").read_bytes())
    calls[-9] ^= 1  # in the last recorded result
    (tmp_path / "calls").write_bytes(calls)
    other = subprocess.run([program, tmp_path / "calls"], capture_output=True, check=False)
    assert (other.returncode, other.stdout.endswith(b", 1 answered otherwise\n")) == (1, True)
