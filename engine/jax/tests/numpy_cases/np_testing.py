"""numpy.testing: what passes, and the words of what fails."""
import numpy as np

T = np.testing


def fails(name, check, *args, **kwargs):
    try:
        check(*args, **kwargs)
        print(name, "passed")
    except Exception as error:
        print(name, type(error).__name__)
        print(error)


x = np.arange(6.0).reshape(2, 3)
fails("equal", T.assert_array_equal, x, x.copy())
fails("one element", T.assert_array_equal, x, x + (x == 4))
fails("two elements", T.assert_array_equal, x, np.where(x > 3, 0, x))
fails("many elements", T.assert_array_equal, np.arange(20), np.zeros(20))
fails("scalar", T.assert_array_equal, x, 2.0)
fails("two scalars", T.assert_array_equal, 1.0, 2.0)
fails("shape", T.assert_array_equal, x, np.zeros((3, 2)))
fails("strict", T.assert_array_equal, np.ones(2), np.ones(2, np.float32), strict=True)
fails("nan", T.assert_array_equal, [1.0, np.nan], [1.0, np.nan])
fails("nan location", T.assert_array_equal, [1.0, np.nan], [np.nan, 1.0])
fails("inf values", T.assert_array_equal, [1.0, np.inf], [1.0, -np.inf])
fails("inf location", T.assert_array_equal, [1.0, np.inf], [1.0, 2.0])
fails("beside nan", T.assert_array_equal, [1.0, np.nan, 3.0], [1.0, np.nan, 4.0])
fails("bool", T.assert_array_equal, [True, False], [True, True])
fails("unsigned", T.assert_array_equal, np.array([1, 2], np.uint8), np.array([1, 5], np.uint8))
fails("int", T.assert_array_equal, [1, 2, 3], [1, 0, 3])
fails("message", T.assert_array_equal, [1, 2], [1, 3], err_msg="my message")
fails("quiet", T.assert_array_equal, [1, 2], [1, 3], verbose=False)
fails("allclose", T.assert_allclose, [1.0, 2.0], [1.0, 2.0 + 1e-9])
fails("not close", T.assert_allclose, [1.0, 2.0, 3.0], [1.0, 2.5, 3.0], rtol=1e-3, err_msg="my message")
fails("float32", T.assert_allclose, np.float32([1, 2]), np.float32([1, 2.1]), rtol=1e-5, atol=1e-5)
fails("close scalar", T.assert_allclose, 1.0, 1.05, atol=0.1)
fails("not close scalar", T.assert_allclose, 1.0, 1.5)
fails("close to zero", T.assert_allclose, [0.0, 1e-3], [0.0, 0.0])
fails("decimals", T.assert_array_almost_equal, [1.0, 2.3333], [1.0, 2.33339], decimal=5)
fails("decimals pass", T.assert_array_almost_equal, [1.0, 2.3333], [1.0, 2.33339], decimal=3)
fails("less", T.assert_array_less, [1.0, 2.0], [2.0, 2.0])
fails("less pass", T.assert_array_less, [1.0, 2.0], 3)
fails("almost", T.assert_almost_equal, 2.3333333333333, 2.33333334)
fails("not almost", T.assert_almost_equal, 2.3333333333333, 2.33333334, decimal=10)
fails("approx", T.assert_approx_equal, 0.12345677777777e-20, 0.1234567e-20)
fails("not approx", T.assert_approx_equal, 0.12345670e-20, 0.12345672e-20, significant=8)
fails("objects", T.assert_equal, [1, 2, {"a": 3}], [1, 2, {"a": 4}])
fails("objects pass", T.assert_equal, [1, (2, 3)], [1, (2, 3)])
fails("lengths", T.assert_equal, [1, 2], [1])
fails("strings", T.assert_equal, "a", "b")
fails("zeros", T.assert_equal, 0.0, -0.0)
fails("nans", T.assert_equal, np.nan, float("nan"))
fails("array and list", T.assert_equal, np.array([1, 2]), [1, 3])
fails("long", T.assert_array_equal, np.arange(40).reshape(8, 5), np.zeros((8, 5)))
fails("true", T.assert_, 1 > 2, "not greater")
fails("raises", T.assert_raises, ValueError, int, "x")
fails("raises nothing", T.assert_raises, ValueError, int, "1")
with T.assert_raises(ZeroDivisionError):
    1 / 0
with T.assert_raises_regex(ValueError, "invalid literal"):
    int("x")
