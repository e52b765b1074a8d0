"""Work without garbage collection: decoding and shredding make millions of small objects and not one cycle."""

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def uncollected(work: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same function, run while the cycle collector rests; searching for cycles would take a fifth of its time."""

    @wraps(work)
    def rested(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            if was_enabled:
                gc.enable()

    return rested
