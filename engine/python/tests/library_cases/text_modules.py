import io
import pprint
import string
import textwrap

print(string.ascii_lowercase, string.ascii_letters, string.digits, string.hexdigits, string.punctuation, repr(string.whitespace))
print(string.capwords("hello wide world"), string.Template("$a and ${b} cost $$5").substitute(a=1, b="x"), string.Template("$a $zz").safe_substitute(a=1))
for bad in (lambda: string.Template("$x").substitute(), lambda: string.Template("a $ b").substitute()):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, error)
text = """
    def f():
        return 1

    x = 2
"""
print(textwrap.dedent(text), repr(textwrap.dedent("  a\n\t\n  b")), textwrap.indent("a\n\nb\n", "> "), textwrap.indent("a\nb", "-", lambda line: line == "b"))
long = "The quick brown fox jumps over the lazy dog and runs away from the very-long-hyphenated-word and antidisestablishmentarianism"
print(textwrap.wrap(long, 20))
print(textwrap.fill(long, width=30, initial_indent="* ", subsequent_indent="  "))
print(textwrap.wrap(long, 15, break_long_words=False), textwrap.shorten(long, 30), textwrap.wrap("", 10), textwrap.wrap("a b c", 1), textwrap.wrap(long, 25, max_lines=2))

buffer = io.StringIO("one\ntwo\nthree")
print(buffer.read(4), repr(buffer.readline()), buffer.readlines(), repr(buffer.read()), buffer.tell(), buffer.seek(0), list(buffer), buffer.getvalue() == "one\ntwo\nthree")
buffer = io.StringIO()
print(buffer.write("hello"), buffer.write(" world"), buffer.getvalue(), buffer.seek(2), buffer.write("XX"), buffer.getvalue(), buffer.truncate(5), repr(buffer.getvalue()))
with io.StringIO() as out:
    print("a", 1, file=out)
    print(repr(out.getvalue()))
try:
    out.write("x")
except ValueError as error:
    print(error)
print(io.BytesIO(b"abc").read(2), io.BytesIO().write(b"xy"))

data = {"name": "matmul", "shapes": [(128, 256), (256, 512)], "options": {"block": [16, 16, 32], "precision": "highest", "transpose": False}, "notes": ["a" * 30, "b" * 40]}
pprint.pprint(data)
pprint.pprint([1, 2, 3])
pprint.pprint({"b": 1, "a": 2})
pprint.pp({"b": 1, "a": 2})
print(pprint.pformat([list(range(12)), list(range(12, 24)), list(range(24, 40))], width=40))
pprint.pprint(list(range(40)), width=60)
