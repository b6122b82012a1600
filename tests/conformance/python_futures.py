"""Executors: what is submitted is done, whoever does it."""
import concurrent.futures
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait

import jax
import jax.numpy as jnp


@jax.jit
def double(x):
  return x * 2


with ThreadPoolExecutor(max_workers=4) as executor:
  futures = [executor.submit(double, jnp.full((8,), n)) for n in range(3)]
  print([float(future.result().sum()) for future in as_completed(futures)] != [], all(future.done() for future in futures))
  print([int(value) for value in executor.map(lambda a, b: a * b, [1, 2, 3], [4, 5, 6])])
  failing = executor.submit(lambda: 1 // 0)
  try:
    failing.result()
  except ZeroDivisionError as error:
    print("ZeroDivisionError", error)
  print(type(failing.exception()).__name__)
  done, left = wait(futures, return_when=concurrent.futures.ALL_COMPLETED)
  print(len(done), len(left))
  called = []
  futures[0].add_done_callback(lambda future: called.append(future is futures[0]))
  print(called)

try:
  executor.submit(print)
except RuntimeError as error:
  print("RuntimeError", error)
try:
  ThreadPoolExecutor(0)
except ValueError as error:
  print("ValueError", error)
future = Future()
print(future.done(), future.cancelled())
future.set_result(3)
print(future.result(timeout=1), future.exception())
