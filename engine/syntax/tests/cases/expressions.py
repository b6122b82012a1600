a + b * c ** -d // e % f @ g - h
a << b >> c & d | e ^ f
-a ** -b
~a + +b - -c
not a and b or c and not d
a and b and c
(a and b) and c
a or (b or c)
a < b <= c != d == e
a is b is not c in d not in e
(a < b) < c
x if y else z
x if (y if a else b) else z if c else d
lambda: 0
lambda x, *y, z=1, **k: x if y else z
lambda x, /, y=2, *, z: (x, y, z)
(x := 1) + x
f(x := 1, y=(z := 2))
()
(a,)
(a, b)
a,
a, b,
((a), (b))
[]
[a, *b, c]
[*f(x), *a.b, *a[0], *a + b]
{a}
{*a, b}
{}
{a: b, **c, 'd': e}
f()
f(a, *b, c=d, **e)
f(a)(b)[c].d.e(f).g
f(x for x in y)
f(a, (x for x in y))
f(**a, b=c, **d)
f(a, b,)
a.b.c
a[b]
a[b, c]
a[b,]
a[:]
a[b:]
a[:b]
a[b:c:d]
a[::d]
a[::]
a[b:c, ::d, ...]
a[1:2][3:]
a[*b]
a[*b, 1]
a[*f(b), 1]
a[*(b for c in d)]
a[(b, c)]
a[None, :]
x[..., None]
((a))
(((a + b)))
(a + b).c
(a)(b)
1 .real
1.0.real
[1,
 2,  # two
 3]
(a
 + b
 * c)
a \
  + b
"a".join(b)
-1
- 1j
2 ** 3 ** 4
a - b - c
(yield_)
print
print(x)
print(x, y, sep='')
print(*x)
print(-1)
print((1), 2)
print >> f
print >> f, x
exec
exec("x")
await_
a if b else lambda: c
lambda: (a, b)
[lambda x: x, 1]
{lambda: 1: 2}
not a == b
a == (not b)
a . b . c
x = yield_, 1
a[b if c else d]
a[b := 1]
{**a}
{1: 2,}
mixed = a & b ^ c, a ^ b & c, a & b ^ ~a & c, a & b ^ a & c ^ b & c, a ^ b ^ c & d & e
mixed_too = (a ^ b) & c, a & (b ^ c), a & b | c & d ^ e, (a & b ^ c) + 1 & d ^ e << 2 & f, -a & b ^ (c)
