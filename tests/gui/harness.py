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
loop and its JSON result back; where the function yields, Blender handles what has happened. It has
factory settings, the extension is installed from the packed zip and enabled, and the context is
that of the 3D viewport. One Blender serves one test after the other, each from a new start.
"""

import inspect
import json
import os
import shlex
import struct
import subprocess
import textwrap
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        time.sleep(0.05)
    assert condition()


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that we started, gently at first."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def write_png(path: Path, pixels: np.ndarray, level: int = 1) -> None:
    """Write (h, w, 3) pixels in three chunks; see the PNG specification of the W3C, 2003."""
    height, width, _ = pixels.shape
    rows = np.insert(pixels.reshape(height, -1), 0, 0, axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, level)), (b"IEND", b""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks))


def _chunk(kind: bytes, body: bytes) -> bytes:
    checked = kind + body
    return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))


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
                "OCTREE_KERNEL": "off",  # which would draw in place of that software
            }
        self.manager = start_there(
            *("openbox", "--config-file", str(Path(__file__).with_name("openbox.xml"))),
            env=self.environment,
            stderr=subprocess.DEVNULL,
        )
        # One shell for all that hands do: to enter the root folder takes longer than a key.
        self.shell = start_there(
            *("sh", "-c", 'while read -r line; do eval "$line"; echo $?; done'),
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> None:
        """Run a command that prints nothing on this screen."""
        self.shell.stdin.write(shlex.join(command) + "\n")
        self.shell.stdin.flush()
        assert self.shell.stdout.readline() == "0\n", command

    def close(self) -> None:
        """Stop all of it."""
        stop(self.shell)
        stop(self.manager)
        stop(self.server)


class Window:
    """One running Blender; see the module's docstring for what a test does with it."""

    def __init__(
        self, screen: Screen, user_folder: Path, folder: Path, *, module: str = MODULE
    ) -> None:
        """Start Blender, and enable an extension that `user_folder` has, if any is named."""
        self.folder, self.screen, self.module = folder, screen, module
        self.calls = 0
        self.environment = screen.environment | {"BLENDER_USER_RESOURCES": str(user_folder)}
        self._start()

    def _start(self) -> None:
        self.is_new = self.is_fit = True
        self._said_before = 0
        self.log = (self.folder / "blender.log").open("wb")
        geometry = ("--window-geometry", "0", "0", str(self.screen.width), str(self.screen.height))
        agent = str(Path(__file__).with_name("agent.py"))
        self.blender = start_there(
            *("blender", "--factory-startup", "--gpu-backend", BACKEND, *geometry),
            *("--python-exit-code", "1", "--python", agent, "--", str(self.folder)),
            env=self.environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.call(_enable, self.module, timeout=START_SECONDS)

    def renew(self) -> None:
        """Begin anew: with factory settings, a new file and the extension imported again.

        Whatever a test has left, our own modules included, is gone. Where Blender has ended or is
        not fit for more, as a test has failed in it or renamed panels, another one is started.
        """
        if self.is_new:
            self.is_new = False
            return
        if self.is_fit and self.blender.poll() is None and self.call(_has_its_panels, MODULE):
            self.screen.run("xdotool", "keyup", "shift", "keyup", "ctrl", "keyup", "alt")
            self.move(self.screen.width // 2, self.screen.height // 2)
            self.call(_start_over, MODULE)
            self._said_before = len(self._whole_log())
        else:
            self.close()
            for path in self.folder.glob("*.call"):
                path.unlink()
            self._start()
            self.is_new = False

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
        """Everything that Blender has printed since the last start."""
        return self._whole_log()[self._said_before :]

    def _whole_log(self) -> str:
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
        y = self.call(_find_button, operator, x, top, self.screen.height - 40)
        assert y is not None, f"The sidebar has no button for {operator}"
        return x, y

    def press_button(self, operator: str, **where: int) -> None:
        """Click on the button of an operator in the sidebar."""
        self.click(*self.find_button(operator, **where))

    @contextmanager
    def held_work(self, share: float = 0.3) -> Iterator[None]:
        """Let operators do no more than a share of their work: so Esc comes in time anywhere.

        What is not stopped goes on afterwards.
        """
        self.call(_hold_work, self.module, share)
        try:
            yield
        finally:
            self.call(_hold_work, self.module, None)

    def keys(self, *names: str) -> None:
        """Press keys one after the other, in xdotool's names: `"a"`, `"ctrl+z"`, `"Escape"`.

        Blender draws after each, as a menu that was not drawn yet hears no key.
        """
        for name in names:
            self._xdotool("key", name)

    def _xdotool(self, *arguments: str) -> None:
        """Let a hand do something, and Blender's main loop hear of it."""
        self.screen.run("xdotool", *arguments)
        self.call(_turn)

    def picture(self, name: str, *, redraw: bool = True) -> np.ndarray:
        """Photograph the screen into `tests/out/<name>.png` and return it, (h, w, 3) uint8.

        Without `redraw` nothing is asked of Blender, which may be busy.
        """
        if redraw:
            self.call(_redraw)
        command = ("import", "-window", "root", "-depth", "8", "rgb:-")
        seen = run_there(*command, env=self.environment, stdout=subprocess.PIPE).stdout
        pixels = np.frombuffer(seen, np.uint8).reshape(self.screen.height, self.screen.width, 3)
        write_png(PICTURES / f"{name}.png", pixels)
        return pixels

    def close(self) -> None:
        """End Blender."""
        stop(self.blender)
        self.log.close()


def _enable(module: str) -> None:
    import addon_utils

    if module and addon_utils.enable(module, default_set=True, persistent=True) is None:
        raise RuntimeError(f"{module} could not be enabled")


def _hold_work(module: str, share: float | None) -> None:
    import importlib

    stepped = importlib.import_module(f"{module}.octree_addon.ui.stepped")
    running = importlib.import_module(f"{module}.core").Running

    class Held(running):
        until = share

        def step(self):
            return self.value >= Held.until or super().step()

    if share is None:
        stepped.Running.until = 2
    stepped.Running = running if share is None else Held


def _has_its_panels(module: str) -> bool:
    """Tell whether the panels of an extension go by their own names, if it is enabled."""
    import sys

    if not getattr(sys.modules.get(module), "__addon_enabled__", False):
        return True
    classes = sys.modules[f"{module}.octree_addon"].CLASSES
    panels = [each for each in classes if hasattr(each, "bl_category")]
    return all(getattr(each, "bl_idname", each.__name__) == each.__name__ for each in panels)


def _start_over(module: str) -> None:
    """Reset Blender as `--factory-startup` has it; import and enable an extension anew."""
    import sys

    import addon_utils
    import bpy

    def fail(error):
        raise error

    if getattr(sys.modules.get(module), "__addon_enabled__", False):
        for each in sys.modules[f"{module}.octree_addon"].CLASSES:
            if not getattr(each, "is_registered", True):  # a test has taken it away
                bpy.utils.register_class(each)
    addon_utils.disable(module, default_set=True, handle_error=fail)
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{module}.")]:
        del sys.modules[name]
    bpy.ops.wm.read_factory_settings()
    view = bpy.context.preferences.view
    view.show_splash = view.use_save_prompt = False
    bpy.context.preferences.system.viewport_aa = "OFF"
    if addon_utils.enable(module, default_set=True, persistent=True) is None:
        raise RuntimeError(f"{module} could not be enabled again")


def _redraw(times: int = 2) -> None:
    import bpy

    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=times)


def _turn():
    """Wait until what has happened is handled and drawn: timers run before that, within a turn."""
    for _ in range(3):
        yield


def _find_button(operator: str, x: int, top: int, bottom: int):
    """Return how far down the sidebar has the button of an operator; None if nowhere."""
    import bpy

    window, manager = bpy.context.window, bpy.context.window_manager

    def warp(x, y):
        window.cursor_warp(x, window.height - y)
        yield
        yield

    def under():
        """Return what the button under the pointer runs, as Python."""
        sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
        with bpy.context.temp_override(region=sidebar):
            if not bpy.ops.ui.copy_python_command_button.poll():
                return ""
            manager.clipboard = ""
            bpy.ops.ui.copy_python_command_button()
            return manager.clipboard

    yield from warp(x - 600, top)
    while under():
        yield

    def is_over(y):
        yield from warp(x, y)
        return under().startswith(f"bpy.ops.{operator}(")

    for y in range(top, bottom, 16):
        if (yield from is_over(y)):
            # Well inside, wherever in its 20 pixels it was met.
            inside = y - 2 if (yield from is_over(y - 8)) else y + 6
            yield from warp(x, inside)
            bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
            yield  # a redraw leaves no area in the context
            if (yield from is_over(inside)):
                return inside
    return None
