"""Run pytest inside a real Blender, as `make test` does.

    blender -b --python-exit-code 1 --python tests/run_in_blender.py -- PACKAGES ARGUMENTS...

PACKAGES is a folder that holds pytest and hypothesis for Blender's Python; ARGUMENTS are pytest's.
"""

import os
import sys
from pathlib import Path


def main(packages, *arguments):
    """Run the tests and end Blender with pytest's exit code."""
    sys.path.append(packages)
    os.chdir(Path(__file__).resolve().parents[1])
    import pytest

    code = pytest.main(list(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    # Blender 4.2 and 4.5 may crash or hang at exit if a test failed before it cleaned up.
    os._exit(code)


main(*sys.argv[sys.argv.index("--") + 1 :])
