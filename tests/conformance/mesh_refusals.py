"""What shard_map refuses."""

import jax

jax.config.update("jax_num_cpu_devices", 8)

import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

line = Mesh(np.array(jax.devices()), ("i",))
grid = Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))
v = jnp.arange(8.0)
y = jnp.arange(32.0).reshape(8, 4)


def f(x):
    return x * 2


def g(a, b):
    return a


def refused(f, *args, mesh=line, i=P("i"), o=P("i"), **options):
    try:
        print(shard_map(f, mesh=mesh, in_specs=i, out_specs=o, **options)(*args))
    except Exception as error:
        print(f"{type(error).__name__}: {error}\n")


refused(f, jnp.arange(9.0))
refused(f, v, i=P("i", None))
refused(f, v, i=P("j"))
refused(f, v, i=(P("i"), P("i")))
refused(f, v, o=P())
refused(f, v, o=P("j"))
refused(f, v, i="i")
refused(f, v, o="i")
refused(f, v, mesh="m")
refused(f, v, axis_names={"j"})
refused(f, y, i=P("i", "i"))
refused(lambda x: x.sum(), v)
refused(lambda x: [x, x], v, o=[P("i")])
refused(lambda x: lax.all_gather(x, "i"), v, o=P())
refused(g, y, {"k": y[:3]}, i=(P("i"), P("i")))
refused(g, y, 3, i=(P("i"), None))
refused(g, y, i={"a": P()}, o=P())
refused(f, y, mesh=grid, i=P("a"), o=P())
refused(f, y, mesh=grid, i=P(("a", "b")), o=P("a"))
refused(f, y[:4], mesh=grid, i=P(("a", "b")), o=P())
refused(lambda x: lax.axis_index("k"), v)
refused(lambda x: lax.pcast(x, "i", to="varying"), v)
refused(lambda x: lax.ppermute(x, "i", [(0, 1), (0, 2)]), v)
refused(lambda x: lax.psum_scatter(x[0], "i"), y)
refused(lambda x: lax.psum_scatter(x[0], "i", tiled=True), y)
refused(lambda x: lax.all_to_all(x, "i", 1, 0), y)
refused(None or f, v, mesh=None)
