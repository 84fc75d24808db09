"""The page of the demo in a Chromium: what is exported is shown, upright; `make test-tiles`."""

import http.server
import json
import shutil
import threading
from functools import partial
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import cube
from browser import browser, path_of_browser

from octree_ext.octree_addon import command_line

CHECKOUT = Path(__file__).resolve().parents[2]
VIEWER = CHECKOUT / ".cache" / "tiles" / "page" / "viewer"
OUT = CHECKOUT / "tests" / "out"
pytestmark = pytest.mark.skipif(
    not (path_of_browser() and VIEWER.is_dir()), reason="no Chromium or viewer: make test-tiles"
)


@pytest.fixture
def served(tmp_path):
    """Serve a folder; yield its address and what was asked for, with the answers."""
    asked = {}

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_request(self, code="-", size="-"):
            asked[self.path] = int(code)

    serve = partial(Handler, directory=tmp_path / "tiles")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()


def painted(name, color, **place):
    item = cube(name, 1.0, **place)
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    shader = next(each for each in material.node_tree.nodes if each.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*color, 1)
    item.data.materials.append(material)


def rows_of(content, path, channel):
    """Keep a picture; return the rows, from above, of pixels of red (0), green or blue."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    image = bpy.data.images.load(str(path))
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    pixels = values.reshape(image.size[1], -1, 4)[::-1]
    others = np.delete(pixels[..., :3], channel, axis=-1).max(axis=-1)
    return (pixels[..., channel] > 1.5 * others).nonzero()[0]


@pytest.mark.parametrize("place", ["", "8.5417,47.3769,408"], ids=["nowhere", "on Earth"])
def test_all_chunks_are_shown_upright(empty_scene, tmp_path, served, place):
    """Red stands on blue, wherever that is on Earth; nothing is asked for that is not there."""
    painted("Base", (0, 0, 0.8), location=(3, 0, 0), scale=(3, 3, 1))
    painted("Tower", (0.8, 0, 0), location=(3, 0, 4), scale=(0.5, 0.5, 3))
    path, out = tmp_path / "scene.blend", tmp_path / "tiles"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    words = ["chunks", path, "--triangles", "8", "--least-triangles", "0", "--tiles", out]
    words += ["--georeference", place] if place else []
    assert command_line.main([str(word) for word in words]) == 0
    shutil.copytree(VIEWER, out / "viewer")
    shutil.copyfile(CHECKOUT / "demo" / "tiles.html", out / "index.html")
    chunks = json.loads((out / "manifest.json").read_text())["chunks"]
    total = sum(each["triangles"] for each in chunks)
    address, asked = served
    with browser() as page:
        page.show(address)
        said = f"{len(chunks)} chunks, {total} triangles"
        page.wait(f"document.getElementById('said')?.textContent === {said!r}")
        picture = page.picture()
        page.value("document.getElementById('colored').click()")
        page.value("new Promise((done) => setTimeout(done, 500))")
        colored = page.picture()
    assert len(chunks) > 4
    assert set(asked.values()) == {200}
    assert {f"/{each['id']}.glb" for each in chunks} < asked.keys()
    name = f"tiles_{'earth' if place else 'nowhere'}.png"
    above, below = (rows_of(picture, OUT / name, channel) for channel in (0, 2))
    assert len(above) > 500 and len(below) > 5_000
    assert above.mean() + 50 < below.mean()
    assert colored != picture
