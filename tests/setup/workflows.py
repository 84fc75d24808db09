"""Hold the workflows of a forge against the Makefile; part of `make lint`.

Each step is a command of the Makefile, so that what a forge runs is run here, or an action of the
forge's own that brings files there and back.
"""

import re
import sys
from pathlib import Path

import yaml  # pre-commit brings it

CHECKOUT = Path(__file__).resolve().parents[2]
# Of the forge itself; none of a stranger. Not setup-python: in a container its Pythons may lack
# the C library that they were compiled for.
ACTIONS = re.compile(
    r"actions/(checkout|upload-artifact|download-artifact|upload-pages-artifact"
    r"|deploy-pages)@v\d+"
)


def targets():
    """Return the commands of the Makefile."""
    text = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))


def commands(job):
    """Yield what a job runs, with each value of its matrix."""
    values = job.get("strategy", {}).get("matrix", {})
    for step in job["steps"]:
        command = step.get("run", "")
        for name, each in values.items():
            if f"matrix.{name} " in command:
                yield from (re.sub(r"\$\{\{.*?\}\}", value, command) for value in each)
                command = ""
        if command:
            yield command


def complaints():
    """Yield a line for each step that is none of ours."""
    known, paths = targets(), sorted((CHECKOUT / ".github/workflows").glob("*.yml"))
    for path in paths:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not workflow.get("permissions"):
            yield f"{path.name} does not say what it may do"
        for job in workflow["jobs"].values():
            for command in commands(job):
                tool, *names = command.split()
                if tool != "make" or not names or not set(names) <= known:
                    yield f"{path.name}: {command} is no command of the Makefile"
            for step in job["steps"]:
                if "run" not in step and not ACTIONS.fullmatch(step.get("uses", "")):
                    yield f"{path.name}: {step} is no action of the forge"
    if len(paths) < 4:
        yield "there are fewer than four workflows"


if __name__ == "__main__":
    found = list(complaints())
    sys.exit("\n".join(found) if found else 0)
