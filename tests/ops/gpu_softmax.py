"""Softmax over rows: lengths that are no power of two, more leading axes, half precision."""

from jax.experimental.pallas.ops.gpu.softmax import softmax
from values import show, waves

show("row", softmax(waves(5), interpret=True))
show("matrix", softmax(3 * waves(3, 7), interpret=True))
show("batch", softmax(waves(2, 3, 8), axis=2, interpret=True))
show("half", softmax(waves(2, 6, dtype="float16"), interpret=True))
show("bfloat", softmax(waves(2, 6, dtype="bfloat16"), interpret=True))
try:
    softmax(waves(3, 4), axis=0, interpret=True)
except NotImplementedError as error:
    print(error)
