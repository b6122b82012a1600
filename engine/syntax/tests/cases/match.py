match x:
    case 1: pass
    case -1: pass
    case 1.5 | -2.5: pass
    case 1 + 2j | -1 - 2j: pass
    case 'a': pass
    case 'a' 'b': pass
    case b'a': pass
    case None | True | False: pass
    case a: pass
match x:
    case _: pass
match x, y:
    case a, b: pass
    case a, *b: pass
    case *a, b: pass
    case *_, : pass
    case a, : pass
    case (a, b): pass
    case (a): pass
    case (a,): pass
    case (): pass
    case []: pass
    case [a]: pass
    case [a, [b, *c], *_]: pass
match x,:
    case a.b: pass
    case a.b.c | d.e: pass
    case {}: pass
    case {'a': 1}: pass
    case {'a': b, 'c': [d, e], **rest}: pass
    case {**rest}: pass
    case {1: _, -1: _, a.b: _, None: _, 'a' 'b': _}: pass
    case A(): pass
    case a.B(): pass
    case A(b): pass
    case A(b, 1, c=2, d=e): pass
    case A(b=B(c=_)): pass
    case A(b=1 | 2): pass
    case A(b=C() as d): pass
    case A(B() as b, c=[d, *_]): pass
    case A(1,): pass
    case a as b: pass
    case (1 | 2) as b: pass
    case 1 | 2 as b: pass
    case [a, b] as c: pass
    case {'a': int() as b}: pass
    case a if b: pass
    case a, b if a > b: pass
    case str() | int(): pass
match (x):
    case 1:
        a
        b
    case 2:
        c
match [a, b]:
    case _: pass
match -x:
    case _: pass
match f(x):
    case _: pass
match x.y[0]:
    case _: pass
match = 1
match(x)
match[x]
match.x
match, case = 1, 2
case(1)
type = 1
type(x)
type(x).y = 1
type(x).y(z)[0] = 1
type[x] = 1
type.x = 1
_ = 1
print = 1
exec = 2
def f(match, case, type, print, exec): return match
f(match=1, case=2, type=3, print=4, exec=5)
x.match = x.type = x.print = x.exec
async_ = await_ = 1
for match in type: print(match)
match * x
match - x
print(match, type)
lambda match: match
[match for match in x]
