"""A real Blender with a window, on a screen of its own, driven from a test.

    def count_objects(kind):                     # runs inside Blender, so it imports for itself
        import bpy
        return sum(o.type == kind for o in bpy.context.scene.objects)

    @pytest.mark.window
    def test_start(window):                      # `window`: see conftest.py
        assert window.call(count_objects, "MESH") == 1
        window.move(500, 400)                    # where keys go is where the pointer is
        window.keys("a", "g", "x", "2", "Return", "ctrl+z")
        picture = window.picture("start")        # (h, w, 3) uint8; also tests/out/start.png

The test runs outside, under any Python; `call` carries a function's source into Blender's main
loop and its JSON result back. Blender starts with factory settings, the extension is installed
from the packed zip and enabled, and the context is that of the 3D viewport.
"""

import inspect
import json
import os
import subprocess
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CHECKOUT = Path(__file__).resolve().parents[2]
WHERE_BLENDER_IS = CHECKOUT / "tests/setup/where_blender_is.sh"
PICTURES = CHECKOUT / "tests/out"
WIDTH, HEIGHT = 1400, 900
MODULE = "bl_ext.user_default.octree"
START_SECONDS = 120
# "vulkan" asks for Mesa's lavapipe, the package mesa-vulkan-drivers.
BACKEND = os.environ.get("OCTREE_GPU_BACKEND", "opengl")


