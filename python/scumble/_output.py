"""Where results are written: never over an input, and over an existing file only if that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import _native
from ._errors import OutputExistsError, StorageError, UsageError
from ._typing import PathLike


def check(path: PathLike, *, force: bool, inputs: Iterable[PathLike] = ()) -> None:
    """Raises unless a file may be written there. To be asked before budget is spent on what goes into it.

    An input is never replaced, whatever ``force`` says and however its path is spelt.
    """
    shown = os.fspath(path)
    refused = _native.output_refused(path, inputs=list(inputs), force=force)
    if refused is not None:
        message, exists = refused
        if exists:
            raise OutputExistsError(message, hint="write to another path, or pass `force=True` to replace it", path=shown)
        raise UsageError(message, hint="write to another path; `force=True` replaces no input and no folder")
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
