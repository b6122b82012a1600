import pathlib
import threading
import timeit
import traceback
from pathlib import Path

p = Path("a") / "b" / "c.tar.gz"
print(p, repr(p), p.name, p.stem, p.suffix, p.parent, p.parts, p.with_suffix(".zip"), p.with_name("d"), p.parent.parent, str(p), p == Path("a/b/c.tar.gz"), p.is_absolute(), Path("/x/./y//z"), Path(), Path("a").joinpath("b", "c"), p.relative_to("a"), Path("/a/b").parents[0], sorted([Path("b"), Path("a")]), {p: 1}[Path("a/b/c.tar.gz")])
lock = threading.Lock()
with lock:
    print("locked")
print(timeit.timeit(lambda: 1, number=3) >= 0, timeit.default_timer() >= 0, len(timeit.repeat(lambda: 1, repeat=2, number=1)))


def fail():
    raise ValueError("bad value")


try:
    fail()
except ValueError as error:
    lines = traceback.format_exc().splitlines()
    print(lines[0], lines[-1], len(lines))
    print(traceback.format_exception_only(error), traceback.format_exception_only(type(error), error))
    print("".join(traceback.format_exception(error)).splitlines()[-1])
try:
    pathlib.PurePath("/a").relative_to("/b")
except ValueError as error:
    print(error)
