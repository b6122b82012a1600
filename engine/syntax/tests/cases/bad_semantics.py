return 1
break
def f(x, x):
    continue
    from a import *
    y = 1
    global y
for 1 in x: pass
f(a=1, 2)
f() = 1
def g():
    async for x in y: pass
    async with x: pass
    return [x async for x in y]
def g(a=1, b): pass
print 'hello'
x = 012
del f()
lambda x, x: 1
f'{a!z}'
b'é'
'a' b'b'
'\x1'
