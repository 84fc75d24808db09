"""What strangers are told and given: placeholders, threats, the bill of materials, zips, site."""

import json
import re
import struct
import sys
import tomllib
import zipfile
import zlib
from hashlib import sha256

import numpy as np
import pytest
from test_layers import CHECKOUT, files

sys.path += [
    str(CHECKOUT / folder) for folder in ("tests/setup", "docs/listing", "docs/website", "kernel")
]

import check
import icon
import pages
import plots
import release_check
import sbom
from zip_with_wheels import add_wheels

MANIFEST = tomllib.loads((CHECKOUT / "blender_manifest.toml").read_text(encoding="utf-8"))
# What opens connections, runs programs or unpickles.
UNSAFE = {
    "asyncio", "ftplib", "http", "imaplib", "marshal", "multiprocessing", "pickle", "poplib",
    "requests", "runpy", "shelve", "smtplib", "socket", "socketserver", "ssl", "subprocess",
    "telnetlib", "webbrowser", "xmlrpc",
}  # fmt: skip
UNSAFE_CALLS = re.compile(
    r"(?<![\w.])(eval|exec|compile|__import__)\(|os\.(system|popen|spawn|exec)\w*\(|sys\.path"
    r"|urllib\.request|url_open"
)


def text_of(path):
    return (CHECKOUT / path).read_text(encoding="utf-8")


# --- placeholders


def test_there_are_three_placeholders_and_these_files_repeat_them():
    """And no other file has an address of this kind, but for those that tell of them."""
    told = release_check.placeholders()
    assert set(told) == {"mail", "site", "index"}
    found = {name: set() for name in told}
    kinds = (".md", ".py", ".toml", ".yml", ".sh")
    tops = ("", ".github", "core", "demo", "docs", "kernel", "octree_addon", "tests/setup")
    for path in (path for top in tops for path in walked(top) if path.suffix in kinds):
        for name, each in told.items():
            if each["value"] in path.read_text(encoding="utf-8"):
                found[name].add(path.relative_to(CHECKOUT).as_posix())
    for name, each in told.items():
        assert found[name] == {"docs/listing/placeholders.toml", *each["repeated"]}, name
    assert MANIFEST["website"] == told["site"]["value"]
    assert told["mail"]["value"] in MANIFEST["maintainer"]


def walked(top):
    folder = CHECKOUT / top
    return folder.rglob("*") if top else folder.glob("*.*")


def test_a_release_is_refused_while_there_are_placeholders():
    waiting = [each for each in release_check.complaints() if "is a placeholder" in each]
    known = release_check.placeholders().values()
    assert len(waiting) == sum(".example" in each["value"] for each in known)
    assert any("the tag is v9" in each for each in release_check.complaints("v9"))
    right = release_check.complaints(f"v{MANIFEST['version']}")
    assert not any("the tag" in each for each in right)


# --- threats


def test_each_threat_is_held_by_a_test_that_is_there():
    section = text_of("SECURITY.md").split("\n## Threats\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| (.*?) \|$", section, re.MULTILINE)
    held = [re.findall(r"`([^`]+)`", row) for row in rows[1:]]
    assert len(held) > 20
    for path, name in held:
        assert re.search(rf"^def {name}\(", text_of(path), re.MULTILINE), (path, name)


def test_nothing_opens_a_connection_and_one_file_runs_a_program():
    paths = [*files("core"), *files("octree_addon"), *files("kernel/octree_kernel")]
    sources = {path.as_posix(): text_of(path) for path in paths}
    found = {
        (path, module)
        for path, text in sources.items()
        for module in re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE)
        if module in UNSAFE
    }
    assert found == {("octree_addon/item_buffer/gpu_context.py", "subprocess")}
    for path, text in sources.items():
        assert not UNSAFE_CALLS.search(text), path


@pytest.mark.parametrize("line", ["eval(text)", "x = exec(y)", "os.system('ls')", "sys.path += a"])
def test_unsafe_calls_are_noticed(line):
    assert UNSAFE_CALLS.search(line)
    assert not UNSAFE_CALLS.search("re.compile(x), model.eval(), retrieval(x)")


# --- zips and the bill of materials


