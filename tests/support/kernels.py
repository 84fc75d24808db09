"""The compiled kernel in tests: which ones need it, and fixtures that run with it and without."""

import pytest

from core import compiled, use_kernel

WHY_NOT = compiled.why_not()
needs_kernel = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "there")
# What a test of the kernel's sources costs is paid in one suite: the one that has it compiled.
KERNELS = [pytest.param(False, id="NumPy"), pytest.param(True, id="kernel", marks=needs_kernel)]


@pytest.fixture(params=KERNELS)
def each_kernel(request):
    """Run a test twice: NumPy answers, then the kernel."""
    use_kernel(request.param)
    yield
    use_kernel(True)
