"""Functions of trees, under the name that some programs import them by."""

from jax.tree_util import *
