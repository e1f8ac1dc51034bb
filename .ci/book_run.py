"""Commands and snippets of the pages, executed, for `.ci/book`."""

import concurrent.futures, os, pathlib, re, select, shutil, signal, subprocess, sys, tempfile, time

from book_pages import QUICK_START, ROOT, Fault, blocks, pages

RUN = ("sh", "bash", "python")
PLAIN = ("text", "yaml", "json", "csv", "toml")  # No commands; they may still be files, schemas or excerpts.
PLACED = ("rust", "sql")  # Commands for somebody: they stand in a file that is compiled or run, or a reason is given.
DOCTESTS = ("rust", "compile_fail", "should_panic")  # In notes beside code.
PATIENCE = {False: 120, True: 600}  # Seconds that a block may take, by day and by night.
PAGES_AT_ONCE = 2

# Both read names of scripts from one pipe, run each in the same shell or interpreter, and say on another that it is done.
DRIVERS = {
    "sh": """exec {trace}>"$BOOK_TRACE"; BASH_XTRACEFD=$trace
while IFS= read -r -u READ script; do set -x; source "$script" READ<&- WRITE>&-; { set +x; } 2>/dev/null; echo >&WRITE; done""",
    "python": """import os, sys
names = {"__name__": "__main__"}
for script in os.fdopen(READ):
    exec(compile(open(script.strip(), encoding="utf-8").read(), script.strip(), "exec"), names)
    sys.stdout.flush()
    os.write(WRITE, b"\\n")""",
}


class Interpreter:
    """A shell or a Python that runs one block after the other."""

    def __init__(self, kind, folder, environment, log):
        read, self.scripts = os.pipe()
        self.answers, write = os.pipe()
        driver = DRIVERS[kind].replace("READ", str(read)).replace("WRITE", str(write))
        command = ["bash", "-euo", "pipefail", "-c", driver] if kind == "sh" else ["python", "-u", "-c", driver]
        # In a group of its own, so that all that a page starts can be ended with it.
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                        pass_fds=(read, write), start_new_session=True,
                                        executable=shutil.which(command[0], path=environment["PATH"]))
        os.close(read), os.close(write)

    def run(self, script, seconds):
        """Nothing, or why it failed."""
        try:
            os.write(self.scripts, f"{script}\n".encode())
        except BrokenPipeError:
            return "the interpreter has gone"
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if select.select([self.answers], [], [], 0.05)[0] and os.read(self.answers, 1):
                return None
            if self.process.poll() is not None:
                return f"ended with {self.process.returncode}"
        return f"took more than {seconds} s"

    def close(self):
        """Lets it end, with what it has arranged for its end, and then ends all that it has left behind."""
        os.close(self.scripts), os.close(self.answers)
        for end in (None, signal.SIGTERM, signal.SIGKILL):
            try:
                if end:
                    os.killpg(self.process.pid, end)
                self.process.wait(5)
                if not end:
                    continue
                until = time.monotonic() + 5
                while time.monotonic() < until:
                    os.killpg(self.process.pid, 0)
                    time.sleep(0.05)
            except subprocess.TimeoutExpired:
                pass
            except ProcessLookupError:
                return


