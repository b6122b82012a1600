import shapes
ready = hasattr(shapes, "circle")
try:
    shapes.never
except AttributeError as e:
    message = str(e)
try:
    from shapes import never
except ImportError as e:
    refused = str(e).split(" (/")[0].split(" (shapes/")[0]
