"""The pages of the book and beside it, and the blocks in them, for `.ci/book`."""

import dataclasses, pathlib, re

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOK = ROOT / "docs"
BESIDE = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "python/README.md"]
QUICK_START = ("install", "try", "python")  # The blocks of README.md that `.ci/quick-start` runs.


class Fault(Exception):
    """Something is wrong with a page; the message begins with its name and line."""


@dataclasses.dataclass
class Block:
    """A fenced block, or a comment of preparations."""

    page: pathlib.Path
    line: int  # Of the first line of its text, from 1.
    language: str
    text: str
    markers: dict  # From a word to what follows its colon.

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})(.*)$")
COMMENT = re.compile(r"^\s*<!--\s*(.*?)\s*-->\s*$")
MARKERS = {"not run": True, "nightly": None, "file": True, "fails": True, "in": True, "schema": False, "output": False}
MARKERS |= {word: False for word in QUICK_START}


def marker(comment, place):
    """A word and what follows its colon; nothing if the comment is none of ours."""
    word, _, rest = (part.strip() for part in comment.partition(":"))
    if word not in MARKERS:
        return None
    if MARKERS[word] is not None and MARKERS[word] != bool(rest):
        raise Fault(f"{place}: `{word}` {'needs' if MARKERS[word] else 'has no'} text after a colon")
    return word, rest


INCLUDE = re.compile(r"\{\{#include ([^}\s]+)\}\}")


def included(page, name):
    file = (page.parent / name).resolve()
    if not file.is_file():
        raise Fault(f"{page.relative_to(ROOT)}: no such file to include: {name}")
    return file


def blocks(page):
    """All blocks of a page, in order, with those of files that it includes; the text around them is dropped."""
    lines, found, markers = page.read_text(encoding="utf-8").split("\n"), [], {}
    number = 0
    while number < len(lines):
        line, place = lines[number], f"{page.relative_to(ROOT)}:{number + 1}"
        number += 1
        if comment := COMMENT.match(line):
            known = marker(comment[1], place)
            fence_follows = number < len(lines) and (FENCE.match(lines[number]) or COMMENT.match(lines[number]))
            if bool(known) != bool(fence_follows):
                raise Fault(f"{place}: a marker stands on the line before a block, and no other comment does: {comment[1]}")
            if known:
                markers[known[0]] = known[1]
            continue
        if line.lstrip().startswith("<!--"):
            end = next((n for n in range(number, len(lines)) if "-->" in lines[n]), None)
            if end is None:
                raise Fault(f"{place}: a comment has no end")
            setup = re.match(r"\s*<!-- setup( nightly)?$", line)
            if not setup:
                raise Fault(f"{place}: a comment of several lines is `<!-- setup` or `<!-- setup nightly`")
            found.append(Block(page, number + 1, "setup", "\n".join(lines[number:end]), {"nightly": ""} if setup[1] else {}))
            number = end + 1
            continue
        if include := INCLUDE.fullmatch(line.strip()):
            found += blocks(included(page, include[1]))
        if re.match(r"\s*>\s*(```|~~~)", line):
            raise Fault(f"{place}: a block within a quotation")
        if fence := FENCE.match(line):
            indent, ticks, language = len(fence[1]), fence[2], re.split(r"[\s,{]", fence[3].strip())[0]
            end = next((n for n in range(number, len(lines)) if re.match(rf"\s*{ticks[0]}{{{len(ticks)},}}\s*$", lines[n])), None)
            if end is None:
                raise Fault(f"{place}: a block has no end")
            text = "\n".join(each[indent:] if not each[:indent].strip() else each for each in lines[number:end])
            found.append(Block(page, number + 1, language, text, markers))
            number, markers = end + 1, {}
    return found


def pages():
    return [ROOT / name for name in BESIDE] + sorted(BOOK.rglob("*.md"))
