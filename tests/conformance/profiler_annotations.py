# Names for a profiler's trace, with what belongs to them.
import jax
import jax.numpy as jnp

with jax.profiler.TraceAnnotation("sum", iteration=1, block=(8, 128)) as annotation:
  print(jnp.arange(4).sum(), type(annotation).__name__)
with jax.profiler.StepTraceAnnotation("train", step_num=3):
  print("a step")


@jax.profiler.annotate_function
def twice(x):
  return 2 * x


print(twice(jnp.arange(3)))
try:
  with jax.profiler.TraceAnnotation("fails"):
    raise ValueError("seen outside")
except ValueError as error:
  print(error)
