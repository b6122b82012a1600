"""f-strings and format: specs, conversions, nesting, =, and the older spellings."""
import math

name, n, x = "pallas", 42, 3.14159
print(f"{name} {n} {x} {name!r} {n + 1} {name.upper()} {[1, 2]} {{braces}} {'nested'} {n if n > 3 else 0}")
print(f"|{name:10}|{name:>10}|{name:^10}|{name:*^12}|{name:.3}|{name!r:>10}|{n:<6}|{n:^6}|{n:06}|{n:+}|{n: }|{-n:06}|")
print(f"|{x:.2f}|{x:8.3f}|{x:<8.1f}|{x:e}|{x:.1e}|{x:g}|{x:.3g}|{x:%}|{x:.1%}|{-x:+.2f}|{x:010.4f}|{x:.0f}|{1e10:g}|{1e-5:g}|{123456.0:g}|{1234567.0:g}|")
print(f"|{n:x}|{n:X}|{n:#x}|{n:b}|{n:#b}|{n:08b}|{n:o}|{n:c}|{1234567:,}|{1234567:_}|{1234567.891:,.2f}|{n:e}|{n:.1f}|{255:#06x}|{0xdeadbeef:_x}|")
width, precision = 12, 3
print(f"|{x:{width}.{precision}f}|{x:>{width}}|{name:{'>'}{width}}|{n=}|{x = :.2f}|{name=!s}|{n*2=}|{name.title() = }|")
print("{} {} {}".format(1, "a", 2.5), "{0} {1} {0}".format("x", "y"), "{k:>5}|{v!r}".format(k=1, v="s"), "{:>{w}}".format(5, w=4), "{0[1]} {1.real}".format([1, 2], 3))
print("%d %5d %-5d| %05d %+d %s %r %x %o %e %.2f %g %% %c %10.3f|%-8s|%s" % (1, 2, 3, 4, 5, "s", "r", 255, 8, 1234.5, 2.345, 0.0001, "c", math.pi, "ab", (1, 2)))
print("%(a)s-%(b)03d" % {"a": 1, "b": 2}, "%s" % [1], "%s %s" % ("a", None), format(5, "03"), format(2.5), format("a", ">3"))
for value in (0.1, 1 / 3, 1e16, 1e15, 123456789012345680.0, 1e-4, 1e-5, 1.0, -0.0, 1e100, float("inf"), float("-inf"), float("nan"), 5e-324, 2.0**53, 100.0, 1.5e300):
  print(value, repr(value), f"{value:.3f}" if abs(value) < 1e20 else f"{value:.3e}", f"{value:g}", f"{value}", end="; ")
print()
print(f"{True} {None} {(1,)} {1+2j} {b'bytes'} {'a' 'b'} {chr(9)!r} {chr(233)!r} {'é'!a} {f'{n:>{5}}'} {dict(a=1)['a']} {(lambda: 7)()}")
print("multi" "part " f"{n}" r"\raw" "\u00e9 \x41 \N{BULLET}", """triple
lines""", 'it''s', "quote\"s", '\\')
print(f"{n:>5}" + f"{'x':<5}|" + f"{1.0:5}|" + f"{1.0}" + f" {10**20} {-7 // 2} {2**0.5:.4f} {7e0}")
print(f'{"a" if n else "b"}', f"{n!s}", f"{[f'{i}' for i in range(3)]}", f"{'{'}", f"{n:{'0'}>{6}}")
