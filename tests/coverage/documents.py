"""Takes the programs out of pages: what is Python in Markdown, notebooks, reStructuredText and plain text.

    python tests/coverage/documents.py PAGE_OR_FOLDER... OUT

Writes one file for each page, all its cells one after the other, each on the lines that it has in the page (a notebook has
none: its cells follow each other), so that `pallas-tui check OUT` says where in a page a finding is. Notebooks that lie beside a
page of the same name are left out, since they have the same cells.
"""

import ast
import json
import pathlib
import re
import sys

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(\{code-cell\}|\{code-block\} *python|\{code\} *python|python|py)\b")
KINDS = {".md", ".ipynb", ".rst", ".txt"}


def harmless(line: str) -> str:
    """Commands of a notebook are no Python."""
    return re.sub(r"^(\s*)([%!])", r"\1# \2", line)


def fenced(lines: list[str]) -> list[str]:
    out, at = [""] * len(lines), 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        at += 1
        if not fence:
            continue
        indent, options = len(fence[1]), True
        while at < len(lines) and not lines[at].strip().startswith(fence[2]):
            line = lines[at][indent:] if lines[at][:indent].isspace() or not indent else lines[at]
            if options and re.match(r"^(:[\w-]+:|---)", line):
                line = ""
            elif line.strip():
                options = False
            out[at] = harmless(line)
            at += 1
    return doctests(out)


def doctests(lines: list[str]) -> list[str]:
    """Without prompts and, where there are any, without what they print."""
    if not any(line.lstrip().startswith(">>>") for line in lines):
        return lines
    out, inside = [], False
    for line in lines:
        text = line.lstrip()
        if text.startswith(">>>") or (inside and text.startswith("...")):
            inside = True
            out.append(text[4:])
        else:
            # What is printed ends at an empty line.
            out.append("" if inside else line)
            inside = inside and bool(text)
    return out


def directives(lines: list[str]) -> list[str]:
    out, at = [""] * len(lines), 0
    while at < len(lines):
        block = re.match(r"^(\s*)\.\. (code-block|code|testcode)::(\s*python)?\s*$", lines[at])
        at += 1
        if not block:
            continue
        outer, inner = len(block[1]), None
        while at < len(lines):
            line = lines[at]
            indent = len(line) - len(line.lstrip())
            if line.strip() and indent <= outer:
                break
            if line.strip() and not line.strip().startswith(":") and inner is None:
                inner = indent
            out[at] = line[inner:] if inner is not None else ""
            at += 1
    return doctests(out)


def is_code(tree: ast.Module) -> bool:
    """Words of a sentence can be names."""
    plain = (ast.Name, ast.Constant, ast.Tuple, ast.BinOp, ast.Compare)
    return bool(tree.body) and not all(isinstance(s, ast.Expr) and isinstance(s.value, plain) for s in tree.body)


def unmarked(lines: list[str]) -> list[str]:
    """Text in which nothing says what is code: whatever parses, as long as it does."""
    if any(line.lstrip().startswith("```") for line in lines):
        return fenced(lines)
    prompted = doctests([line if line.lstrip().startswith((">>>", "...")) else "" for line in lines])
    out, at = list(prompted), 0
    while at < len(lines):
        end = at + 1
        # Headings end in the sign of their links.
        if re.match(r"^[a-z@#]", lines[at]) and not prompted[at] and not lines[at].endswith("#"):
            for stop in range(min(len(lines), at + 80), at, -1):
                try:
                    tree = ast.parse("\n".join(lines[at:stop]))
                except SyntaxError:
                    continue
                if is_code(tree):
                    out[at:stop], end = lines[at:stop], stop
                break
        at = end
    return out


def notebook(text: str) -> list[str]:
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return [harmless(line) for cell in cells for line in ["", *"".join(cell["source"]).split("\n")]]


def program(page: pathlib.Path) -> list[str]:
    text = page.read_text()
    match page.suffix:
        case ".ipynb":
            return notebook(text)
        case ".md":
            return fenced(text.split("\n"))
        case ".rst":
            return directives(text.split("\n"))
        case _:
            return unmarked(text.split("\n"))


def main() -> None:
    *given, out = map(pathlib.Path, sys.argv[1:])
    for root in given:
        pages = sorted(root.rglob("*")) if root.is_dir() else [root]
        for page in pages:
            if page.suffix not in KINDS or page.suffix == ".ipynb" and page.with_suffix(".md").exists():
                continue
            lines = program(page)
            if any(lines):
                target = out / (page.relative_to(root) if root.is_dir() else page.name)
                target = target.with_suffix(".py")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(lines).rstrip() + "\n")
                print(target)


main()
