"""Breaks correct kernels in small ways, and asks JAX what becomes of each: tests/mutation/mutants.tsv.

Each program of tests/mutation has one launch, and leaves arrays in the module's names. A mutant is the program with one
place changed. Its verdict is

- `raises ERROR`: JAX refuses it;
- `wrong`: arrays differ from the program's, under interpret=True or under TPU interpret mode, which also raises where
  blocks lie outside their arrays, and where a block of an output is left and visited again;
- `rounds`: arrays are of another precision, and differ by that;
- `right`: nothing differs under either.

Operators whose name begins with `keep-` say the same in other words, or mean to: renamed parameters, commuted operands, grid axes
that change places together with what follows them. JAX decides on these, too. They are sampled apart from the others.

A line of the table: hash of the mutant's text, program, operator, first byte and one past the last byte that are replaced,
the replacement as JSON, verdict. tests/tests/mutation.rs compares the verdicts with what is found.

Mutants that the table has are not judged again; without the table, all are.

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
LARGEST_KEPT = 10


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
        self.whole = ast.parse(text)
        self.lines = list(itertools.accumulate((len(line) for line in text.splitlines(keepends=True)), initial=0))
        self.visit(self.whole)

    def start(self, node):
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.lines[node.end_lineno - 1] + node.end_col_offset

    def source(self, node):
        return self.text[self.start(node) : self.end(node)]

    def replace(self, operator, node, replacement):
        self.found.append((operator, self.start(node), self.end(node), replacement))

    def several(self, operator, edits):
        """Several places as one: what lies between them is replaced by itself."""
        edits = sorted(set(edits))
        start, end = edits[0][0], edits[-1][1]
        text, at = "", start
        for first, last, replacement in edits:
            text += self.text[at:first] + replacement
            at = last
        self.found.append((operator, start, end, text))

    def swapped(self, first, second):
        return [
            (self.start(first), self.end(first), self.source(second)),
            (self.start(second), self.end(second), self.source(first)),
        ]

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
            self.keep_grid(node, by_name["grid"])
        self.keep_call(name, node)
        for specs in ("in_specs", "scratch_shapes"):
            if isinstance(by_name.get(specs), ast.List):
                self.specs(by_name[specs])
        if isinstance(by_name.get("compiler_params"), ast.Call):
            for keyword in by_name["compiler_params"].keywords:
                if keyword.arg == "dimension_semantics":
                    for entry in keyword.value.elts:
                        if entry.value == "arbitrary":
                            self.replace("semantics", entry, '"parallel"')
                        else:
                            self.replace("keep-semantics", entry, '"arbitrary"')
        self.generic_visit(node)

    def keep_call(self, name, node):
        arguments = [self.source(argument) for argument in node.args]
        if name == "BlockSpec" and len(arguments) == 2:
            edits = [
                (self.start(argument), self.start(argument), f"{keyword}=")
                for keyword, argument in zip(("block_shape", "index_map"), node.args)
            ]
            self.several("keep-keywords", edits)
        if name == "cdiv" and len(arguments) == 2:
            self.replace("keep-cdiv", node, f"({arguments[0]} + {arguments[1]} - 1) // {arguments[1]}")
        if name == "where" and len(arguments) == 3:
            condition, chosen, other = arguments
            self.replace("keep-where", node, f"jnp.where(jnp.logical_not({condition}), {other}, {chosen})")
        if name == "zeros_like" and len(arguments) == 1:
            self.replace("keep-zeros", node, f"jnp.zeros({arguments[0]}.shape, {arguments[0]}.dtype)")
        if name in ("dot", "matmul") and len(arguments) == 2 and not node.keywords:
            self.replace("keep-dot", node, f"{arguments[0]} @ {arguments[1]}")
        if name == "ds" and len(arguments) == 2:
            self.replace("keep-ds", node, f"pl.ds(start={arguments[0]}, size={arguments[1]})")

    def keep_grid(self, call, grid):
        """Two axes of the grid change places, with all that says which is which."""
        if len(grid.elts) == 1:
            self.replace("keep-grid", grid, self.source(grid.elts[0]))
        for a, b in itertools.combinations(range(len(grid.elts)), 2):
            edits = self.swapped(grid.elts[a], grid.elts[b])
            for node in ast.walk(self.whole):
                if isinstance(node, ast.Lambda) and len(node.args.args) >= len(grid.elts):
                    edits += self.swapped(node.args.args[a], node.args.args[b])
                if isinstance(node, ast.Call) and self.source(node.func) in ("pl.program_id", "pl.num_programs"):
                    axis = node.args[0]
                    if isinstance(axis, ast.Constant) and axis.value in (a, b):
                        edits.append((self.start(axis), self.end(axis), str(a + b - axis.value)))
                if isinstance(node, ast.keyword) and node.arg == "dimension_semantics":
                    edits += self.swapped(node.value.elts[a], node.value.elts[b])
            self.several("keep-grid-axes", edits)

    def keep_names(self, function):
        """Parameters and variables under other names."""
        nodes = list(ast.walk(function))
        names = {argument.arg for argument in function.args.args}
        names |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for name in sorted(names):
            places = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
            places += [n for n in nodes if isinstance(n, ast.arg) and n.arg == name]
            edits = [(self.start(n), self.start(n) + len(name), f"{name}_2") for n in places]
            self.several("keep-rename", edits)
        for first, second in zip(function.body, function.body[1:]):
            if isinstance(first, ast.Assign) and isinstance(second, ast.Assign):
                self.exchange("keep-order", first, second)

    def visit_Lambda(self, node):
        edits = []
        for argument in node.args.args:
            for n in ast.walk(node):
                if n is argument or (isinstance(n, ast.Name) and n.id == argument.arg):
                    edits.append((self.start(n), self.start(n) + len(argument.arg), f"{argument.arg}_2"))
        if edits:
            self.several("keep-rename", edits)
        self.generic_visit(node)

    def visit_BinOp(self, node):
        left, right = self.source(node.left), self.source(node.right)
        simple = (ast.Name, ast.Constant, ast.Call, ast.Subscript)
        if isinstance(node.op, (ast.Add, ast.Mult)) and isinstance(node.left, simple) and isinstance(node.right, simple):
            self.exchange("keep-commute", node.left, node.right)
        if isinstance(node.op, ast.FloorDiv):
            self.replace("keep-cdiv", node, f"pl.cdiv({left}, {right})")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        if isinstance(node.op, ast.Add):
            target, value = self.source(node.target), self.source(node.value)
            self.replace("keep-add", node, f"{target} = {target} + ({value})")
            self.replace("keep-add", node, f"{target} = ({value}) + {target}")
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
            self.replace("keep-index", entry, f"({self.source(entry)}) * 1 + 0")
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
                self.replace("keep-squeezed", size, "pl.Squeezed()")
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
                condition = self.source(decorator.args[0])
                self.replace("keep-when", decorator.args[0], f"jnp.logical_not(jnp.logical_not({condition}))")
        if self.depth == 0:
            self.keep_names(node)
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def body(self, node):
        return self.text[self.start(node.body[0]) : self.end(node)]

    def visit_Compare(self, node):
        left, right = self.source(node.left), self.source(node.comparators[0])
        if isinstance(node.ops[0], ast.Lt):
            self.replace("keep-compare", node, f"{right} > {left}")
            self.replace("compare", node, f"{left} <= {right}")
            self.replace("compare", node, f"{left} < {right} - 1")
            self.replace("compare", node, f"{left} >= {right}")
        if isinstance(node.ops[0], ast.Eq):
            self.replace("keep-compare", node, f"{right} == {left}")
            self.replace("compare", node, f"{left} == {right} + 1")
            self.replace("compare", node, f"{left} == {right} - 1")
        self.generic_visit(node)

    def visit_Attribute(self, node):
        swaps = {"float32": ["bfloat16", "int32"], "bfloat16": ["float32"], "int32": ["int8"], "int8": ["int32"]}
        if self.depth > 0 and node.attr in swaps and self.source(node) == f"jnp.{node.attr}":
            self.replace("keep-dtype", node, f'jnp.dtype("{node.attr}")')
        # The dtype of the arrays that a program begins with is no mistake.
        if self.depth > 0 and isinstance(node.value, ast.Name) and node.value.id == "jnp":
            for other in swaps.get(node.attr, []):
                self.replace("dtype", node, f"jnp.{other}")
        self.generic_visit(node)

    def visit_Subscript(self, node):
        if isinstance(node.value, ast.Name) and node.value.id.endswith("_ref"):
            entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if isinstance(node.slice, ast.Constant) and node.slice.value is ...:
                self.replace("keep-all", node.slice, ":")
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
        try:
            ast.parse(mutant)
        except SyntaxError:
            # Parts that were exchanged across lines.
            assert operator.startswith("keep-"), mutant
            continue
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


def sample(text):
    """Programs with many places have a sample of them judged, the same whenever the script is run."""
    hashes = {True: [], False: []}
    for operator, *_, mutant in mutants(text):
        hashes[operator.startswith("keep-")].append(fnv(mutant))
    return {*sorted(hashes[False])[:LARGEST], *sorted(hashes[True])[:LARGEST_KEPT]}


def table(path, known):
    text = path.read_text()
    assert text.isascii()
    expected, error = WORKER.run(text, "hlo")
    assert error is None, f"{path.name}: {error}"
    again, error = WORKER.run(text, "tpu")
    assert error is None and same(expected, again), f"{path.name}: TPU interpret mode: {error}"
    lines = []
    kept = sample(text)
    for operator, start, end, replacement, mutant in mutants(text):
        if fnv(mutant) not in kept:
            continue
        judged = known.get(fnv(mutant)) or verdict(mutant, expected)
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
    known = {line.split("\t")[0]: line.split("\t")[-1] for line in kept}
    for line in kept:
        by_program.setdefault(line.split("\t")[1], []).append(line)
    programs = sorted(FOLDER.glob("*.py"))
    for path in sorted(programs, key=lambda path: (path.stem in by_program, path.stem)):
        if names and path.stem not in names:
            continue
        by_program[path.stem] = table(path, known)
        counts = [re.split(r"[\t ]", line.split("\t")[-1])[0] for line in by_program[path.stem]]
        print(path.stem, {word: counts.count(word) for word in sorted(set(counts))}, flush=True)
        stems = [path.stem for path in programs]
        TABLE.write_text("".join(line + "\n" for stem in stems for line in by_program.get(stem, [])))


if __name__ == "__main__":
    main(sys.argv[1:])
