"""Build backend of the kernel's package (PEP 517): wheels and source archive.

    python kernel/backend.py FOLDER [PLATFORM...]

The archives are written here, so that two builds are equal to the byte. The only requirement is
a compiler: ziglang, unless CC= names another.
"""

import csv
import gzip
import io
import os
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from platform import machine
from tempfile import TemporaryDirectory

# Build tools find these modules by `backend-path`, a script by its own folder.
from compile import HEADERS, HERE, SOURCES, TARGETS, compiled, digest

PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
ABOUT = PROJECT["project"]
NAME = f"octree_kernel-{ABOUT['version']}"
FILES = ("pyproject.toml", "README.md", "backend.py", "bindings.py", "compile.py")
PACKAGE = sorted(f"octree_kernel/{path.name}" for path in HERE.glob("octree_kernel/*.py"))


def _metadata() -> bytes:
    """Return the package's metadata (core metadata 2.4)."""
    fields = {
        "Metadata-Version": "2.4",
        "Name": ABOUT["name"],
        "Version": ABOUT["version"],
        "Summary": ABOUT["description"],
        "License-Expression": ABOUT["license"],
        "License-File": "LICENSE",
        "Requires-Python": ABOUT["requires-python"],
        "Description-Content-Type": "text/markdown",
    }
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return (head + "\n" + (HERE / "README.md").read_text(encoding="utf-8")).encode()


def _license() -> bytes:
    """Return the license text from the checkout or from the unpacked source."""
    path = next(p / "LICENSE" for p in (HERE, HERE.parent) if (p / "LICENSE").is_file())
    return path.read_bytes()


def wheel_of(library: Path, platform: str, folder: Path) -> Path:
    """Pack a compiled library into a wheel for one platform and every Python.

    Parameters
    ----------
    library : Path
        The library.
    platform : str
        The platform tag.
    folder : Path
        Target folder.

    Returns
    -------
    Path
        The wheel.
    """
    about, tag = f"{NAME}.dist-info", f"py3-none-{platform}"
    told = f"Wheel-Version: 1.0\nGenerator: octree-kernel\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {
        **{name: (HERE / name).read_bytes() for name in PACKAGE},
        **{f"octree_kernel/{p.name}": p.read_bytes() for p in (library, digest(library))},
        f"{about}/METADATA": _metadata(),
        f"{about}/WHEEL": told.encode(),
        f"{about}/licenses/LICENSE": _license(),
    }
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, content in files.items():
        checksum = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow((name, f"sha256={checksum}", len(content)))
    rows.writerow((f"{about}/RECORD", "", ""))
    path = folder / f"{NAME}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, f"{about}/RECORD": record.getvalue().encode()}.items():
            entry = zipfile.ZipInfo(name)  # of 1980
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # wherever it is packed
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def compiled_wheel(folder: Path, platform: str = "") -> Path:
    """Compile for a platform, by default this machine, and pack the wheel."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if sys.platform == "darwin":  # where that names the version of this machine, or two machines
        here = f"macosx_11_0_{machine()}"
    with TemporaryDirectory() as made:
        library = compiled(Path(made), platform=platform)
        return wheel_of(library, platform or here, folder)


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    """Return the build requirements: the compiler, unless CC= names one."""
    return [] if os.environ.get("CC") else PROJECT["tool"]["octree-kernel"]["compiler"]


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: object = None
) -> str:
    """Compile for this machine; return the name of the wheel."""
    return compiled_wheel(Path(wheel_directory)).name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Pack the source; return the name of the archive."""
    files = {name: (HERE / name).read_bytes() for name in (*FILES, *PACKAGE)}
    files |= {path.name: path.read_bytes() for path in (*SOURCES, *HEADERS)}
    files |= {"LICENSE": _license(), "PKG-INFO": _metadata()}
    path = Path(sdist_directory, f"{NAME}.tar.gz")
    with gzip.GzipFile(path, "wb", mtime=0) as packed, tarfile.open(None, "w", packed) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{NAME}/{name}")  # of 1970
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path.name


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for platform in sys.argv[2:] or TARGETS:
        print(compiled_wheel(folder, platform), flush=True)
    print(folder / build_sdist(str(folder)))
