"""What JAX's tests derive from and ask. The device is a CPU."""

import contextlib
import functools
import inspect
import io
import math
import os
import re
import sys
import textwrap
import unittest
import warnings
import zlib

import jax
import jax.numpy as jnp
import numpy as np
from absl.testing import parameterized
from jax._src import config
from jax._src.public_test_util import (
    _assert_numpy_allclose,
    _check_dtypes_match,
    _default_tolerance,
    _dtype,
    check_close,
    check_grads,
    check_jvp,
    check_vjp,
    default_gradient_tolerance,
    default_tolerance,
    rand_like,
    tolerance,
)
from jax._src.test_loader import TEST_NUM_THREADS, JaxTestLoader, thread_unsafe_test, thread_unsafe_test_class

_TEST_DUT = config.string_flag("jax_test_dut", "", help="The device under test.")
NUM_GENERATED_CASES = config.int_flag(
    "jax_num_generated_cases",
    int(os.getenv("JAX_NUM_GENERATED_CASES", "10")),
    help="How many cases are sampled.",
)
SKIP_SLOW_TESTS = config.bool_flag(
    "jax_skip_slow_tests", config.bool_env("JAX_SKIP_SLOW_TESTS", False), help="Skips slow tests."
)

# Shared memory of the smaller GPUs, in bytes.
_SMEM_SIZE_BOUND_FOR_TESTS = 99 * 1024


def device_under_test():
    return _TEST_DUT.value or jax.default_backend()


def _get_device_tags():
    return {device_under_test()}


def test_device_matches(device_types):
    """Whether the device is one of these."""
    assert not isinstance(device_types, str), "device_types should be a list of strings"
    return any(device in _get_device_tags() for device in device_types)


test_device_matches.__test__ = False


def _never(*args, **kwargs):
    """Not on a CPU."""
    return False


is_device_rocm = is_device_cuda = _never
is_cloud_tpu = is_optimized_build = is_asan = is_msan = is_tsan = is_sanitized = _never
is_cuda_compute_capability_at_least = is_cuda_compute_capability_equal = is_cuda_version_at_least = _never
is_gil_disabled = is_test_rbe = is_running_under_pytest = _never


def _tpu_kind():
    """What the TPU is called that programs are told they run on; `None` without one."""
    device = jax.devices()[0]
    return device.device_kind if device.platform == "tpu" else None


def get_tpu_version():
    kind = _tpu_kind()
    digits = "".join(c for c in (kind or "").removeprefix("TPU v")[:1] if c.isdigit())
    if not digits:
        raise ValueError("Device is not TPU")
    return int(digits)


def is_device_tpu_at_least(version):
    return _tpu_kind() is not None and get_tpu_version() >= version


def is_device_tpu(version=None, variant=""):
    kind = _tpu_kind()
    if kind is None or version is None:
        return kind is not None
    expected = f"v{version}{variant}"
    named = {"v5e": "v5 lite", "v6e": "v6 lite"}
    if expected == "v5p":
        return kind.endswith(("v5", "v5p"))
    return expected in kind or named.get(expected, expected) in kind


def is_cloud_tpu_at_least(year, month, day):
    """Asks about cloud TPUs only."""
    return True


def pattern_search(patterns, string):
    """The first pattern that is found."""
    patterns = (patterns,) if isinstance(patterns, str) else patterns
    return next((pattern for pattern in patterns if re.search(pattern, string)), None)


def device_kind_match(device_patterns):
    return pattern_search(device_patterns, jax.devices()[0].device_kind)


def supported_dtypes():
    """The dtypes that a CPU has."""
    names = ["bool_", "int4", "int8", "int16", "int32", "uint4", "uint8", "uint16", "uint32"]
    names += ["bfloat16", "float16", "float32", "complex64"]
    if config.enable_x64.value:
        names += ["int64", "uint64", "float64", "complex128"]
    return {getattr(jnp, name) for name in names if hasattr(jnp, name)} | {
        getattr(np, name) for name in names if hasattr(np, name)
    }


