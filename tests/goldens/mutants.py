"""Breaks correct kernels in small ways, and asks JAX what becomes of each: tests/mutation/mutants.tsv.

Each program of tests/mutation has one launch, and leaves arrays in the module's names. A mutant is the program with one
place changed. Its verdict is

- `raises ERROR`: JAX refuses it;
- `wrong`: arrays differ from the program's, under interpret=True or under TPU interpret mode, which also raises where
  blocks lie outside their arrays, and where a block of an output is left and visited again;
- `rounds`: arrays are of another precision, and differ by that;
- `right`: nothing differs under either.

A line of the table: hash of the mutant's text, program, operator, first byte and one past the last byte that are replaced,
the replacement as JSON, verdict. tests/tests/mutation.rs compares the verdicts with what is found.

Use: /path/to/python tests/goldens/mutants.py [PROGRAM...]
"""

import ast
import itertools
import json
import os
import pathlib
import pickle
import re
import select
import signal
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "mutation"
TABLE = FOLDER / "mutants.tsv"
SECONDS = 90
LARGEST = 40


def fnv(text):
    """FNV-1a, 64 bits: what the test computes of the text that it analyses."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


class Mutator(ast.NodeVisitor):
    """Collects (operator, start, end, replacement); offsets are in bytes, and the programs are ASCII."""

    def __init__(self, text):
        self.text = text
        self.found = []
        self.depth = 0
        self.lines = list(itertools.accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
        self.visit(ast.parse(text))

    def start(self, node):
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.lines[node.end_lineno - 1] + node.end_col_offset

    def source(self, node):
        return self.text[self.start(node) : self.end(node)]

    def replace(self, operator, node, replacement):
        self.found.append((operator, self.start(node), self.end(node), replacement))

    def exchange(self, operator, first, second):
        between = self.text[self.end(first) : self.start(second)]
        text = self.source(second) + between + self.source(first)
        self.found.append((operator, self.start(first), self.end(second), text))

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        by_name = {keyword.arg: keyword.value for keyword in node.keywords}
        if name == "BlockSpec" and len(node.args) == 2:
            self.block(node.args[0])
            if isinstance(node.args[1], ast.Lambda):
                self.index_map(node.args[1], node.args[0])
        if name == "where" and len(node.args) == 3:
            self.replace("drop-mask", node, self.source(node.args[1]))
        if name == "ds" and len(node.args) == 2:
            start = self.source(node.args[0])
            self.replace("slice-start", node.args[0], f"{start} + 1")
            self.replace("slice-start", node.args[0], f"{start} - 1")
            self.replace("slice-start", node.args[0], f"({start}) // 2")
        if "grid" in by_name and isinstance(by_name["grid"], ast.Tuple):
            self.grid(by_name["grid"])
        for specs in ("in_specs", "scratch_shapes"):
            if isinstance(by_name.get(specs), ast.List):
                self.specs(by_name[specs])
        if isinstance(by_name.get("compiler_params"), ast.Call):
            for keyword in by_name["compiler_params"].keywords:
                if keyword.arg == "dimension_semantics":
                    for entry in keyword.value.elts:
                        if entry.value == "arbitrary":
                            self.replace("semantics", entry, '"parallel"')
        self.generic_visit(node)

    def index_map(self, function, shape):
        names = [argument.arg for argument in function.args.args]
        if not isinstance(function.body, ast.Tuple):
            return
        entries = function.body.elts
        mentions = [{n.id for n in ast.walk(entry) if isinstance(n, ast.Name)} & set(names) for entry in entries]
        for a, b in itertools.combinations(range(len(entries)), 2):
            if self.source(entries[a]) != self.source(entries[b]):
                self.exchange("index-map-swap", entries[a], entries[b])
        for entry, mentioned in zip(entries, mentions):
            if not mentioned:
                self.replace("index-map-offset", entry, f"{self.source(entry)} + 1")
                continue
            self.replace("index-map-drop", entry, "0")
            self.replace("index-map-offset", entry, f"{self.source(entry)} + 1")
            self.replace("index-map-offset", entry, f"{self.source(entry)} - 1")
            if isinstance(entry, ast.Name):
                for other in names:
                    if other != entry.id:
                        self.replace("index-map-term", entry, other)
        if isinstance(shape, ast.Tuple):
            for entry, mentioned, size in zip(entries, mentions, shape.elts):
                if mentioned and not isinstance(size, ast.Constant) or (mentioned and size.value is not None):
                    self.replace("index-map-elements", entry, f"{self.source(entry)} * {self.source(size)}")
        for a, b in zip(function.args.args, function.args.args[1:]):
            self.exchange("index-map-parameters", a, b)

    def block(self, shape):
        if not isinstance(shape, ast.Tuple):
            return
        for size in shape.elts:
            if isinstance(size, ast.Constant) and size.value is None:
                self.replace("block", size, "1")
                continue
            text = self.source(size)
            self.replace("block", size, f"{text} + 1")
            self.replace("block", size, f"{text} - 1")
            self.replace("block", size, f"{text} * 2")

    def grid(self, grid):
        for entry in grid.elts:
            text = self.source(entry)
            self.replace("grid", entry, f"{text} + 1")
            self.replace("grid", entry, f"{text} - 1")
            if isinstance(entry, ast.Call) and text.startswith("pl.cdiv"):
                self.replace("grid", entry, " // ".join(self.source(a) for a in entry.args))
        for a, b in zip(grid.elts, grid.elts[1:]):
            if self.source(a) != self.source(b):
                self.exchange("grid-permute", a, b)

    def specs(self, specs):
        texts = [self.source(entry) for entry in specs.elts]
        for number in range(len(texts)):
            rest = texts[:number] + texts[number + 1 :]
            self.replace("drop-spec", specs, "[" + ", ".join(rest) + "]")
        self.replace("add-spec", specs, "[" + ", ".join(texts + texts[-1:]) + "]")
        for a, b in zip(specs.elts, specs.elts[1:]):
            if self.source(a) != self.source(b):
                self.exchange("swap-specs", a, b)

    def visit_FunctionDef(self, node):
        for decorator in node.decorator_list:
            if self.source(decorator).startswith("pl.when("):
                whole = (self.start(decorator) - 1, self.end(node))
                self.found.append(("drop-when", *whole, "pass"))
                indent = " " * node.col_offset
                self.found.append(("always", *whole, f"if True:\n{indent}  " + "".join(self.body(node)).lstrip()))
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def body(self, node):
        return self.text[self.start(node.body[0]) : self.end(node)]

    def visit_Compare(self, node):
        left, right = self.source(node.left), self.source(node.comparators[0])
        if isinstance(node.ops[0], ast.Lt):
            self.replace("compare", node, f"{left} <= {right}")
            self.replace("compare", node, f"{left} < {right} - 1")
            self.replace("compare", node, f"{left} >= {right}")
        if isinstance(node.ops[0], ast.Eq):
            self.replace("compare", node, f"{left} == {right} + 1")
            self.replace("compare", node, f"{left} == {right} - 1")
        self.generic_visit(node)

    def visit_Attribute(self, node):
        swaps = {"float32": ["bfloat16", "int32"], "bfloat16": ["float32"], "int32": ["int8"], "int8": ["int32"]}
        # The dtype of the arrays that a program begins with is no mistake.
        if self.depth > 0 and isinstance(node.value, ast.Name) and node.value.id == "jnp":
            for other in swaps.get(node.attr, []):
                self.replace("dtype", node, f"jnp.{other}")
        self.generic_visit(node)

    def visit_Subscript(self, node):
        if isinstance(node.value, ast.Name) and node.value.id.endswith("_ref"):
            entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for entry in entries:
                if not isinstance(entry, ast.Slice):
                    continue
                for bound in filter(None, (entry.lower, entry.upper)):
                    self.replace("slice-start", bound, f"{self.source(bound)} + 1")
                    self.replace("slice-start", bound, f"{self.source(bound)} - 1")
        self.generic_visit(node)


def mutants(text):
    """Distinct mutants that are Python, in the order of the text: (operator, start, end, replacement, text)."""
    seen = {text}
    for operator, start, end, replacement in sorted(Mutator(text).found, key=lambda found: found[1:]):
        mutant = text[:start] + replacement + text[end:]
        if mutant in seen:
            continue
        seen.add(mutant)
        ast.parse(mutant)
        yield operator, start, end, replacement, mutant


def arrays_of(text, interpret):
    """Runs a program in this process: its arrays by name."""
    import jax
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu

    launch = getattr(pl.pallas_call, "launch", pl.pallas_call)

    def interpreted(*args, **kwargs):
        if interpret == "tpu":
            kwargs["interpret"] = pltpu.InterpretParams(detect_races=True)
        return launch(*args, **kwargs)

    interpreted.launch = launch
    pl.pallas_call = interpreted
    names = {"__name__": "__main__"}
    exec(compile(text, "mutant.py", "exec"), names)
    arrays = {name: value for name, value in names.items() if isinstance(value, jax.Array)}
    return {
        name: (value.dtype.name, np.asarray(value.astype("float32") if value.dtype == "bfloat16" else value))
        for name, value in arrays.items()
    }


class Worker:
    """A child that runs programs one after the other; a new one takes over where one hangs, or may not be what it was."""

    def __init__(self):
        self.child = None

    def begin(self):
        questions, ask = os.pipe()
        answers, answer = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(ask)
            os.close(answers)
            serve(os.fdopen(questions, "rb"), os.fdopen(answer, "wb"))
        os.close(questions)
        os.close(answer)
        self.ask, self.answers = os.fdopen(ask, "wb"), os.fdopen(answers, "rb")

    def end(self):
        if self.child is not None:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
            self.ask.close()
            self.answers.close()
            self.child = None

    def run(self, text, interpret):
        """(arrays, None) or (None, what was raised)."""
        if self.child is None:
            self.begin()
        pickle.dump((text, interpret), self.ask)
        self.ask.flush()
        ready, _, _ = select.select([self.answers], [], [], SECONDS)
        try:
            outcome = pickle.load(self.answers) if ready else (None, "does not end")
        except EOFError:
            outcome = (None, "ended the process")
        # Errors leave TPU interpret mode in no state to go on from.
        if not ready or (interpret == "tpu" and outcome[0] is None):
            self.end()
        return outcome


def serve(questions, answers):
    """Runs what it is asked to run, until it is killed."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    while True:
        text, interpret = pickle.load(questions)
        try:
            outcome = (arrays_of(text, interpret), None)
        except BaseException as error:
            outcome = (None, type(error).__name__ + ": " + str(error)[:200])
        pickle.dump(outcome, answers)
        answers.flush()


