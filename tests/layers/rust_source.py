"""Reads from Rust source which modules it names: enough of the grammar for that, no more."""

import re
from pathlib import Path

# Comments, strings and characters, in which nothing is a path. A lifetime ('a) is no character.
NOT_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | \b[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)
      | [bc]?"(?:\\.|[^"\\])*"
      | b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|.)|[^'\\\n])'
    """,
    re.VERBOSE | re.DOTALL,
)
USE = re.compile(r"(?P<pub>\bpub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);")
PATH = re.compile(r"(?<![\w:])(?P<path>(?:r#)?\w+(?:\s*::\s*(?:r#)?\w+)+)")
MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{")


def blank(text):
    """The same number of lines, all empty."""
    return re.sub(r"[^\n]", " ", text)


def code_of(text):
    """The source without comments, literals and test modules, every line where it was."""
    code = NOT_CODE.sub(lambda found: blank(found[0]), text)
    while found := MODULE.search(code):
        depth, end = 1, found.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        code = code[: found.start()] + blank(code[found.start() : end]) + code[end:]
    return code


def expand(tree, before=()):
    """The paths of a use tree, `a::{b, c::{self, d}}`, as tuples of names; a glob ends with its module."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    names = tuple(name for name in re.split(r"\s*::\s*", re.sub(r"\s+as\s+\w+\s*$", "", head.strip())) if name)
    if not brace:
        names = names[:-1] if names and names[-1] in ("*", "self") and (before or len(names) > 1) else names
        return [before + names]
    paths, depth, part = [], 0, ""
    for letter in rest[: rest.rindex("}")]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            paths += expand(part, before + names) if part.strip() else []
            part = ""
        else:
            part += letter
    return paths + (expand(part, before + names) if part.strip() else [])


class File:
    """A source file: the module that it is, and the paths in it as (line, names)."""

    def __init__(self, path, module):
        self.path, self.module = path, module
        self.text = path.read_text(encoding="utf-8")
        self.code = code_of(self.text)
        self.is_folder = path.name in ("mod.rs", "lib.rs", "main.rs")
        self.paths, self.reexports = [], {}
        for found in USE.finditer(self.code):
            for names in expand(found["tree"]):
                if found["pub"]:
                    self.reexports[names[-1]] = names
                else:
                    self.paths.append((self.line(found.start("tree")), names))
        # The paths in use declarations have been read above.
        rest = USE.sub(lambda found: blank(found[0]), self.code)
        for found in PATH.finditer(rest):
            self.paths.append((self.line(found.start()), tuple(re.split(r"\s*::\s*", found["path"]))))

    def line(self, position):
        return self.code.count("\n", 0, position) + 1


class Tree:
    """The modules below one folder with a lib.rs or main.rs, and which names which."""

    def __init__(self, root, repository):
        self.root, self.repository = Path(root), Path(repository)
        self.files = {}
        for path in sorted(self.root.rglob("*.rs")):
            module = path.relative_to(self.root).with_suffix("").parts
            if module[-1] == "mod" or module in (("lib",), ("main",)):
                module = module[:-1]
            self.files[module] = File(path, module)

    def place(self, module):
        """The path of a module's file in the repository."""
        return str(self.files[module].path.relative_to(self.repository))

    def resolve(self, file, names):
        """The module that a path leads to from a file; None if it leaves the tree."""
        first, rest = names[0], names[1:]
        if first == "crate":
            module = ()
        elif first == "self":
            module = file.module
        elif first == "super":
            module = file.module[:-1]
            while rest and rest[0] == "super":
                module, rest = module[:-1], rest[1:]
        elif file.is_folder and file.module + (first,) in self.files:
            module, rest = file.module, names
        else:
            return None
        for _ in range(8):  # re-exports of re-exports
            while rest and module + rest[:1] in self.files:
                module, rest = module + rest[:1], rest[1:]
            again = self.files[module].reexports.get(rest[0]) if rest and module in self.files else None
            if again is None or (target := self.resolve(self.files[module], again)) in (None, module):
                break
            module, rest = target, rest[1:]
        return module if module in self.files else None

    def edges(self):
        """The imports: (file, line, module), each once a line, without those within a file."""
        found = set()
        for file in self.files.values():
            for line, names in file.paths:
                target = self.resolve(file, names)
                if target is not None and target != file.module:
                    found.add((file.module, line, target))
        return sorted(found)
