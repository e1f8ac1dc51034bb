"""Progress of work, on one line that is updated and ends with the time taken.

One output in a notebook, one line of standard error in a terminal, and otherwise nothing.
"""

from __future__ import annotations

import importlib
import sys
import time
from types import TracebackType
from typing import Any, Protocol

from . import _html
from ._typing import ProgressCallback

_PATIENCE_SECONDS = 0.5
"""Shorter work shows no progress."""

_BAR_CELLS = 24

_FITTING = "fitting"
"""The stage with amounts in milliseconds."""

_MARK = {"scumble": "progress"}
"""Metadata of the output, by which programs that edit notebooks find it."""


class _Line(Protocol):
    """Output for the line."""

    def draw(self, text: str) -> None: ...
    def end(self, text: str) -> None: ...


class Progress:
    """Context manager that returns a callback for the native module, or ``None``.

    ``done`` begins the last line, before the time: ``fitted in 12 s``.
    """

    def __init__(self, shown: bool | None, done: str) -> None:
        self._shown = _is_interactive() if shown is None else shown
        self._done = done
        self._began = time.monotonic()
        self._line: _Line | None = None

    def __enter__(self) -> ProgressCallback | None:
        return self._update if self._shown else None

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if self._line is not None:
            self._line.end(f"{self._done} in {self._seconds()}" if kind is None else f"stopped after {self._seconds()}")

    def _update(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._began < _PATIENCE_SECONDS:
            return
        if self._line is None:
            self._line = _NotebookLine() if _is_notebook() else _TerminalLine()
        self._line.draw(f"{_state(stage, done, total)}, {self._seconds()}")

    def _seconds(self) -> str:
        return _duration(time.monotonic() - self._began)


def _state(stage: str, done: int, total: int) -> str:
    """Formats the stage and progress; for a fit, the processor time used and its forecast, in
    milliseconds."""
    if not total:
        return stage
    if stage != _FITTING:
        return f"{stage} {_bar(done, total)}"
    forecast = _duration(total / 1000)
    return f"{stage} {_bar(done, total)} of about {forecast}" if done < total else f"{stage}, longer than the forecast of {forecast}"


def _bar(done: int, total: int) -> str:
    share = min(done / total, 1.0)
    filled = round(share * _BAR_CELLS)
    return f"{'█' * filled}{'░' * (_BAR_CELLS - filled)} {int(100 * share)} %"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s"


class _TerminalLine:
    """A line of standard error that is overwritten."""

    def __init__(self) -> None:
        self._width = 0

    def draw(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def end(self, text: str) -> None:
        self.draw(text)
        sys.stderr.write("\n")
        sys.stderr.flush()


class _NotebookLine:
    """One output of a cell, which is replaced: text written to a stream would be kept, line after
    line."""

    def __init__(self) -> None:
        self._output: Any = None

    def draw(self, text: str) -> None:
        display: Any = importlib.import_module("IPython.display")
        shown = {"text/plain": text, "text/html": f"<pre>{_html.text(text)}</pre>"}
        if self._output is None:
            self._output = display.display(shown, raw=True, metadata=_MARK, display_id=True)
        else:
            self._output.update(shown, raw=True, metadata=_MARK)

    def end(self, text: str) -> None:
        self.draw(text)


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules and "IPython" in sys.modules


def _is_interactive() -> bool:
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())
