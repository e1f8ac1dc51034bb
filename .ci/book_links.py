"""Links of the pages, and the book as mdBook makes it, for `.ci/book`."""

import html.parser, os, pathlib, re, shutil, subprocess, tempfile, time, urllib.parse

from book_pages import BOOK, FENCE, INCLUDE, ROOT, included, pages

MDBOOK = "0.5.4"
TOOLS = pathlib.Path.home() / ".cache/scumble-tools"


def prose(page):
    """The text of a page, with what it includes, and with blocks and comments blanked out."""
    text = INCLUDE.sub(lambda name: included(page, name[1]).read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
    lines, fence = [], None
    for line in text.split("\n"):
        found = FENCE.match(line)
        ends = fence and found and found[2].startswith(fence) and not found[3].strip()
        lines.append("" if fence or found else line)
        fence = None if ends else fence or (found and found[2])
    return blanked(r"<!--.*?-->", "\n".join(lines))


def blanked(pattern, text):
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)


def anchors(page):
    """What mdBook makes of the headings: lower case, blanks as hyphens, nothing but letters, digits, `_` and `-`; then `-1`, `-2`, ..."""
    text, found = prose(page), set()
    for heading in re.findall(r"^#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", text, flags=re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = "".join("-" if c.isspace() else c for c in words if c.isalnum() or c in "_-" or c.isspace())
        found.add(next(n for n in [name, *(f"{name}-{count}" for count in range(1, 1000))] if n not in found))
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def links():
    """Every relative link and every path in the prose leads to a file, every anchor to a heading; every page is in the summary."""
    faults, count = [], 0
    for page in pages():
        text = prose(page)
        for code in re.finditer(r"`([^`]+)`", text):
            for path in re.findall(r"(?<!\S)(?:benchmarks|crates|docs|examples|reproduce|cluster|python|\.ci)/[\w.*/-]*\w/?(?!\S)", code[1]):
                count += 1
                # With NAME, it is a file that a reader is to write.
                if "NAME" not in path and not any(ROOT.glob(path.rstrip("/"))):
                    faults.append(f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, code.start()) + 1}: no such file: {path}")
        text = blanked(r"(`+)(?!`).*?(?<!`)\1(?!`)", text)
        named = dict(re.findall(r"^\s*\[([^\]]+)\]:\s+(\S+)", text, flags=re.M))
        targets = [(m.start(), m[1]) for m in re.finditer(r"\]\(\s*<?([^()\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", text)]
        targets += [(m.start(), m[1]) for m in re.finditer(r"(?:src|href)=\"([^\"]+)\"", text)]
        targets += [(text.index(f"[{name}]:"), target) for name, target in named.items()]
        for at, target in targets:
            place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}"
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            count += 1
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or not file.is_relative_to(ROOT):
                faults.append(f"{place}: no such file: {target}")
            elif page.is_relative_to(BOOK) and page.name != "SUMMARY.md" and file.suffix == ".md" and not file.is_relative_to(BOOK):
                faults.append(f"{place}: leads to a page that is not in the book: {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                faults.append(f"{place}: no such heading: {target}")
    summary = (BOOK / "SUMMARY.md").read_text(encoding="utf-8")
    for page in BOOK.rglob("*.md"):
        if page.name != "SUMMARY.md" and f"({page.relative_to(BOOK)})" not in summary:
            faults.append(f"{page.relative_to(ROOT)}: not in docs/SUMMARY.md")
    print("".join(f"{fault}\n" for fault in faults), end="")
    print(f"links: {count} in {len(pages())} pages, {len(faults)} that do not hold")
    return not faults


def mdbook():
    """The program, installed if it is not there."""
    program = TOOLS / "bin/mdbook"
    version = lambda: subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[-1].lstrip("v")
    if not program.exists() or version() != MDBOOK:
        began = time.monotonic()
        # A server and a watcher of files are not needed, and a debug build is quick enough for a book of this size.
        subprocess.run(["cargo", "install", "--quiet", "--locked", "mdbook", "--version", MDBOOK, "--root", TOOLS, "--debug", "--force",
                        "--no-default-features", "--features", "search"], check=True,
                       cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(TOOLS / "target-mdbook"), "CARGO_PROFILE_DEV_DEBUG": "0"})
        shutil.rmtree(TOOLS / "target-mdbook")
        print(f"installed mdbook {MDBOOK} in {time.monotonic() - began:.0f} s")
    return program


class Html(html.parser.HTMLParser):
    """Where a page leads to, and the names in it."""

    def __init__(self, file):
        super().__init__()
        self.leads, self.names = [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.update(filter(None, [attributes.get("id"), attributes.get("name") if tag == "a" else None]))
        self.leads += filter(None, [attributes.get("href"), attributes.get("src")])


def build(folder):
    """Builds the book. A warning is a failure, and so is a link of the result that leads nowhere within it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(folder or temporary).resolve()
        began = time.monotonic()
        done = subprocess.run([mdbook(), "build", BOOK, "--dest-dir", folder], capture_output=True, text=True)
        print(done.stdout + done.stderr, end="")
        faults = [line for line in (done.stdout + done.stderr).split("\n") if re.search(r"\b(WARN|ERROR)\b", line)]
        if done.returncode:
            faults.append(f"mdbook ended with {done.returncode}")
        parsed = {file: Html(file) for file in folder.rglob("*.html")}
        for file, page in parsed.items():
            # Of all pages in one, and of the page for wrong addresses, links are relative to elsewhere.
            if file.name in ("print.html", "404.html", "toc.html"):
                continue
            for target in page.leads:
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                path, _, anchor = urllib.parse.unquote(target).partition("#")
                to = (file.parent / path).resolve() if path else file
                # What lies beside the book in the repository is there for those who read it in the repository.
                if to.is_relative_to(folder) and (not to.exists() or anchor and anchor not in getattr(parsed.get(to), "names", [])):
                    faults.append(f"{file.relative_to(folder)}: leads nowhere: {target}")
        print("".join(f"{fault}\n" for fault in faults), end="")
        print(f"build: {len(parsed)} pages of HTML in {time.monotonic() - began:.1f} s, {len(faults)} faults")
        return not faults