def run_there(*command: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end on the system that the real Blender belongs to."""
    return subprocess.run([WHERE_BLENDER_IS, *command], check=True, timeout=300, **options)


def start_there(*command: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start a command on the system that the real Blender belongs to."""
    return subprocess.Popen([WHERE_BLENDER_IS, *command], **options)


def install_extension(folder: Path, source: Path = CHECKOUT) -> None:
    """Pack a checkout, this one, and install it into the throw-away user folder `folder`."""
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(folder)}
    extension = ("blender", "--command", "extension")
    build = ("build", "--source-dir", str(source), "--output-filepath", f"{folder}/octree.zip")
    run_there(*extension, *build, env=environment)
    install = ("install-file", "--repo", "user_default", f"{folder}/octree.zip")
    run_there(*extension, *install, env=environment)


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    """Look again and again until something holds; a busy machine may take its time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    assert condition()


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that we started, gently at first."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Screen:
    """An X server without a monitor, and a window manager on it, so that keys find a window."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width, self.height = width, height
        reader, writer = os.pipe()
        size = f"{width}x{height}x24"
        self.server = start_there(
            *("Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp"),
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.environment = os.environ | {
                "DISPLAY": ":" + numbers.readline().strip(),
                "LIBGL_ALWAYS_SOFTWARE": "1",
            }
        self.manager = start_there(
            *("openbox", "--config-file", str(Path(__file__).with_name("openbox.xml"))),
            env=self.environment,
            stderr=subprocess.DEVNULL,
        )

    def close(self) -> None:
        """Stop both."""
        stop(self.manager)
        stop(self.server)


class Window:
    """One running Blender; see the module's docstring for what a test does with it."""

    def __init__(self, screen: Screen, user_folder: Path, folder: Path) -> None:
        self.folder, self.screen = folder, screen
        self.calls = 0
        self.environment = screen.environment | {"BLENDER_USER_RESOURCES": str(user_folder)}
        self.log = (folder / "blender.log").open("wb")
        geometry = ("--window-geometry", "0", "0", str(screen.width), str(screen.height))
        agent = str(Path(__file__).with_name("agent.py"))
        self.blender = start_there(
            *("blender", "--factory-startup", "--gpu-backend", BACKEND, *geometry),
            *("--python-exit-code", "1", "--python", agent, "--", str(folder)),
            env=self.environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.call(_enable, MODULE, timeout=START_SECONDS)

    def call(self, function: Callable[..., Any], *arguments: Any, timeout: float = 60) -> Any:
        """Run a self-contained function inside Blender; its arguments and result are JSON.

        Raises
        ------
        RuntimeError
            With Blender's traceback if the function raised, with its log if Blender ended or
            gave no answer in `timeout` seconds.
        """
        source = textwrap.dedent(inspect.getsource(function))
        call = {"source": source, "name": function.__name__, "arguments": arguments}
        self.calls += 1
        path = self.folder / f"{self.calls:04}.call"
        path.with_suffix(".draft").write_text(json.dumps(call))
        path.with_suffix(".draft").rename(path)
        answer = json.loads(self._wait_for(path.with_suffix(".answer"), timeout))
        if "traceback" in answer:
            raise RuntimeError(answer["traceback"])
        return answer["result"]

    def _wait_for(self, path: Path, timeout: float) -> str:
        end = time.monotonic() + timeout
        while not path.exists():
            if self.blender.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"no answer from Blender:\n{self.read_log()}")
            time.sleep(0.02)
        return path.read_text()

    def read_log(self) -> str:
        """Everything that Blender printed so far."""
        return (self.folder / "blender.log").read_text(errors="replace")

    def move(self, x: int, y: int) -> None:
        """Put the pointer `x` pixels from the left and `y` from the top."""
        self._xdotool("mousemove", str(x), str(y))

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Click at a place: 1 is the left button, 3 the right."""
        self.move(x, y)
        self._xdotool("click", str(button))

    def find_button(self, operator: str, *, x: int = 1000, top: int = 90) -> tuple[int, int]:
        """Return where the sidebar has the button of an operator, `"octree.build"`.

        The pointer goes down the sidebar at `x`, from `top` on, until Blender says that it is over
        the button: so panels may change above it. It comes from outside, and what is found has to
        last: a busy Blender hears of the pointer late, and names the button that it was over.
        """
        self.call(_warp, x - 600, top)
        wait_for(lambda: not self.call(_under_pointer))
        for y in range(top, self.screen.height - 40, 8):
            self.call(_warp, x, y)
            if self._is_over(operator):
                self.call(_warp, x, y + 6)
                self.call(_redraw)
                if self._is_over(operator):
                    return x, y + 6
        raise AssertionError(f"The sidebar has no button for {operator}")

    def _is_over(self, operator: str) -> bool:
        return bool(self.call(_under_pointer).startswith(f"bpy.ops.{operator}("))

    def press_button(self, operator: str, **where: int) -> None:
        """Click on the button of an operator in the sidebar."""
        self.click(*self.find_button(operator, **where))

    def keys(self, *names: str) -> None:
        """Press keys one after the other, in xdotool's names: `"a"`, `"ctrl+z"`, `"Escape"`.

        Each is followed by a redraw: a menu that was not drawn yet hears no key.
        """
        for name in names:
            self._xdotool("key", name)
            self.call(_redraw)

    def _xdotool(self, *arguments: str) -> None:
        run_there("xdotool", *arguments, env=self.environment)
        time.sleep(0.1)  # Blender reads events once a turn of its main loop

    def picture(self, name: str, *, redraw: bool = True) -> np.ndarray:
        """Photograph the screen into `tests/out/<name>.png` and return it, (h, w, 3) uint8.

        Without `redraw` nothing is asked of Blender, which may be busy.
        """
        if redraw:
            self.call(_redraw)
        PICTURES.mkdir(exist_ok=True)
        path = str(PICTURES / f"{name}.png")
        run_there("import", "-window", "root", path, env=self.environment)
        pixels = run_there("convert", path, "-depth", "8", "rgb:-", stdout=subprocess.PIPE).stdout
        return np.frombuffer(pixels, np.uint8).reshape(self.screen.height, self.screen.width, 3)

    def close(self) -> None:
        """End Blender."""
        stop(self.blender)
        self.log.close()


def _enable(module: str) -> None:
    import addon_utils

    if addon_utils.enable(module, default_set=True, persistent=True) is None:
        raise RuntimeError(f"{module} could not be enabled")


def _redraw() -> None:
    import bpy

    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)


def _warp(x: int, y: int) -> None:
    import bpy

    window = bpy.context.window
    window.cursor_warp(x, window.height - y)


def _under_pointer() -> str:
    """Return what the button of the sidebar under the pointer runs, as Python."""
    import bpy

    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    manager = bpy.context.window_manager
    with bpy.context.temp_override(region=sidebar):
        if not bpy.ops.ui.copy_python_command_button.poll():
            return ""
        manager.clipboard = ""
        bpy.ops.ui.copy_python_command_button()
        return manager.clipboard
