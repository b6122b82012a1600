"""The mesh that a `with` statement has entered, as libraries of older JAX ask for it."""
import warnings

import jax
from jax._src.mesh import thread_resources

warnings.filterwarnings("ignore")


def entered():
    mesh = thread_resources.env.physical_mesh
    return mesh.empty, mesh.axis_names, dict(mesh.shape)


mesh = jax.make_mesh((1,), ("x",))
print(entered(), thread_resources.env)
with mesh:
    print(entered())
    with jax.make_mesh((1, 1), ("a", "b")):
        print(entered())
    print(entered())
with jax.set_mesh(mesh):
    print(entered())
