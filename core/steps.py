"""Work in steps: generators that yield the fraction done and return what they make.

A caller that shows progress or must not block takes the steps one by one, and closes the generator
to cancel. A function `x_steps` refuses bad arguments at the call, and its generator yields
fractions that ascend from 0 to 1. The function `x` that takes all steps at once is
`at_once(x_steps)`.
"""

import inspect
from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, get_args, get_type_hints

import numpy as np

from . import checks

T = TypeVar("T")
Given = TypeVar("Given")
Yielded = TypeVar("Yielded")
Arguments = ParamSpec("Arguments")

Steps: TypeAlias = Generator[float, None, T]
# Steps that are counted; the values that they yield are ignored.
Ticks: TypeAlias = Generator[Any, None, T]


class Running(Generic[T]):
    """Work in steps that is taken one step at a time.

    Parameters
    ----------
    steps : generator
        The work, begun or not.

    Attributes
    ----------
    value : float
        The fraction done that the last step yielded; 0 before the first step.
    is_done : bool
        True once no work remains.
    result : object
        The value that the generator returned; set once the work is done.

    Raises
    ------
    ValueError
        If `steps` is no generator.
    """

    def __init__(self, steps: Generator[Any, None, T], /) -> None:
        checks.kind("steps", steps, (Generator,))
        self._steps = steps
        self.value: Any = 0.0
        self.is_done = False
        self.result: T

    def step(self) -> bool:
        """Take a step.

        Returns
        -------
        bool
            True while work remains.

        Raises
        ------
        Exception
            Any exception of the work; the work is over then.
        """
        try:
            self.value = next(self._steps)
        except StopIteration as finished:
            self.result, self.is_done = finished.value, True
        return not self.is_done

    def close(self) -> None:
        """Cancel the remaining work."""
        self._steps.close()


def run(steps: Generator[Any, None, T], /, *, heed: Callable[[], object] | None = None) -> T:
    """Take all steps at once.

    Parameters
    ----------
    steps : generator
        The work.
    heed : callable, optional
        Called after each step, the last one, too; an exception that it raises ends the work.

    Returns
    -------
    object
        The return value of the generator.

    Raises
    ------
    ValueError
        If `steps` is no generator, or `heed` cannot be called.
    Exception
        Any exception that the work or `heed` raises.
    """
    checks.called("heed", heed)
    checks.kind("steps", steps, (Generator,))
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            result: T = finished.value
            break
        if heed is not None:
            heed()
    if heed is not None:
        heed()
    return result


def between(start: float, stop: float, steps: Generator[float, None, T], /) -> Steps[T]:
    """Take steps as a part of longer work: their fractions are scaled to lie in a range.

    Parameters
    ----------
    start, stop : float
        The fractions of the longer work before and after this part.
    steps : generator
        The part.

    Returns
    -------
    generator
        Yields the fraction of the longer work that is done, and returns what the part makes.

    Raises
    ------
    ValueError
        If a fraction is no finite number, or `steps` is no generator.
    """
    first, last = checks.number("start", start, -np.inf), checks.number("stop", stop, -np.inf)
    checks.kind("steps", steps, (Generator,))
    return repeated(steps, lambda done: first + (last - first) * done)


def counted(ticks: Ticks[T], expected: float) -> Steps[T]:
    """Count steps, about `expected` of them, and yield the fraction done, up to 1.

    Fractions ascend evenly until an eighth of the steps is left, and ever more slowly from there.
    """
    done, left = 0.0, expected

    def one_more(_: object) -> float:
        nonlocal done, left
        done += (1 - done) / max(left, expected / 8, 1)
        left -= 1
        return done

    result = yield from repeated(ticks, one_more)
    yield 1.0
    return result


def ascending(steps: Generator[float, None, T]) -> Steps[T]:
    """Repeat the steps with fractions that never descend: each is the largest so far."""
    most = 0.0

    def highest(done: float) -> float:
        nonlocal most
        most = max(most, done)
        return most

    return repeated(steps, highest)


def repeated(
    steps: Generator[Given, None, T],
    each: Callable[[Given], Yielded],
    before: Callable[[], object] | None = None,
) -> Generator[Yielded, None, T]:
    """Repeat the steps: call `before` ahead of each step, and yield `each` of its value."""
    try:
        while True:
            if before is not None:
                before()
            try:
                value = next(steps)
            except StopIteration as finished:
                return finished.value
            yield each(value)
    finally:
        steps.close()


def at_once(steps: Callable[Arguments, Steps[T]]) -> Callable[Arguments, T]:
    """Return the function `x` that takes all steps of `x_steps` at once.

    The signature and docstring of `x` are copied from `x_steps`, except for the return value and
    for the words ", in steps" at the end of the first line.
    """

    @wraps(steps)
    def whole(*arguments: Arguments.args, **options: Arguments.kwargs) -> T:
        return run(steps(*arguments, **options))

    made = get_args(get_type_hints(steps)["return"])[-1]
    whole.__name__ = steps.__name__.removesuffix("_steps")
    whole.__qualname__ = steps.__qualname__.removesuffix("_steps")
    whole.__doc__ = _whole_text(steps.__doc__ or "")
    whole.__annotations__ = {**steps.__annotations__, "return": made}
    whole.__signature__ = inspect.signature(steps).replace(  # type: ignore[attr-defined]
        return_annotation=made
    )
    return whole


def _whole_text(text: str) -> str:
    """Return the docstring of `x`, given the docstring of `x_steps`."""
    first, _, rest = text.partition("\n")
    return "\n".join((first.replace(", in steps", "", 1), rest.replace("generator of ", "", 1)))
