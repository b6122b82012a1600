def attempt(f):
    try:
        f()
    except ZeroDivisionError as e:
        print("zero", e)
    except (KeyError, IndexError) as e:
        print("lookup", type(e).__name__, e, e.args)
    except Exception as e:
        print("other", repr(e))
    else:
        print("fine")
    finally:
        print("finally")
attempt(lambda: 1 / 0)
attempt(lambda: {}["k"])
attempt(lambda: [][3])
attempt(lambda: int("x"))
attempt(lambda: None)

class MyError(ValueError):
    def __init__(self, code, message="m"):
        super().__init__(f"{code}: {message}")
        self.code = code
try:
    raise MyError(5)
except ValueError as e:
    print(e, e.code, e.args, repr(e))
class Plain(Exception): pass
try:
    raise Plain
except Plain as e:
    print(repr(e), str(e) == "")
try:
    raise Plain("a", 2)
except Plain as e:
    print(e, e.args)

def chain():
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise RuntimeError("wrapped") from e
try:
    chain()
except RuntimeError as e:
    print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try:
        {}["a"]
    except KeyError:
        raise TypeError("during")
except TypeError as e:
    print(repr(e.__context__), e.__cause__)
try:
    try:
        {}["a"]
    except KeyError:
        raise TypeError("hidden") from None
except TypeError as e:
    print(e.__suppress_context__, e.__cause__)

def order():
    log = []
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            log.append(i)
        finally:
            log.append(f"f{i}")
    return log
print(order())
def returns():
    try:
        return "try"
    finally:
        print("cleanup")
print(returns())
def overrides():
    try:
        raise ValueError
    finally:
        return "swallowed"
print(overrides())
def nested():
    try:
        try:
            raise KeyError("inner")
        finally:
            print("inner finally")
    except KeyError as e:
        print("caught", e)
        try:
            raise
        except KeyError as again:
            print("again", again is e)
nested()
try:
    e
except NameError as error:
    print(error)
def while_else(n):
    while n:
        n -= 1
        if n == 5:
            break
    else:
        return "else"
    return "break"
print(while_else(3), while_else(10))
for i in range(3):
    pass
else:
    print("for else", i)

class Manager:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow
    def __enter__(self):
        print("enter", self.name)
        return self.name
    def __exit__(self, kind, value, traceback):
        print("exit", self.name, kind and kind.__name__, value)
        return self.swallow
with Manager("a") as a, Manager("b", True) as b:
    print(a, b)
    raise ValueError("inside")
print("after")
def with_return():
    with Manager("r"):
        return 5
print(with_return())
for i in range(3):
    with Manager(i):
        if i == 0: continue
        break
try:
    with Manager("x"):
        raise KeyError("k")
except KeyError as e:
    print("outside", e)
try:
    with 5: pass
except TypeError as e:
    print(e)
try:
    raise 5
except TypeError as e:
    print(e)
try:
    assert 1 == 2, "message"
except AssertionError as e:
    print(e, e.args)
try:
    assert False
except AssertionError as e:
    print(repr(e))
try:
    raise
except RuntimeError as e:
    print(e)
e = ValueError("noted")
e.add_note("one")
print(e.__notes__)
try:
    try:
        raise ValueError("first")
    except 5:
        pass
except TypeError as e:
    print(e, repr(e.__context__))
def deep(n):
    return deep(n + 1)
try:
    deep(0)
except RecursionError as e:
    print(type(e).__name__, e)
try:
    a, b = 1, 2, 3
except ValueError as e:
    print(e)
try:
    a, b, c = 1, 2
except ValueError as e:
    print(e)
try:
    a, *b, c = [1]
except ValueError as e:
    print(e)
try:
    a, b = 5
except TypeError as e:
    print(e)
a, *b, (c, d) = [1, 2, 3, (4, 5)]
print(a, b, c, d)
for bad in (lambda: 1 + "a", lambda: "a" + 1, lambda: [1] + (2,), lambda: None.x, lambda: "abc"[10], lambda: (1)[0], lambda: 5 in 3, lambda: -"a", lambda: {[]: 1}, lambda: [1, 2] < [1, "a"], lambda: "a" * "b", lambda: int.foo, lambda: range(3)[7], lambda: 2 ** "a", lambda: {1: 2}[3], lambda: [1][None], lambda: "a" < 1):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
try:
    import missing_module
except ModuleNotFoundError as e:
    print(e, e.name)
try:
    from math import nothing
except ImportError as e:
    print(type(e).__name__)
import sys
def use_sys():
    try:
        1 / 0
    except ZeroDivisionError:
        return isinstance(sys.exc_info()[1], ZeroDivisionError)
print(use_sys())