WORKER = Worker()


def same(expected, arrays, narrow=False):
    if expected.keys() != arrays.keys():
        return False
    for name, (dtype, wanted) in expected.items():
        other_dtype, got = arrays[name]
        if wanted.shape != got.shape:
            return False
        if wanted.dtype.kind != "f":
            if not np.array_equal(wanted, got):
                return False
            continue
        # A result of another precision is one with other digits, not a wrong one.
        tolerance = 1e-2 if narrow and "bfloat16" in (dtype, other_dtype) else 2e-4
        scale = max(float(np.max(np.abs(wanted))), 1e-6)
        if not np.allclose(wanted.astype("float64"), got.astype("float64"), rtol=tolerance, atol=tolerance * scale):
            return False
    return True


def verdict(text, expected):
    arrays, error = WORKER.run(text, "hlo")
    if error is not None:
        kind = error.split(":")[0]
        return "wrong" if kind == "AssertionError" else f"raises {kind}"
    if not same(expected, arrays):
        return "rounds" if same(expected, arrays, narrow=True) else "wrong"
    arrays, error = WORKER.run(text, "tpu")
    return "right" if error is None and same(expected, arrays) else "wrong"


def table(path):
    text = path.read_text()
    assert text.isascii()
    expected, error = WORKER.run(text, "hlo")
    assert error is None, f"{path.name}: {error}"
    again, error = WORKER.run(text, "tpu")
    assert error is None and same(expected, again), f"{path.name}: TPU interpret mode: {error}"
    lines = []
    # Programs with many places have a sample of them judged, the same whenever the script is run.
    kept = sorted(fnv(mutant[-1]) for mutant in mutants(text))[:LARGEST]
    for operator, start, end, replacement, mutant in mutants(text):
        if fnv(mutant) not in kept:
            continue
        judged = verdict(mutant, expected)
        entries = [fnv(mutant), path.stem, operator, str(start), str(end), json.dumps(replacement), judged]
        lines.append("\t".join(entries))
    return lines


def main(names):
    # What a program says is rounded shall be rounded.
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_allow_excess_precision=false"
    import jax  # noqa: F401  (children share it; none of them has started its back end)
    import jax.experimental.pallas.tpu  # noqa: F401

    kept = TABLE.read_text().splitlines() if TABLE.exists() else []
    by_program = {}
    for line in kept:
        by_program.setdefault(line.split("\t")[1], []).append(line)
    programs = sorted(FOLDER.glob("*.py"))
    for path in sorted(programs, key=lambda path: (path.stem in by_program, path.stem)):
        if names and path.stem not in names:
            continue
        by_program[path.stem] = table(path)
        counts = [re.split(r"[\t ]", line.split("\t")[-1])[0] for line in by_program[path.stem]]
        print(path.stem, {word: counts.count(word) for word in sorted(set(counts))}, flush=True)
        stems = [path.stem for path in programs]
        TABLE.write_text("".join(line + "\n" for stem in stems for line in by_program.get(stem, [])))


if __name__ == "__main__":
    main(sys.argv[1:])
