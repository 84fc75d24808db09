"""The common option of all questions with a saved answer: the name of the result."""

from ..options import OptionGroup, string


class AnswerOptions(OptionGroup):
    """The result that stores the answer."""

    result: str = string(
        "",
        "Result",
        "Name under which the answer is kept in Results; that of the question if empty",
        settings=None,
        options={"HIDDEN", "SKIP_SAVE"},
    )