class Page:
    """One page, being run in folders of its own."""

    def __init__(self, path, options, scratch, environment):
        self.path, self.options = path, options
        self.folder = scratch / str(path.relative_to(ROOT)).replace("/", "-").removesuffix(".md")
        for name in ("work", "home", "tmp", "scripts"):
            (self.folder / name).mkdir(parents=True)
        self.environment = {**environment, "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
                            "BOOK_TRACE": str(self.folder / "trace")}
        self.interpreters, self.tally, self.reasons, self.fault, self.output = {}, {}, [], None, ""
        self.log = open(self.folder / "log", "ab+")

    def count(self, what):
        self.tally[what] = self.tally.get(what, 0) + 1

    def execute(self, block, text, kind="sh"):
        """Runs a text, at the lines that it has in the page."""
        script = self.folder / "scripts" / f"{self.path.stem}.{block.line}.{kind}"
        script.write_text("\n" * (block.line - 1) + text + "\n", encoding="utf-8")
        if kind not in self.interpreters:
            self.interpreters[kind] = Interpreter(kind, self.folder / "work", self.environment, self.log)
        self.log.seek(0, os.SEEK_END)
        begin = self.log.tell()
        why = self.interpreters[kind].run(script, PATIENCE[self.options.all])
        self.log.seek(begin)
        self.output = self.log.read().decode("utf-8", "replace")
        if self.options.show:
            print(f"---- {block.place}\n{text}\n---- says\n{self.output}", end="", flush=True)
        if why:
            trace = (self.folder / "trace").read_text(encoding="utf-8").strip().split("\n")[-1] if kind == "sh" else ""
            output = self.output if len(self.output) < 8000 else self.output[:2000] + "\n[...]\n" + self.output[-6000:]
            raise Fault(f"{block.place}: {why}{f', at: {trace}' if trace else ''}\n{text.strip()}\n---- says\n{output}")

    def one(self, block):
        """Does with a block what its language and its markers ask for."""
        language, markers, place = block.language, block.markers, block.place
        if self.path == ROOT / "README.md" and (name := next((word for word in QUICK_START if word in markers), None)):
            return self.skip(block, f"`{name}` of the quick start: .ci/quick-start runs it")
        if "not run" in markers:
            return self.skip(block, markers["not run"])
        if "nightly" in markers and not self.options.all:
            return self.count("left for the night")
        if "file" in markers:
            file = self.folder / "work" / markers["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text + "\n", encoding="utf-8")
            return self.count("written to files")
        if "in" in markers:
            self.stands_in(block, ROOT / markers["in"])
            return self.count("found in files that are compiled or run")
        if "schema" in markers:
            return self.check_schema(block)
        if "output" in markers:
            self.is_output(block)
            return self.count("excerpts compared with the output above")
        if "fails" in markers:
            wanted = int(markers["fails"])
            self.execute(block, f"set +e\n(set -e\n{block.text}\n)\nstatus=$?\nset -e\n"
                                f"[ $status -eq {wanted} ] || {{ echo \"ended with $status and not {wanted}\"; exit 1; }}")
            return self.count("run")
        if language == "setup":
            return self.execute(block, block.text)
        if language in RUN:
            self.execute(block, block.text, "python" if language == "python" else "sh")
            return self.count("run")
        if block.page != self.path and language in DOCTESTS:
            return self.is_documentation(block)
        if language in PLACED:
            raise Fault(f"{place}: a block of {language} needs `in: FILE`, `file: NAME` or `not run: REASON`")
        if language not in PLAIN:
            raise Fault(f"{place}: a block of {language or 'no language'}; known are {', '.join(RUN + PLACED + PLAIN)}")
        # A line with `[OPTION]` says how a command is written, and is none.
        if re.search(r"^(\$ |scumble (?!.*\[))", block.text, flags=re.M):
            raise Fault(f"{place}: a command within a block of {language}; write it as `sh`, without a prompt")
        if language == "yaml" and re.search(r"^fields:", block.text, flags=re.M):
            raise Fault(f"{place}: a schema needs `schema`, `file: NAME` or `not run: REASON`")
        return self.count("no commands")

    def skip(self, block, reason):
        self.count("not run")
        self.reasons.append(f"{block.place}: {reason}")

    def stands_in(self, block, file):
        """The lines of a block stand in a file, in one piece, but for a line of three dots; blanks around lines do not matter."""
        if not file.is_file():
            raise Fault(f"{block.place}: no such file: {file.relative_to(ROOT)}")
        lines = lambda text: [line.strip() for line in text.split("\n") if line.strip()]
        whole, at, piece = lines(file.read_text(encoding="utf-8")), 0, []
        for line in [*lines(block.text), "..."]:
            if line not in ("...", "// ..."):
                piece.append(line)
                continue
            at = next((n + len(piece) for n in range(at, len(whole)) if whole[n:n + len(piece)] == piece), None)
            if at is None:
                raise Fault(f"{block.place}: does not stand in {file.relative_to(ROOT)} like this:\n" + "\n".join(piece))
            piece = []

    def is_documentation(self, block):
        """A note that a page includes is documentation of code, whose examples `cargo test --doc` runs."""
        if not any(f'include_str!("{block.page.name}")' in file.read_text(encoding="utf-8") for file in block.page.parent.glob("*.rs")):
            raise Fault(f"{block.place}: no code beside this note has it as documentation, so nobody runs its examples")
        self.count("examples in the documentation of code")

    def check_schema(self, block):
        """Completes an excerpt of a schema, and has it checked."""
        text = block.text
        if re.match(r"\s*- name:", text):
            text = f"fields:\n{text}"
        if not re.search(r"^fields:", text, flags=re.M):
            text += "\nfields: [{name: any, type: boolean}]"
        file = self.folder / "work" / "excerpt.schema.yaml"
        file.write_text(text + "\n", encoding="utf-8")
        self.execute(block, "scumble schema check excerpt.schema.yaml")
        self.count("schemas checked")

    def is_output(self, block):
        """An excerpt is in the output above, word for word; numbers, dates and hashes may be others, and blanks do not matter."""
        def plain(text):
            text = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b|\d+(?:[.,:T-]\d+)*(?:e-?\d+)?", "#", text)
            return re.sub(r"\s+", "", text)
        said, at = plain(self.output), 0
        for piece in re.split(r"^\s*\.\.\.\s*$", block.text, flags=re.M):
            at = said.find(plain(piece), at)
            if at < 0:
                raise Fault(f"{block.place}: the command above does not say this, or not here:\n{piece.strip()}\n---- it says\n{self.output}")

    def run(self):
        began = time.monotonic()
        try:
            for block in blocks(self.path):
                self.one(block)
        except Fault as fault:
            self.fault = str(fault)
        finally:
            for interpreter in self.interpreters.values():
                interpreter.close()
            self.log.close()
        self.seconds = time.monotonic() - began
        return self


def prepare(scratch):
    """The environment that pages run in."""
    target = pathlib.Path(os.environ.get("SCUMBLE_TARGET", pathlib.Path.home() / ".cache/scumble-target"))
    python = pathlib.Path(os.environ.get("SCUMBLE_PYTHON_ENVIRONMENT", pathlib.Path.home() / ".cache/scumble-python/ci"))
    candidates = [os.environ.get("SCUMBLE_PROGRAM"), target / "debug/scumble", python / "bin/scumble"]
    program = next((path for path in map(pathlib.Path, filter(None, candidates)) if path.is_file()), None)
    if not program:
        sys.exit("no program: run `cargo build --workspace` or `.ci/python` first")
    (scratch / "bin").mkdir()
    (scratch / "bin/scumble").symlink_to(program.resolve())
    # Nothing of the caller's that would change what a command does.
    environment = {name: value for name, value in os.environ.items() if not re.match(r"SCUMBLE_|PYTHON|PG|AWS_|SOURCE_DATE", name)}
    environment |= {"PATH": f"{scratch}/bin:{python}/bin:{os.environ['PATH']}", "REPOSITORY": str(ROOT), "LC_ALL": "C.UTF-8"}
    works = subprocess.run(["python", "-c", "import scumble"], env=environment, cwd=scratch, capture_output=True, text=True,
                           executable=shutil.which("python", path=environment["PATH"]))
    if works.returncode:
        sys.exit(f"the Python package is not installed in {python}: run `.ci/python` first\n{works.stderr}")
    print(f"program {program}, Python {python}")
    return environment


def run(options):
    began = time.monotonic()
    chosen = [pathlib.Path(page).resolve() for page in options.pages] or pages()
    # Those that are likely to take longest go first, so that no processor is idle at the end.
    chosen.sort(key=lambda page: -len(re.findall(r"^scumble (?:fit|synth)|\.fit\(", page.read_text(encoding="utf-8"), flags=re.M)))
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="book-"))
    try:
        environment = prepare(scratch)
        with concurrent.futures.ThreadPoolExecutor(PAGES_AT_ONCE) as pool:
            done = list(pool.map(lambda path: Page(path, options, scratch, environment).run(), chosen))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    tally = {}
    for page in done:
        for what, count in page.tally.items():
            tally[what] = tally.get(what, 0) + count
    for page in sorted(done, key=lambda page: -page.seconds)[:8]:
        print(f"{page.seconds:6.1f} s  {page.path.relative_to(ROOT)}")
    if tally.get("not run"):
        print("not run:")
        print("".join(f"  {reason}\n" for page in done for reason in page.reasons), end="")
    faults = [page.fault for page in done if page.fault]
    print("".join(f"\nFAILED {fault}\n" for fault in faults), end="")
    counts = "".join(f", {count} {what}" for what, count in sorted(tally.items(), key=lambda item: -item[1]))
    print(f"run: {len(done)} pages in {time.monotonic() - began:.0f} s{counts}; {len(faults)} pages failed")
    return not faults
