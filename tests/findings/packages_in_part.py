# Parts of packages of which the workbench has others: nobody is told that the packages lack them.
# jax: not run
import flax
from jax.experimental import pallas as pl

empty = flax.core.FrozenDict()
#       ^ PL005 warning "`flax.core` is not provided"
nothing = flax.no_such_part
#         ^ PL312 error "has no attribute 'no_such_part'"
if nothing: import flax.linen as nn
#           ^ PL005 warning "`flax.linen` is not provided"
