"""What is said about hiding."""

from collections import Counter

from ..ui import number
from ..visibility import Plan

_ONE = {"lights or cameras": "light or camera"}


def plan_lines(plan: Plan) -> list[str]:
    """Say what hiding would do, a line for what is hidden and one for each reason not to.

    Parameters
    ----------
    plan : Plan
        What was counted.

    Returns
    -------
    list of str
        Such as "12 objects to hide", "3 protected".
    """
    lines = [f"{number(len(plan.objects), 'object')} to hide"]
    for reason, count in sorted(plan.left.items()):
        lines.append(f"{count:,} {_ONE.get(reason, reason) if count == 1 else reason}")
    return lines


def hidden_text(plan: Plan, hidden: int) -> str:
    """Say what was really hidden.

    Parameters
    ----------
    plan : Plan
        What was wanted.
    hidden : int
        What `hide` returned.

    Returns
    -------
    str
        One line.
    """
    text = f"{number(hidden, 'object')} hidden by the {plan.icon.lower()} icon"
    if hidden < len(plan.objects):
        text += f"; {len(plan.objects) - hidden:,} could not be"
    return "; ".join([text, *plan_lines(plan)[1:]])


def restored_text(shown: Counter[str]) -> str:
    """Say what is shown again.

    Parameters
    ----------
    shown : Counter of str
        What `restore` returned.

    Returns
    -------
    str
        One line.
    """
    parts = [
        f"{number(count, 'object')} restored by the {icon.lower()} icon"
        for icon, count in shown.items()
    ]
    return "; ".join(parts) or "Nothing was left to restore"
