"""`pltpu.einshape`: reshapes and transposes in one equation, such as `(ab)c->bac`."""
import math
import re

import jax.numpy as jnp


def _groups(side):
    """Letters of each dimension: `(ab)c` is [['a', 'b'], ['c']]."""
    parts = re.findall(r"\([a-z]*\)|[a-z]", side)
    if "".join(parts) != side:
        raise ValueError(f"Invalid einshape expression: {side}")
    return [list(part.strip("()")) for part in parts]


def einshape(equation, x, assert_is_tile_preserving=False, **sizes):
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow:
        raise ValueError(f"Invalid einshape equation: {equation}")
    inputs, outputs = _groups(left), _groups(right)
    x = jnp.asarray(x)
    if len(inputs) != x.ndim:
        raise ValueError(f"einshape {equation} takes {len(inputs)} dimensions, got shape {x.shape}")
    extents = dict(sizes)
    for letters, extent in zip(inputs, x.shape):
        unknown = [letter for letter in letters if letter not in extents]
        known = math.prod(extents[letter] for letter in letters if letter in extents)
        if len(unknown) > 1:
            raise ValueError(f"einshape {equation} does not know the sizes of {unknown}")
        if unknown:
            extents[unknown[0]] = extent // known
        if math.prod(extents[letter] for letter in letters) != extent:
            raise ValueError(f"einshape {equation} cannot split a dimension of {extent}")
    order = [letter for letters in inputs for letter in letters]
    split = x.reshape([extents[letter] for letter in order])
    turned = split.transpose([order.index(letter) for letters in outputs for letter in letters])
    return turned.reshape([math.prod(extents[letter] for letter in letters) for letters in outputs])
