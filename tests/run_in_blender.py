"""Run pytest inside Blender, a whole one or a wheel, as `make test` does.

    blender -b --python-use-system-env --python-exit-code 1 --python tests/run_in_blender.py -- ...
    .venv/bpy-4.2/bin/python tests/run_in_blender.py -- ...

After `--` stand pytest's arguments. A whole Blender's Python has no pytest: PYTHONPATH names a
folder that holds one.
"""

import os
import sys
from pathlib import Path

import pytest

os.chdir(Path(__file__).resolve().parents[1])
code = pytest.main(sys.argv[sys.argv.index("--") + 1 :])
sys.stdout.flush()
sys.stderr.flush()
# Leave at once: at exit the wheel of 4.2 crashes over any callback of a property, even of one
# that was unregistered, and that of 4.5 hangs over any handler that a failed test left behind.
os._exit(code)
