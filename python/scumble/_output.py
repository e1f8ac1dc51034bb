"""Where results are written: never over an input, and over an existing file only if that is asked for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable

from ._errors import OutputExistsError, StorageError, UsageError
from ._typing import PathLike


def check(path: PathLike, *, force: bool, inputs: Iterable[PathLike] = ()) -> None:
    """Raises unless a file may be written there. To be asked before budget is spent on what goes into it.

    An input is never replaced, whatever ``force`` says and however its path is spelt.
    """
    shown = os.fspath(path)
    for one in inputs:
        if _is_in(shown, os.fspath(one)):
            raise UsageError(f"`{shown}` is an input, and would be replaced by the output", hint="write to another path")
    if not force:
        check_new(shown, hint="write to another path, or pass `force=True` to replace it")
    folder = os.path.dirname(shown) or "."
    if not os.path.isdir(folder):
        raise StorageError(f"cannot write `{shown}`: there is no folder `{folder}`", hint="make the folder first")


def check_new(path: PathLike, *, hint: str) -> None:
    """Raises if there is anything at the path."""
    shown = os.fspath(path)
    # Not `exists`, which does not see a link to nowhere.
    if os.path.lexists(shown):
        raise OutputExistsError(f"`{shown}` exists already", hint=hint, path=shown)


def write_text(path: PathLike, text: str, *, force: bool) -> None:
    """Writes a text file."""
    check(path, force=force)
    # `x` refuses a file that came to be after the check.
    with open(path, "w" if force else "x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _is_in(output: str, one: str) -> bool:
    """Whether an existing output is an input, by whatever link or spelling, or lies in a folder that is one."""
    if not os.path.lexists(output):
        return False
    target = os.path.realpath(output)
    for path in {one, *glob.glob(one)}:
        place = os.path.realpath(path)
        if place == target or (os.path.isdir(place) and target.startswith(os.path.join(place, ""))):
            return True
        if os.path.exists(place) and os.path.exists(target) and os.path.samefile(place, target):
            return True
    return False
