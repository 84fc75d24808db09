"""The option of all questions whose answer is kept: its name in Results."""

from ..options import OptionGroup, string


class AnswerOptions(OptionGroup):
    """Where the answer is kept."""

    result: str = string(
        "",
        "Result",
        "Name under which the answer is kept in Results; that of the question if empty",
        settings=None,
        options={"HIDDEN", "SKIP_SAVE"},
    )