def test_zips_are_the_same_whenever_and_in_whatever_order_they_were_packed(tmp_path):
    manifest = b'id = "octree"\n\n[permissions]\nfiles = "So"\n'
    content = {"blender_manifest.toml": manifest, "a.py": b"a = 1\n" * 99, "core/b.py": b""}
    wheel = tmp_path / "some-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    for year, names in ((1999, sorted(content)), (2026, sorted(content, reverse=True))):
        with zipfile.ZipFile(tmp_path / f"{year}.zip", "w") as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(name, (year, 2, 3, 4, 5, 6)), content[name])
        add_wheels(tmp_path / f"{year}.zip", tmp_path / f"{year}-plain.zip", [])
        add_wheels(tmp_path / f"{year}.zip", tmp_path / f"{year}-wheels.zip", [wheel])
    for kind in ("plain", "wheels"):
        old, new = ((tmp_path / f"{year}-{kind}.zip").read_bytes() for year in (1999, 2026))
        assert old == new
    with zipfile.ZipFile(tmp_path / "1999-plain.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == content
    with zipfile.ZipFile(tmp_path / "1999-wheels.zip") as archive:
        told = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert told["wheels"] == [f"./wheels/{wheel.name}"]


def test_the_bill_names_versions_and_digests_and_is_the_same_again(tmp_path):
    path = tmp_path / "octree.zip"
    path.write_bytes(b"zip")
    bill = sbom.bill([path])
    assert json.dumps(bill) == json.dumps(sbom.bill([path]))
    assert bill["metadata"]["component"]["version"] == MANIFEST["version"]
    parts = {each["name"]: each for each in bill["components"]}
    kernel = tomllib.loads(text_of("kernel/pyproject.toml"))
    assert parts["octree-kernel"]["version"] == kernel["project"]["version"]
    assert parts["numpy"]["scope"] == "excluded"
    digest = sha256(path.read_bytes()).hexdigest()
    assert parts["octree.zip"]["hashes"] == [{"alg": "SHA-256", "content": digest}]
    path.write_bytes(b"another")
    assert sbom.bill([path])["serialNumber"] != bill["serialNumber"]
    refs = {"octree", *(each["bom-ref"] for each in bill["components"])}
    named = {ref for each in bill["dependencies"] for ref in (each["ref"], *each["dependsOn"])}
    assert named <= refs


# --- the listing


def test_the_icon_is_what_its_script_draws_and_is_told_at_32_pixels():
    drawn = icon.drawn()
    assert np.array_equal(pixels_of(CHECKOUT / "docs/listing/icon.png"), drawn)
    assert drawn.shape == (256, 256, 4)
    small = icon.drawn(32).astype(int)
    orange = (small[..., 0] > small[..., 2] + 80).sum()
    blue = (small[..., 2] > small[..., 0] + 60).sum()
    assert 50 < orange < blue < 32 * 32 / 2


def pixels_of(path):
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        content = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", content[:8])
        packed += content * (kind == b"IDAT")
        at += length + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 4 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 4)


def test_the_listing_names_todays_zips_and_the_manifest_fits_the_platform():
    zips = set(re.findall(r"octree-[\d.]+\d(?:-numpy)?\.zip", text_of("docs/listing/listing.md")))
    version = MANIFEST["version"]
    assert zips == {f"octree-{version}.zip", f"octree-{version}-numpy.zip"}
    assert {"Mesh", "Development"} <= set(MANIFEST["tags"])
    assert set(MANIFEST["permissions"]) == {"files", "clipboard"}
    for reason in (MANIFEST["tagline"], *MANIFEST["permissions"].values()):
        assert len(reason) <= 64 and reason[-1].isalnum()


