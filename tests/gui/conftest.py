"""Fixtures of the window tests: a screen, an installed extension, a Blender that starts over."""

import subprocess

import pytest
from gui.harness import WHERE_BLENDER_IS, Screen, Window, install_extension

TOOLS = "command -v Xvfb openbox xdotool import convert >/dev/null"


def reason_to_skip():
    """Say why there can be no window here, or nothing."""
    found = subprocess.run([WHERE_BLENDER_IS, "true"], capture_output=True, text=True, check=False)
    if found.returncode:
        return found.stderr.strip()
    tools = subprocess.run([WHERE_BLENDER_IS, "sh", "-c", TOOLS], check=False)
    return "needs xvfb, openbox, xdotool and imagemagick" if tools.returncode else ""


@pytest.fixture(scope="session")
def screen():
    """Start an X server of our own."""
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    screen = Screen()
    yield screen
    screen.close()


@pytest.fixture(scope="session")
def user_folder(screen, tmp_path_factory):
    """Install the extension from its packed zip into a throw-away user folder."""
    folder = tmp_path_factory.mktemp("user")
    install_extension(folder)
    return folder


@pytest.fixture(scope="session")
def blender(screen, user_folder, tmp_path_factory):
    """Start the Blender that one test after the other gets, each with a new start."""
    window = Window(screen, user_folder, tmp_path_factory.mktemp("window"))
    yield window
    window.close()


@pytest.fixture
def unused(blender):
    """Let the window be a Blender in which no other test has been."""
    blender.is_fit = False


@pytest.fixture
def window(blender, request):
    """Give a Blender with the extension enabled and nothing else: see `gui.harness.Window`."""
    blender.renew()
    failed = request.session.testsfailed
    yield blender
    blender.is_fit = request.session.testsfailed == failed