class _Dtypes:
    """Lists of the dtypes that the device has."""

    def supported(self, dtypes):
        known = supported_dtypes()
        return [dtype for dtype in dtypes if dtype in known]

    def _listed(names):
        def get(self):
            scalars = [getattr(np, name, None) or getattr(jnp, name, None) for name in names]
            return self.supported([scalar for scalar in scalars if scalar is not None])

        return property(get)

    floating = _listed(["float32", "float64"])
    all_floating = _listed(["bfloat16", "float16", "float32", "float64"])
    integer = _listed(["int32", "int64"])
    all_integer = _listed(["int8", "int16", "int32", "int64"])
    unsigned = _listed(["uint32", "uint64"])
    all_unsigned = _listed(["uint8", "uint16", "uint32", "uint64"])
    complex = _listed(["complex64", "complex128"])
    boolean = _listed(["bool_"])

    @property
    def inexact(self):
        return self.floating + self.complex

    @property
    def all_inexact(self):
        return self.all_floating + self.complex

    @property
    def numeric(self):
        return self.floating + self.integer + self.unsigned + self.complex

    @property
    def all(self):
        return self.all_floating + self.all_integer + self.all_unsigned + self.complex + self.boolean


dtypes = _Dtypes()


def _filtering(is_wanted, reason):
    """A decorator that skips unless the function says so when the test runs."""

    def decorator(test):
        @functools.wraps(test)
        def filtered(self, *args, **kwargs):
            if not is_wanted():
                raise unittest.SkipTest(reason)
            return test(self, *args, **kwargs)

        return filtered

    return decorator


def skip_on_devices(*disabled_devices, skip_reason=None):
    reason = skip_reason or "Skipped on devices with tags: " + ", ".join(disabled_devices)
    return _filtering(lambda: not test_device_matches(disabled_devices), reason)


def run_on_devices(*enabled_devices, skip_reason=None):
    reason = skip_reason or "Skipped unless running on devices with tags: " + ", ".join(enabled_devices)
    return _filtering(lambda: test_device_matches(enabled_devices), reason)


def skip_on_flag(flag_name, skip_value):
    reason = f"not supported when FLAGS.{flag_name} is {skip_value}"
    return _filtering(lambda: config._read(flag_name) != skip_value, reason)


def skip_under_pytest(reason):
    """Nothing here runs under pytest."""
    return lambda test: test


def pytest_mark_if_available(marker):
    return lambda item: item


def request_cpu_devices(nr_devices):
    config.update("jax_num_cpu_devices", nr_devices)


class CudaArchSpecificTest:
    """Skips for GPUs of an architecture."""

    def skip_unless_sm90a(self):
        self.skipTest("Only works on GPU with capability sm90a")

    def skip_unless_tcgen05(self):
        self.skipTest("Only works on GPU")

    skip_unless_tcgen05_int8 = skip_unless_tcgen05


def sanitize_test_name(s):
    return re.sub(r"[ \"'\[\](){}<>=,._]+", "_", s)


def parse_version(v):
    match = re.match(r"([0-9]+(?:\.[0-9]+)*)(?:(rc|dev).*)?", v)
    if match is None:
        raise ValueError(f"Unable to parse version '{v}'")
    return tuple(int(part) for part in match.group(1).split("."))


def numpy_version():
    return parse_version(np.__version__)


def jaxlib_version():
    return parse_version(jax.__version__)


def is_sequence(x):
    try:
        iter(x)
    except TypeError:
        return False
    return True


def _normalize_tolerance(tol):
    tol = tol or 0
    if isinstance(tol, dict):
        return {np.dtype(dtype): value for dtype, value in tol.items()}
    return dict.fromkeys(_default_tolerance, tol)


def join_tolerance(tol1, tol2):
    """The larger of both, by dtype."""
    joined = _normalize_tolerance(tol1)
    for dtype, value in _normalize_tolerance(tol2).items():
        joined[dtype] = max(value, joined.get(dtype, 0))
    return joined


def check_eq(xs, ys, err_msg=""):
    jax.tree.map(functools.partial(_assert_numpy_allclose, err_msg=err_msg), xs, ys)


def num_float_bits(dtype):
    return jnp.finfo(jax.dtypes.canonicalize_dtype(dtype)).bits


def dtype_str(dtype):
    return np.dtype(dtype).name


def format_shape_dtype_string(shape, dtype):
    if isinstance(shape, int):
        return f"{dtype_str(dtype)}[{shape},]"
    return f"{dtype_str(dtype)}[{','.join(str(size) for size in shape)}]"


@contextlib.contextmanager
def _capture(redirect):
    """Yields a function that gives what was written, after the block."""
    text = None

    def get_output():
        if text is None:
            raise ValueError("get_output() called while the context is active.")
        return text

    buffer = io.StringIO()
    try:
        with redirect(buffer):
            yield get_output
    finally:
        text = buffer.getvalue()


