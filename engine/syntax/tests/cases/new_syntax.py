# Python 3.12 and later: type parameters, aliases, nested quotes in f-strings.
type X = int
type Y[T] = list[T] | None
def first[T](x: list[T]) -> T: return x[0]
def many[T: int, *Ts, **P](x: T): pass
class Box[T](Base[T]):
    item: T
f'{a['b']}'
f'{f'{f'{1}'}'}'
f"{x["y"]:{z["w"]}}"
f'{'\n'.join(a)}'
f'{a # comment
}'
with (open(a) as f, open(b) as g,): pass
