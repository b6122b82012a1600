import shapes
from shapes import *

print(area(4), area(40), flat.__name__, late.__name__)
try:
    hidden
except NameError as e:
    print(e)
print(shapes.square.__name__, shapes.side, shapes.flat.square.above)
print(shapes.circle.ready, shapes.circle.message)
print(shapes.circle.refused)
print(shapes.rename(), shapes.lazy)
import shapes.rename
print(callable(shapes.rename))
import shapes.rename as module
print(callable(module))
from shapes.rename import rename as function
print(function())
import shapes.spread.inner.leaf as leaf
print(leaf.name, leaf.limits.LARGEST, len(shapes.spread.__path__), hasattr(shapes.spread, "__file__"))
import sys
print("shapes.spread.inner" in sys.modules, sys.modules["shapes.flat"] is flat)
for attempt in range(2):
    try:
        import shapes.broken
    except ValueError as e:
        print(e, "shapes.broken" in sys.modules)
try:
    from shapes import needs
except ModuleNotFoundError as e:
    print(e, e.name)
try:
    from shapes import beyond
except ImportError as e:
    print(type(e).__name__, e)
try:
    from . import anything
except ImportError as e:
    print(e)
try:
    from shapes import absent
except ImportError as e:
    print(str(e).split(" (/")[0].split(" (shapes/")[0], e.name)
try:
    import shapes.limits.deeper
except ModuleNotFoundError as e:
    print(e)
print(shapes.flat.square.__package__, shapes.flat.__package__, shapes.flat.__file__.endswith("flat/__init__.py"))
import importlib
print(importlib.import_module(".limits", "shapes") is shapes.limits)
sys.path.insert(0, "elsewhere")
try:
    import only_elsewhere
    print(only_elsewhere.place)
finally:
    sys.path.pop(0)
