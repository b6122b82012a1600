import os
import sys
import time
import os.path
from os import path, environ

print(sys.version_info >= (3, 11), sys.version_info[:2], sys.version_info.major, sys.version_info.minor, sys.maxsize, sys.byteorder, sys.platform)
print(sys.float_info.max, sys.float_info.epsilon, sys.float_info.dig, type(sys.argv).__name__, len(sys.argv))
sys.stdout.write("written\n")
print(sys.stdout.write("abc") == 3)
sys.stdout.flush()
print("sys" in sys.modules, sys.modules["sys"] is sys, isinstance(sys.path, list), sys.getrecursionlimit())
sys.setrecursionlimit(2000)
print(sys.getrecursionlimit(), sys.maxunicode, sys.getdefaultencoding(), sys.intern("x"), sys.implementation.name)
print("to a file", file=sys.stdout)
try:
    sys.exit(3)
except SystemExit as error:
    print("exit", error.code)
try:
    sys.exit("message")
except SystemExit as error:
    print("exit", error.code, error)
try:
    1 / 0
except ZeroDivisionError:
    kind, value, tb = sys.exc_info()
    print(kind.__name__, value, tb is not None)
print(sys.exc_info())

print(os.path.join("a", "b", "c.py"), os.path.join("a/", "b"), os.path.join("a", "/b"), os.path.join("", "x"), path.join("a", ""))
print(os.path.basename("/a/b.txt"), os.path.dirname("/a/b.txt"), os.path.split("/a/b"), os.path.splitext("x.tar.gz"), os.path.splitext(".bashrc"), os.path.splitext("a.b/c"))
print(os.path.normpath("a//b/../c/./d"), os.path.normpath("/../x"), os.path.normpath(""), os.path.isabs("/x"), os.path.isabs("x"), os.path.basename("a/"), os.path.dirname("x"))
print(os.path.commonprefix(["/usr/lib", "/usr/local"]), os.path.commonpath(["/usr/lib/x", "/usr/lib/y"]), os.path.exists("/definitely/not/here"), os.path.relpath("/a/b/c", "/a/d"))
environ["MY_TEST_VARIABLE"] = "1"
print(os.environ["MY_TEST_VARIABLE"], os.getenv("MY_TEST_VARIABLE"), os.environ.get("NOT_THERE_AT_ALL"), os.getenv("NOT_THERE_AT_ALL", "d"), "MY_TEST_VARIABLE" in os.environ, environ.setdefault("MY_OTHER_VARIABLE", "x"), os.environ.pop("MY_OTHER_VARIABLE"), os.environ.get("MY_OTHER_VARIABLE", 5))
del os.environ["MY_TEST_VARIABLE"]
for bad in (lambda: os.environ["NOT_THERE_AT_ALL"],):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, error)
        break
try:
    os.environ["A"] = 1
except TypeError as error:
    print(error)
print(os.sep, os.linesep == "\n", os.name, os.pathsep, os.curdir, os.fspath("a/b"))

start = time.perf_counter()
time.sleep(0)
print(time.perf_counter() >= start, isinstance(time.time(), float), time.monotonic() >= 0, isinstance(time.time_ns(), int))
print(time.strftime("%Y-%m-%d %H:%M:%S %j %a %b %p", time.gmtime(1700000000)), time.gmtime(0).tm_year, time.gmtime(86400 * 59).tm_mon, tuple(time.gmtime(951868800)))
