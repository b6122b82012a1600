[x for x in y]
[x for x in y if z]
[x for x in y if z if w]
[x for x in y for z in w if x]
[(x, y) for x, y in z]
[x for x, in y]
[x for (x, y), *z in w]
{x for x in y}
{x: y for x, y in z}
{x: y for x in a for y in b if x if y}
(x for x in y)
sum(x for x in y)
sum((x for x in y), 1)
[x if y else z for x in w]
[lambda: x for x in y]
[[x for x in y] for y in z]
[x for x in (y if z else w)]
[x for x in y if z or w]
[x for x in y if (lambda: z)]
[f(x) for x in range(10) if x % 2 == 0]
[x
 for x in y  # c
 if z]
any(x == y for x, y in zip(a, b))
{**{k: v for k, v in a.items()}}
[a.b for a.b in c]
[(yield_) for x in y]
[(last := x) for x in y]
