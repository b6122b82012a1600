"""Reductions: dtypes and promotion, axes, masks, initial values, NaN, empty operands, order statistics."""
import jax.numpy as jnp


def attempt(label, function):
  try:
    print(label, repr(function()))
  except Exception as error:
    print(label, type(error).__name__, error)


for name in ("sum", "prod", "max", "min", "mean", "any", "all", "var", "std", "argmax", "argmin", "cumsum", "cumprod", "ptp", "count_nonzero", "median", "nansum", "nanmax", "nanmean", "nanargmin", "average"):
  for dtype in ("bool", "int8", "uint8", "int16", "int32", "uint32", "bfloat16", "float16", "float32"):
    attempt(f"{name} {dtype}:", lambda: getattr(jnp, name)(jnp.array([[1, 0, 1], [1, 1, 1]], dtype), **({"axis": 1} if name in ("var", "std") else {})))
x = jnp.arange(24.0).reshape(2, 3, 4)
for label, function in {
    "axis": lambda: x.sum(1), "axes": lambda: x.sum((0, -1)), "keepdims": lambda: x.max((0, 2), keepdims=True), "axis list": lambda: jnp.sum(x, axis=[0, 1]), "no axes": lambda: jnp.sum(jnp.arange(3), axis=()), "out of bounds": lambda: x.sum(3), "repeated": lambda: x.sum((1, 1)),
    "where": lambda: jnp.sum(x, axis=0, where=x > 9), "where int": lambda: jnp.sum(x, where=jnp.arange(4)), "initial": lambda: jnp.sum(x, initial=5), "max where": lambda: jnp.max(x, where=x < 3), "max initial": lambda: jnp.max(x, where=x < 3, initial=-1), "min initial": lambda: jnp.min(jnp.zeros(0), initial=3),
    "dtype": lambda: jnp.sum(jnp.arange(3), dtype=jnp.float16), "no promote": lambda: jnp.sum(jnp.full(3, 100, jnp.int8), promote_integers=False), "bf16": lambda: jnp.sum(jnp.full(300, 1.01, jnp.bfloat16)), "f16 dtype": lambda: jnp.sum(jnp.full(3, 0.1, jnp.float16), dtype=jnp.float16), "weak": lambda: jnp.sum(jnp.asarray(1.0)),
    "empty sum": lambda: jnp.sum(jnp.zeros((0, 3)), axis=0), "empty prod": lambda: jnp.prod(jnp.zeros(0)), "empty max": lambda: jnp.max(jnp.zeros(0)), "empty max axis": lambda: jnp.max(jnp.zeros((0, 3)), axis=1), "empty argmax": lambda: jnp.argmax(jnp.zeros(0)), "empty mean": lambda: jnp.mean(jnp.zeros(0)), "empty any": lambda: jnp.any(jnp.zeros(0)),
    "list": lambda: jnp.sum([1, 2]), "out": lambda: jnp.sum(x, out=x), "mean where": lambda: jnp.mean(x, where=x > 20), "mean int8": lambda: jnp.mean(jnp.array([1, 2], jnp.int8), dtype=jnp.bfloat16), "var ddof": lambda: jnp.var(jnp.arange(5.0), ddof=1), "var axis": lambda: jnp.var(x, axis=(0, 2)), "std keep": lambda: jnp.std(x, axis=1, keepdims=True), "var ddof 9": lambda: jnp.var(jnp.arange(3.0), ddof=3),
    "average w": lambda: jnp.average(jnp.arange(4), weights=jnp.array([1, 1, 0, 2])), "average r": lambda: jnp.average(x, axis=1, returned=True), "argmax axis": lambda: x.argmax(1), "argmax keep": lambda: jnp.argmax(x, axis=0, keepdims=True), "argmax nan": lambda: jnp.argmax(jnp.array([1.0, jnp.nan, 3.0])), "nanargmax": lambda: jnp.nanargmax(jnp.array([1.0, jnp.nan, 3.0])),
    "nanmax": lambda: jnp.nanmax(jnp.array([[jnp.nan, 1.0], [jnp.nan, jnp.nan]]), axis=1), "nanmean": lambda: jnp.nanmean(jnp.array([jnp.nan, 1.0, 3.0])), "nanvar": lambda: jnp.nanvar(jnp.array([jnp.nan, 1.0, 3.0])), "nanstd": lambda: jnp.nanstd(jnp.array([[jnp.nan, 1.0, 3.0]]), axis=1), "nanprod": lambda: jnp.nanprod(jnp.array([jnp.nan, 2.0])), "nancumsum": lambda: jnp.nancumsum(jnp.array([1.0, jnp.nan, 2.0])),
    "cumsum axis": lambda: jnp.cumsum(x[0], axis=1), "cumsum bool": lambda: jnp.cumsum(jnp.array([True, True])), "cumsum i8": lambda: jnp.cumsum(jnp.array([100, 100], jnp.int8)), "cumsum dtype": lambda: jnp.cumsum(jnp.arange(3), dtype=jnp.float32), "cumprod": lambda: jnp.cumprod(jnp.arange(1, 5)), "cumulative_sum": lambda: jnp.cumulative_sum(jnp.arange(3), include_initial=True), "cumulative_prod": lambda: jnp.cumulative_prod(jnp.arange(1, 4)), "cumsum scalar": lambda: jnp.cumsum(3),
    "median even": lambda: jnp.median(jnp.array([4.0, 1.0, 3.0, 2.0])), "median axis": lambda: jnp.median(x, axis=(0, 1)), "median nan": lambda: jnp.median(jnp.array([1.0, jnp.nan])), "nanmedian": lambda: jnp.nanmedian(jnp.array([1.0, jnp.nan, 2.0, 5.0])), "quantile": lambda: jnp.quantile(jnp.arange(5.0), jnp.array([0.0, 0.3, 1.0])), "percentile": lambda: jnp.percentile(jnp.arange(10.0), 33), "percentile m": lambda: jnp.percentile(jnp.arange(4), 40, method="lower"),
    "quantile axis": lambda: jnp.quantile(x, 0.25, axis=2, keepdims=True), "quantile near": lambda: jnp.quantile(jnp.arange(4.0), 0.4, method="nearest"), "quantile bad": lambda: jnp.quantile(x, 0.5, method="foo"), "ptp axis": lambda: jnp.ptp(x, axis=0), "count": lambda: jnp.count_nonzero(x > 4, axis=2), "amax": lambda: jnp.amax(x), "amin axis": lambda: jnp.amin(x, 0),
}.items():
  attempt(label, function)
for name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or"):
  print(name, getattr(jnp, name).reduce(jnp.array([[3, 1], [0, 2]])))
print(jnp.add.accumulate(jnp.arange(4)), jnp.multiply.outer(jnp.arange(2), jnp.arange(3)), jnp.add, jnp.add.reduce(jnp.arange(6).reshape(2, 3), axis=None))
