"""`jax.interpreters.batching`: where rules for `jax.vmap` of programs' own primitives are put."""

not_mapped = None
primitive_batchers = {}
