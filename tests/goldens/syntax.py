"""Writes what CPython's own `ast` and `symtable` say of each syntax case, in the form of engine/syntax/src/dump.

    /path/to/python3.11 tests/goldens/syntax.py            # rewrites engine/syntax/tests/goldens/*.txt
    /path/to/python3.11 tests/goldens/syntax.py FILE...    # prints the dump of each file, after its name

Cases whose name starts with `new_` use syntax later than 3.11 and those starting with `bad_` do not parse: both are
left to the snapshots. errors.txt holds broken snippets between `---` lines. Needs nothing but the standard library.
"""

import ast
import pathlib
import struct
import symtable
import sys


def quoted(text):
    out = []
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif " " <= c <= "~":
            out.append(c)
        else:
            out.append("\\u{%x}" % ord(c))
    return '"' + "".join(out) + '"'


class Dump:
    def __init__(self, text):
        self.lines = []
        self.indent = 0
        self.in_fstring = False
        data = text.encode()
        self.starts = [0]
        for i, b in enumerate(data):
            if b == 10:
                self.starts.append(i + 1)
        self.tables = {}
        self.collect(symtable.symtable(text, "case", "exec"))

    def collect(self, table):
        for child in table.get_children():
            self.tables.setdefault((child.get_name(), child.get_lineno()), []).append(child)
            self.collect(child)

    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def range(self, node):
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        return f"{start}..{end}"

    def at(self, node):
        return "" if self.in_fstring else "@" + self.range(node)

    def block(self, label, body):
        if not body:
            return
        self.line(label)
        self.indent += 1
        self.body(body)
        self.indent -= 1

    def body(self, body):
        for statement in body:
            self.statement(statement)

    def many(self, exprs):
        return "".join(" " + self.expr(e) for e in exprs)

    def optional(self, expr):
        return "_" if expr is None else self.expr(expr)

    def scope(self, node, name):
        tables = self.tables[(name, node.lineno)]
        table = tables.pop(0)
        mangled = [s.get_name() for s in table.get_symbols()]
        symbols = {s.get_name(): s for s in table.get_symbols()}
        bound = [n for n in mangled if n != ".0" and (symbols[n].is_assigned() or symbols[n].is_parameter() or symbols[n].is_imported())]
        declared_global = [n for n in mangled if symbols[n].is_declared_global()]
        nonlocals = [n for n in mangled if symbols[n].is_nonlocal()]
        local = [n for n in bound if n not in declared_global and n not in nonlocals]
        generator = False
        if not isinstance(node, ast.ClassDef):
            stack = list(node.body) if isinstance(node.body, list) else [node.body]
            while stack:
                n = stack.pop()
                if isinstance(n, (ast.Yield, ast.YieldFrom)):
                    generator = True
                if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    stack.extend(n.decorator_list)
                elif not isinstance(n, ast.Lambda):
                    stack.extend(ast.iter_child_nodes(n))
        names = lambda ns: "".join(" " + n for n in sorted(ns))
        return f"(scope{names(local)} |{names(declared_global)} |{names(nonlocals)} |{' generator' if generator else ''})"

    def statement(self, s):
        name = type(s).__name__
        at = self.at(s)
        match s:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.line(f"({name}{at} {s.name} {self.params(s.args)} {self.optional(s.returns)}")
                self.definition(s)
            case ast.ClassDef():
                self.line(f"({name}{at} {s.name}{self.args(s.bases, s.keywords)}")
                self.definition(s)
            case ast.For() | ast.AsyncFor():
                self.loop(f"({name}{at} {self.expr(s.target)} {self.expr(s.iter)}", s.body, s.orelse)
            case ast.While() | ast.If():
                self.loop(f"({name}{at} {self.expr(s.test)}", s.body, s.orelse)
            case ast.With() | ast.AsyncWith():
                items = "".join(f" ({self.expr(i.context_expr)} {self.optional(i.optional_vars)})" for i in s.items)
                self.loop(f"({name}{at}{items}", s.body, [])
            case ast.Match():
                self.line(f"(Match{at} {self.expr(s.subject)}")
                for c in s.cases:
                    self.block(f"case {self.pattern(c.pattern)} {self.optional(c.guard)}", c.body)
                self.line(")")
            case ast.Try() | ast.TryStar():
                star = "*" if isinstance(s, ast.TryStar) else ""
                self.block(f"(Try{at}", s.body)
                for h in s.handlers:
                    self.block(f"except{star}{self.at(h)} {self.optional(h.type)} {h.name or '_'}", h.body)
                self.block("else", s.orelse)
                self.block("finally", s.finalbody)
                self.line(")")
            case _:
                self.line(f"({self.simple(s, name, at)})")

    def definition(self, s):
        self.indent += 1
        for d in s.decorator_list:
            self.line(f"@ {self.expr(d)}")
        self.line(self.scope(s, s.name))
        self.body(s.body)
        self.indent -= 1
        self.line(")")

    def loop(self, text, body, orelse):
        self.line(text)
        self.indent += 1
        self.body(body)
        self.indent -= 1
        self.block("else", orelse)
        self.line(")")

    def simple(self, s, name, at):
        match s:
            case ast.Return():
                return f"Return{at} {self.optional(s.value)}"
            case ast.Delete():
                return f"Delete{at}{self.many(s.targets)}"
            case ast.Assign():
                return f"Assign{at}{self.many(s.targets)} = {self.expr(s.value)}"
            case ast.AugAssign():
                return f"AugAssign{at} {self.expr(s.target)} {type(s.op).__name__} {self.expr(s.value)}"
            case ast.AnnAssign():
                return f"AnnAssign{at} {self.expr(s.target)} {self.expr(s.annotation)} {self.optional(s.value)}"
            case ast.Raise():
                return f"Raise{at} {self.optional(s.exc)} {self.optional(s.cause)}"
            case ast.Assert():
                return f"Assert{at} {self.expr(s.test)} {self.optional(s.msg)}"
            case ast.Import():
                return f"Import{at}{self.aliases(s.names)}"
            case ast.ImportFrom():
                return f"ImportFrom{at} {s.level} {s.module or '_'}{self.aliases(s.names)}"
            case ast.Global() | ast.Nonlocal():
                return f"{name}{at} {' '.join(s.names)}"
            case ast.Expr():
                return f"Expr{at} {self.expr(s.value)}"
            case _:
                return f"{name}{at}"

    def aliases(self, names):
        return "".join(f" (alias@{self.range(a)} {a.name} {a.asname or '_'})" for a in names)

    def params(self, a):
        positional = a.posonlyargs + a.args
        defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
        pairs = list(zip(positional, defaults))
        n = len(a.posonlyargs)
        groups = [
            ("posonly", pairs[:n]),
            ("args", pairs[n:]),
            ("vararg", [(a.vararg, None)] if a.vararg else []),
            ("kwonly", list(zip(a.kwonlyargs, a.kw_defaults))),
            ("kwarg", [(a.kwarg, None)] if a.kwarg else []),
        ]
        out = "(params"
        for label, group in groups:
            if group:
                inner = "".join(
                    f" (p{self.at(p)} {p.arg} {self.optional(p.annotation)} {self.optional(d)})" for p, d in group
                )
                out += f" ({label}{inner})"
        return out + ")"

    def args(self, args, keywords):
        out = ""
        position = lambda n: (n.lineno, n.col_offset)
        # `**mapping` has the position of its value in some versions; both kinds of keyword have one of their own.
        for a in sorted(list(args) + list(keywords), key=position):
            match a:
                case ast.Starred():
                    out += f" (* {self.expr(a.value)})"
                case ast.keyword(arg=None):
                    out += f" (** {self.expr(a.value)})"
                case ast.keyword():
                    out += f" (={self.at(a)} {a.arg} {self.expr(a.value)})"
                case _:
                    out += " " + self.expr(a)
        return out

    def constant(self, value):
        if value is None or value is True or value is False:
            return repr(value)
        if value is Ellipsis:
            return "Ellipsis"
        if isinstance(value, int):
            return f"int {value}"
        if isinstance(value, float):
            return "float %016x" % struct.unpack("<Q", struct.pack("<d", value))
        if isinstance(value, complex):
            return "imaginary %016x" % struct.unpack("<Q", struct.pack("<d", value.imag))
        if isinstance(value, bytes):
            return "bytes " + quoted(value.decode("latin-1"))
        return "str " + quoted(value)

    def expr(self, e):
        name = type(e).__name__
        at = self.at(e)
        match e:
            case ast.Name():
                return f"(Name{at} {e.id})"
            case ast.Constant():
                return f"(Constant{at} {self.constant(e.value)})"
            case ast.JoinedStr():
                return f"(FString{at}{self.fstring(e)})"
            case ast.BinOp():
                return f"(BinOp{at} {type(e.op).__name__} {self.expr(e.left)} {self.expr(e.right)})"
            case ast.UnaryOp():
                return f"(UnaryOp{at} {type(e.op).__name__} {self.expr(e.operand)})"
            case ast.BoolOp():
                return f"(BoolOp{at} {type(e.op).__name__}{self.many(e.values)})"
            case ast.Compare():
                rest = "".join(f" {type(o).__name__} {self.expr(c)}" for o, c in zip(e.ops, e.comparators))
                return f"(Compare{at} {self.expr(e.left)}{rest})"
            case ast.Call():
                return f"(Call{at} {self.expr(e.func)}{self.args(e.args, e.keywords)})"
            case ast.Attribute():
                return f"(Attribute{at} {self.expr(e.value)} {e.attr})"
            case ast.Subscript():
                return f"(Subscript{at} {self.expr(e.value)} {self.expr(e.slice)})"
            case ast.Slice():
                return f"(Slice{at} {self.optional(e.lower)} {self.optional(e.upper)} {self.optional(e.step)})"
            case ast.Tuple() | ast.List() | ast.Set():
                return f"({name}{at}{self.many(e.elts)})"
            case ast.Dict():
                entries = "".join(
                    f" {'**' if k is None else self.expr(k)} {self.expr(v)}" for k, v in zip(e.keys, e.values)
                )
                return f"(Dict{at}{entries})"
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return f"({name}{at} {self.expr(e.elt)}{self.clauses(e)})"
            case ast.DictComp():
                return f"({name}{at} {self.expr(e.key)} {self.expr(e.value)}{self.clauses(e)})"
            case ast.Lambda():
                params = self.params(e.args)
                return f"(Lambda{at} {params} {self.scope(e, 'lambda')} {self.expr(e.body)})"
            case ast.IfExp():
                return f"(IfExp{at} {self.expr(e.test)} {self.expr(e.body)} {self.expr(e.orelse)})"
            case ast.NamedExpr():
                return f"(NamedExpr{at} {e.target.id} {self.expr(e.value)})"
            case ast.Starred() | ast.YieldFrom() | ast.Await():
                return f"({name}{at} {self.expr(e.value)})"
            case ast.Yield():
                return f"(Yield{at} {self.optional(e.value)})"
        raise TypeError(name)

    def clauses(self, e):
        return "".join(
            f" ({'async for' if g.is_async else 'for'} {self.expr(g.target)} {self.expr(g.iter)}{self.many(g.ifs)})" for g in e.generators
        )

    def fstring(self, e):
        outer, self.in_fstring = self.in_fstring, True
        out, text = "", ""
        for part in e.values:
            if isinstance(part, ast.Constant):
                text += part.value
                continue
            if text:
                out += " " + quoted(text)
                text = ""
            conversion = "" if part.conversion == -1 else " !" + chr(part.conversion)
            spec = self.fstring(part.format_spec) if part.format_spec else ""
            spec = f" (spec{spec})" if spec else ""
            out += f" (Field {self.expr(part.value)}{conversion}{spec})"
        if text:
            out += " " + quoted(text)
        self.in_fstring = outer
        return out

    def pattern(self, p):
        many = lambda ps: "".join(" " + self.pattern(q) for q in ps)
        match p:
            case ast.MatchAs(pattern=None, name=None):
                return "(Wildcard)"
            case ast.MatchAs(pattern=None):
                return f"(Capture {p.name})"
            case ast.MatchAs():
                return f"(Capture {p.name} {self.pattern(p.pattern)})"
            case ast.MatchValue():
                return f"(Value {self.expr(p.value)})"
            case ast.MatchSingleton():
                return f"(Singleton {p.value})"
            case ast.MatchSequence():
                return f"(Sequence{many(p.patterns)})"
            case ast.MatchStar():
                return f"(Star {p.name or '_'})"
            case ast.MatchMapping():
                entries = "".join(f" {self.expr(k)} {self.pattern(v)}" for k, v in zip(p.keys, p.patterns))
                return f"(Mapping{entries} ** {p.rest or '_'})"
            case ast.MatchClass():
                keywords = "".join(f" (= {n} {self.pattern(q)})" for n, q in zip(p.kwd_attrs, p.kwd_patterns))
                return f"(Class {self.expr(p.cls)}{many(p.patterns)}{keywords})"
            case ast.MatchOr():
                return f"(Or{many(p.patterns)})"
        raise TypeError(type(p).__name__)


def dump(text):
    d = Dump(text)
    d.body(ast.parse(text).body)
    return "".join(line + "\n" for line in d.lines)


def read(path):
    return path.read_bytes().decode()


def error(snippet):
    """Line and message of the error that compiling gives."""
    try:
        compile(snippet, "case", "exec")
    except SyntaxError as e:
        return f"{e.lineno}: {e.msg}"
    raise ValueError(f"this compiles: {snippet!r}")


def main():
    if len(sys.argv) > 1:
        for name in sys.argv[1:]:
            print(f"=== {name}")
            print(dump(read(pathlib.Path(name))), end="")
        return
    tests = pathlib.Path(__file__).parents[2] / "engine/syntax/tests"
    (tests / "goldens").mkdir(exist_ok=True)
    for case in sorted((tests / "cases").glob("*.py")):
        if not case.stem.startswith(("new_", "bad_")):
            (tests / "goldens" / f"{case.stem}.txt").write_text(dump(read(case)))
    snippets = read(tests / "cases" / "errors.txt").split("---\n")
    (tests / "goldens" / "errors.txt").write_text("".join(error(s) + "\n" for s in snippets))


main()