def capture_stdout():
    return _capture(contextlib.redirect_stdout)


def capture_stderr():
    return _capture(contextlib.redirect_stderr)


@contextlib.contextmanager
def ignore_warning(*, message="", category=Warning, **kwargs):
    """Warnings of this kind are not shown."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=message, category=category, **kwargs)
        yield


def strict_promotion_if_dtypes_match(dtypes):
    same = all(dtype == dtypes[0] for dtype in dtypes)
    return config.numpy_dtype_promotion("strict" if same else "standard")


@contextlib.contextmanager
def global_config_context(**kwds):
    before = {name: config._read(name) for name in kwds}
    try:
        for name, value in kwds.items():
            config.update(name, value)
        yield
    finally:
        for name, value in before.items():
            config.update(name, value)


thread_local_config_context = global_config_context


def _with_class_setting(attribute, kwds):
    def decorator(cls):
        assert inspect.isclass(cls) and issubclass(cls, JaxTestCase), (
            "@with_config can only wrap JaxTestCase class definitions."
        )
        settings = {}
        for base in cls.__bases__:
            settings.update(getattr(base, attribute, {}))
        setattr(cls, attribute, settings | kwds)
        return cls

    return decorator


def with_config(**kwds):
    """The tests of the decorated class run with these settings."""
    return _with_class_setting("_default_thread_local_config", kwds)


def with_global_config(**kwds):
    """The tests of the decorated class run with these settings."""
    return _with_class_setting("_default_global_config", kwds)


@functools.cache
def _choice(n, m):
    return np.random.RandomState(42).choice(n, size=m, replace=False)


def sample_product_testcases(*args, **kw):
    """Some of the combinations of the values, the same ones every time."""
    args = [list(arg) for arg in args]
    kw = [(name, list(values)) for name, values in kw.items()]
    size = math.prod(len(arg) for arg in args) * math.prod(len(values) for _, values in kw)
    cases = []
    for index in _choice(size, min(size, NUM_GENERATED_CASES.value)):
        index = int(index)
        case = {}
        for arg in args:
            case.update(arg[index % len(arg)])
            index //= len(arg)
        for name, values in kw:
            case[name] = values[index % len(values)]
            index //= len(values)
        cases.append(case)
    return cases


def sample_product(*args, **kw):
    """One test for some of the combinations of the values."""
    return parameterized.parameters(*sample_product_testcases(*args, **kw))


def parameterized_filterable(*, kwargs, testcase_name=None, one_containing=None):
    """Named tests; the name is made of the values where none is given."""

    def name_of(values):
        if testcase_name is not None:
            return testcase_name(values)
        given = values.get("testcase_name")
        return "_".join(f"{name}={values[name]}" for name in sorted(values)) if given is None else given

    cases = [{**values, "testcase_name": sanitize_test_name(str(name_of(values)))} for values in kwargs]
    if one_containing is None:
        return parameterized.named_parameters(*cases)
    chosen = [case for case in cases if one_containing in case["testcase_name"]]
    assert chosen, f"No testcase_name contains '{one_containing}'."
    return parameterized.named_parameters([{**chosen[0], "testcase_name": ""}])


def iter_eqns(jaxpr):
    """Every equation, also of inner jaxprs."""
    for eqn in jaxpr.eqns:
        yield eqn
        for value in eqn.params.values():
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                yield from iter_eqns(inner)


def _random(rand, shape, dtype, scale=1.0, post=lambda x: x):
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    values = rand(*sizes)
    if jnp.issubdtype(dtype, jnp.unsignedinteger):
        values = abs(values)
    values = np.asarray(scale * values).astype(dtype)
    return np.asarray(post(values), dtype)


def rand_default(rng, scale=3):
    return functools.partial(_random, rng.randn, scale=scale)


def rand_nonzero(rng):
    return functools.partial(
        _random, rng.randn, scale=3, post=lambda x: np.where(x == 0, np.array(1, dtype=x.dtype), x)
    )


def rand_positive(rng):
    return functools.partial(_random, rng.rand, scale=2, post=lambda x: x + 1)


def rand_small(rng):
    return functools.partial(_random, rng.randn, scale=1e-3)


def rand_not_small(rng, offset=10.0):
    return functools.partial(_random, rng.randn, scale=3.0, post=lambda x: x + np.where(x > 0, offset, -offset))


def rand_small_positive(rng):
    return functools.partial(_random, rng.rand, scale=2e-5)


def rand_uniform(rng, low=0.0, high=1.0):
    return functools.partial(_random, rng.rand, post=lambda x: x * (high - low) + low)


def rand_some_equal(rng):
    def post(x):
        flat = x.ravel()
        return x if len(flat) == 0 else np.where(rng.rand(*np.shape(x)) < 0.5, flat[0], x)

    return functools.partial(_random, rng.randn, scale=100.0, post=post)


def _some_special(rng, specials):
    """Normal numbers, some of which are replaced."""
    base = rand_default(rng)

    def rand(shape, dtype):
        if not jnp.issubdtype(dtype, jnp.floating):
            return base(shape, dtype)
        flips = [rng.rand(*shape) < 0.1 for _ in specials]
        values = base(shape, dtype)
        for flip, special in zip(flips, specials):
            values = np.where(flip, np.array(special, dtype=dtype), values)
        return np.asarray(values, dtype=dtype)

    return rand


def rand_some_inf(rng):
    return _some_special(rng, [np.inf, -np.inf])


def rand_some_nan(rng):
    return _some_special(rng, [np.nan])


def rand_some_inf_and_nan(rng):
    return _some_special(rng, [np.inf, -np.inf, np.nan])


def rand_some_zero(rng):
    base = rand_default(rng)

    def rand(shape, dtype):
        zeros = rng.rand(*shape) < 0.5
        return np.asarray(np.where(zeros, np.array(0, dtype=dtype), base(shape, dtype)), dtype=dtype)

    return rand


def rand_int(rng, low=0, high=None):
    def rand(shape, dtype):
        upper = np.iinfo(dtype).max if low == 0 and high is None else high
        drawn = dtype if np.issubdtype(dtype, np.integer) else np.int64
        return rng.randint(low, high=upper, size=shape, dtype=drawn).astype(dtype)

    return rand


def rand_unique_int(rng, high=None):
    def rand(shape, dtype):
        return rng.choice(np.arange(high or math.prod(shape), dtype=dtype), size=shape, replace=False)

    return rand


def rand_bool(rng):
    return lambda shape, dtype: np.asarray(rng.rand(*shape) < 0.5, dtype=dtype)


def rand_fullrange(rng, standardize_nans=False):
    def rand(shape, dtype, post=lambda x: x):
        dtype = np.dtype(dtype)
        size = dtype.itemsize * math.prod(shape)
        values = post(rng.randint(0, np.iinfo(np.uint8).max, size=size, dtype=np.uint8)).view(dtype).reshape(shape)
        if standardize_nans and np.issubdtype(dtype, np.floating):
            values = np.where(np.isnan(values), np.array(np.nan, dtype), values)
        return values

    return rand


class JaxTestCase(parameterized.TestCase):
    """Tests run with promotion of dtypes and ranks refused; each has a generator of its own."""

    _default_global_config = {}
    _default_thread_local_config = {
        "jax_enable_checks": True,
        "jax_numpy_dtype_promotion": "strict",
        "jax_numpy_rank_promotion": "raise",
        "jax_traceback_filtering": "off",
        "jax_legacy_prng_key": "error",
    }

    def setUp(self):
        super().setUp()
        self._rng = np.random.RandomState(zlib.adler32(self._testMethodName.encode()))
        self.enterContext(global_config_context(**self._default_global_config))
        for name, value in self._default_thread_local_config.items():
            self.enterContext(config.config_states[name](value))

    def rng(self):
        return self._rng

    def assertArraysEqual(
        self, actual, desired, *, check_dtypes=True, err_msg="", allow_object_dtype=False, verbose=True
    ):
        """Every element is the same."""
        if check_dtypes:
            self.assertDtypesMatch(actual, desired)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(
                np.asarray(actual), np.asarray(desired), err_msg=err_msg, verbose=verbose
            )

    def assertArraysAllClose(self, actual, desired, *, check_dtypes=True, atol=None, rtol=None, err_msg=""):
        """Every element is close, as close as the dtypes let one expect."""
        self.assertEqual(actual.shape, desired.shape)
        atol = max(tolerance(_dtype(actual), atol), tolerance(_dtype(desired), atol))
        rtol = max(tolerance(_dtype(actual), rtol), tolerance(_dtype(desired), rtol))
        _assert_numpy_allclose(actual, desired, atol=atol, rtol=rtol, err_msg=err_msg)
        if check_dtypes:
            self.assertDtypesMatch(actual, desired)

    def assertDtypesMatch(self, actual, desired, *, canonicalize_dtypes=True):
        actual, desired = _dtype(actual), _dtype(desired)
        if not config.enable_x64.value and canonicalize_dtypes:
            actual, desired = (jax.dtypes.canonicalize_dtype(dtype) for dtype in (actual, desired))
        self.assertEqual(actual, desired)

    def assertAllClose(
        self, actual, desired, *, check_dtypes=True, atol=None, rtol=None, canonicalize_dtypes=True, err_msg=""
    ):
        """As assertArraysAllClose, also of sequences and dicts of arrays."""
        options = dict(
            check_dtypes=check_dtypes,
            atol=atol,
            rtol=rtol,
            canonicalize_dtypes=canonicalize_dtypes,
            err_msg=err_msg,
        )
        is_array = lambda x: hasattr(x, "__array__") or np.isscalar(x)
        if isinstance(actual, dict):
            self.assertIsInstance(desired, dict)
            self.assertEqual(set(actual.keys()), set(desired.keys()))
            for key in actual:
                self.assertAllClose(actual[key], desired[key], **options)
        elif is_sequence(actual) and not hasattr(actual, "__array__"):
            if not is_sequence(desired) or hasattr(desired, "__array__"):
                self.fail(f"Expected sequence, got {desired}")
            self.assertEqual(len(actual), len(desired))
            for actual_element, desired_element in zip(actual, desired):
                self.assertAllClose(actual_element, desired_element, **options)
        elif is_array(actual):
            if not is_array(desired):
                self.fail(f"Expected array-like, got {desired}")
            if check_dtypes:
                self.assertDtypesMatch(actual, desired, canonicalize_dtypes=canonicalize_dtypes)
            self.assertArraysAllClose(
                np.asarray(actual), np.asarray(desired), check_dtypes=False, atol=atol, rtol=rtol, err_msg=err_msg
            )
        elif actual != desired:
            raise TypeError((type(actual), type(desired)))

    def assertMultiLineStrippedEqual(self, expected, what):
        """The same lines, whatever the space around them."""

        def clean(text):
            return re.sub(r"\s*\n\s*", "\n", textwrap.dedent(text).strip())

        if clean(what) != clean(expected):
            self.assertMultiLineEqual(clean(expected), clean(what), msg=f"Found\n{what}\nExpecting\n{expected}")

    @contextlib.contextmanager
    def assertNoWarnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield

    @contextlib.contextmanager
    def assertWarns(self, warning, *, msg=None):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        if not any(isinstance(w.message, warning) and (msg is None or msg in str(w.message)) for w in caught):
            self.fail(f"Expected warning not found {warning}:'{msg}', got {caught}")

    @contextlib.contextmanager
    def assertWarnsRegex(self, warning, regex):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for w in caught:
            if isinstance(w.message, warning) and (regex is None or re.search(regex, str(w.message))):
                return
        self.fail(
            f"Expected warning not found {warning}:'{regex}', got warnings: {[str(w.message) for w in caught]}"
        )

    def _CompileAndCheck(
        self, fun, args_maker, *, check_dtypes=True, tol=None, rtol=None, atol=None, check_cache_misses=True
    ):
        """The function gives the same with and without jit."""
        options = dict(check_dtypes=check_dtypes, atol=atol or tol, rtol=rtol or tol)
        compiled = jax.jit(fun)
        for _ in range(2):
            args = args_maker()
            self.assertAllClose(compiled(*args), fun(*args), **options)

    def _CheckAgainstNumpy(
        self,
        numpy_reference_op,
        lax_op,
        args_maker,
        check_dtypes=True,
        tol=None,
        atol=None,
        rtol=None,
        canonicalize_dtypes=True,
    ):
        """The function gives the same as numpy's."""
        args = args_maker()
        self.assertAllClose(
            lax_op(*args),
            numpy_reference_op(*args),
            check_dtypes=check_dtypes,
            atol=atol or tol,
            rtol=rtol or tol,
            canonicalize_dtypes=canonicalize_dtypes,
        )


def create_mesh(mesh_shape, axis_names, iota_order=False, axis_types=None):
    """A mesh of the first devices; a case that needs more is skipped."""
    size = math.prod(mesh_shape)
    if len(jax.devices()) < size:
        raise unittest.SkipTest(f"Test requires {size} global devices and found {len(jax.devices())}.")
    devices = np.array(jax.devices()[:size]).reshape(mesh_shape)
    return jax.sharding.Mesh(devices, axis_names)