# --- the site


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('<a href="b.html#two">b</a><img src="p.png" alt="p">', ""),
        ('<a href="c.html">c</a>', "leads nowhere: c.html"),
        ('<a href="b.html#three">b</a>', "no such anchor: b.html#three"),
        ('<a href="#three">here</a>', "no such anchor: #three"),
        ('<img src="q.png" alt="q">', "leads nowhere: q.png"),
        ('<img src="p.png">', "a picture without words"),
        ('<script src="https://cdn.example.org/a.js"></script>', "asks another server"),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "asks another server"),
        ('<a href="https://blender.org">far</a>', ""),
        ('<a href="octree.zip">Download</a>', ""),
    ],
)
def test_the_site_is_checked_for_what_leads_nowhere(tmp_path, line, wrong):
    (tmp_path / "a.html").write_text(f"<p id='one'>{line}</p>", encoding="utf-8")
    (tmp_path / "b.html").write_text("<p id='two'></p>", encoding="utf-8")
    (tmp_path / "p.png").touch()
    front = tmp_path / "index.html"
    front.write_text("<a href='b.html'>b</a><a href='octree.zip'>Download</a>", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "octree.zip", "w") as archive:
        archive.writestr("blender_manifest.toml", "")
    found = check.complaints(tmp_path)
    assert [wrong in each for each in found] == [True] * bool(wrong), found


def test_the_front_page_of_the_site_has_the_extension_in_one_click(tmp_path):
    """The first of six clicks and presses; tests/gui/test_first_minute.py has the other five."""
    name = f"octree-{MANIFEST['version']}.zip"
    assert text_of("docs/website/index.md").count(f"]({'../../' + name})") == 1
    front = tmp_path / "index.html"
    for content in ("", f"<a href='{name}'>Download</a>"):
        front.write_text(content, encoding="utf-8")
        assert check.NO_ZIP in check.complaints(tmp_path)
    (tmp_path / name).write_bytes(b"no archive")
    assert check.complaints(tmp_path) == [check.NO_ZIP]
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("blender_manifest.toml", "")
    assert not check.complaints(tmp_path)


def test_pages_link_to_each_other_at_their_places_on_the_site(tmp_path, monkeypatch):
    """With stand-ins for files of recipes and zips, and without pages that the code tells."""
    monkeypatch.setattr(pages, "made", lambda path, command: CHECKOUT / "LICENSE")
    pages.main(tmp_path)
    texts = {path.resolve(): path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    assert len(texts) > 25
    headings = {
        path: {
            re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-")
            for each in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        }
        for path, text in texts.items()
    }
    for path, text in texts.items():
        for link in pages.LINK.findall(pages.FENCE.sub("", text)):
            target, _, anchor = link.partition("#")
            goal = (path.parent / target).resolve() if target else path
            if "://" not in link:
                assert goal.exists(), (path.name, link)
                assert not anchor or anchor in headings[goal], (path.name, link)


def test_recipes_have_a_page_a_picture_five_lines_and_a_file():
    names = re.findall(r'^    Recipe\(\s*"(\w+)"', text_of("demo/recipe_scenes.py"), re.MULTILINE)
    pages = {path.stem for path in (CHECKOUT / "docs/recipes").glob("*.md")} - {"index"}
    assert len(names) == 12 and set(names) == pages
    index, site = text_of("docs/recipes/index.md"), text_of("docs/website/mkdocs.yml")
    for name in names:
        page = text_of(f"docs/recipes/{name}.md")
        assert f"]({name}.jpg)" in page and f"`{name}.blend`" in page
        assert len(re.findall(r"^\d\. ", page, re.MULTILINE)) == 5
        assert f"({name}.md)" in index and f"recipes/{name}.md" in site
        assert (CHECKOUT / f"docs/recipes/{name}.jpg").stat().st_size < 60_000


def test_the_front_page_is_short_and_sells_three_things():
    front = text_of("README.md")
    assert front.count("\n") <= 170
    for name in ("make site", "make wheels zip", "make recipes"):
        assert f"| `{name}` |" in front


def test_plots_show_each_ratio_of_a_table(tmp_path):
    table = (
        "| | against | ratio |\n|---|---|---|\n| rays | VTK | 0.25 x |\n| boxes & more | | 4 x |\n"
    )
    page = plots.with_plots(f"Text.\n\n{table}\n| a | b |\n|---|---|\n| 1 | 2 x |\n", tmp_path)
    assert page.count("](plots/") == 1
    assert page.index("](plots/") < page.index("| rays")
    drawn = (tmp_path / "plots/benchmarks_1.svg").read_text(encoding="utf-8")
    assert ">rays: VTK<" in drawn and ">boxes &amp; more<" in drawn
    widths = re.findall(r'<rect .*?width="([\d.]+)"', drawn)
    assert len(widths) == 2 and widths[0] == widths[1]  # a quarter is as far from 1 as four
