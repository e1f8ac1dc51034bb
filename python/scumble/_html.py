"""HTML for notebooks. All inserted text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def text(value: object) -> str:
    return escape(str(value))


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Formats a table with cells of text."""
    top = "".join(f'<th style="text-align:left">{text(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{"" if cell is None else text(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f'<div style="overflow-x:auto"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def titled(title: str, *parts: str) -> str:
    return f"<div><strong>{text(title)}</strong>{''.join(parts)}</div>"


def preformatted(value: object) -> str:
    return f'<pre style="white-space:pre-wrap;font-family:monospace">{text(value)}</pre>'


def banner(value: object) -> str:
    """Formats a warning that cannot be overlooked."""
    return f'<p style="background:#8a1f11;color:#fff;padding:.4em .6em;font-weight:bold">{text(value)}</p>'


_FRAME_HEIGHT = 640


def framed(page: str, *, title: str) -> str:
    """Puts a page into a frame, so that its styles and those of the notebook do not affect each
    other.

    ``sandbox`` without exceptions also blocks scripts and forms; our pages have none.
    """
    return (
        f'<iframe title="{text(title)}" sandbox srcdoc="{text(page)}" loading="lazy"'
        f' style="width:100%;height:{_FRAME_HEIGHT}px;border:1px solid #ccc"></iframe>'
    )
