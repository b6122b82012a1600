import math

values = [0.0, -0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.7, 10.0, 25.5, 100.0, -0.3, -1.0, -2.5, 1e-10, 1e10, 1e300]
names = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
         "expm1", "log1p", "log", "log2", "log10", "sqrt", "cbrt", "fabs", "ceil", "floor", "trunc", "degrees", "radians",
         "erf", "erfc", "gamma", "lgamma", "frexp", "modf", "ulp", "isfinite", "isinf", "isnan"]
for name in names:
    function = getattr(math, name)
    for value in values:
        try:
            # The last bit of these differs between C libraries.
            print(name, value, f"{function(value):.13g}" if name in ("cbrt", "erfc") else function(value))
        except Exception as error:
            print(name, value, type(error).__name__, error)

for x in [math.inf, -math.inf, math.nan]:
    for name in ["sin", "exp", "log", "sqrt", "floor", "gamma", "lgamma", "atan", "tanh", "erf", "modf", "frexp"]:
        try:
            print(name, x, getattr(math, name)(x))
        except Exception as error:
            print(name, x, type(error).__name__, error)

print(math.log(8, 2), math.log(100, 10), math.log(2**2000), math.log2(2**2000), math.log10(10**400), math.log2(3**500))
for bad in [lambda: math.log(0), lambda: math.log(-1, 2), lambda: math.log(10, 1), lambda: math.log("x"),
            lambda: math.sqrt("4"), lambda: math.factorial(-1),
            lambda: math.factorial(1.5), lambda: math.isqrt(-1), lambda: math.comb(-1, 2), lambda: math.comb(3, -1),
            lambda: math.perm(-1), lambda: math.gcd(1.5, 2), lambda: math.ldexp(1.0, 5000), lambda: math.fmod(1, 0),
            lambda: math.pow(-1, 0.5), lambda: math.pow(0, -1), lambda: math.pow(1e200, 2), lambda: math.dist([1], [1, 2]),
            lambda: math.remainder(1, 0), lambda: math.fsum([1, "x"]), lambda: math.exp(1000), lambda: math.ceil("a"),
            lambda: math.prod(5), lambda: math.isclose(1, 1, rel_tol=-1), lambda: math.ldexp(1, 1.5)]:
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, error)

print(math.pow(2, 10), math.pow(2, 0.5), math.pow(2, -1), math.pow(0, 0), math.pow(-8, 3))
print(math.atan2(1, 2), math.atan2(-1, -2), math.atan2(0, -1), math.atan2(-0.0, -1))
print(math.fmod(7, 3), math.fmod(-7, 3), math.fmod(7.5, -2), math.remainder(7, 3), math.remainder(-8, 3), math.remainder(5, 2))
print(math.copysign(3, -0.0), math.nextafter(1, 2), math.nextafter(0, -1), math.ldexp(0.75, 10), math.ldexp(1, -1074))
print(math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(0, 1e-12, abs_tol=1e-9), math.isclose(math.inf, math.inf))
print(math.gcd(), math.gcd(12, 18), math.gcd(12, 18, 8), math.gcd(-4, 6), math.gcd(0, 0), math.lcm(), math.lcm(4, 6), math.lcm(2, 3, 5), math.lcm(0, 5))
print(math.gcd(2**70, 6**50), math.lcm(2**40, 3**30))
print(math.isqrt(0), math.isqrt(17), math.isqrt(10**40), math.factorial(0), math.factorial(20), math.factorial(30))
print(math.comb(5, 2), math.comb(50, 25), math.comb(3, 5), math.perm(5, 2), math.perm(5), math.perm(3, 5))
print(math.prod([1, 2, 3, 4]), math.prod([0.5, 4]), math.prod([]), math.prod([2, 3], start=10), math.prod((2,) * 70))
print(math.fsum([0.1] * 10), sum([0.1] * 10), math.fsum([1e100, 1.0, -1e100]), math.fsum([]), math.fsum([1, 1e-16, 1e-16]))
print(math.hypot(3, 4), math.hypot(1, 1, 1), math.hypot(), math.hypot(1e200, 1e200), math.hypot(0.1, 0.2, 0.3), math.hypot(math.inf, math.nan))
print(math.dist((0, 0), (3, 4)), math.dist([1.5, 2.5, 3.5], [4, 5, 6.25]))
print(math.pi, math.e, math.tau, math.inf, math.nan)
print(math.ceil(2**60 + 0.5), math.floor(-2.5), math.trunc(-2.5), math.ceil(True), math.floor(10**30), math.ceil(1e20))


class Rounder:
    def __ceil__(self):
        return "ceil"

    def __floor__(self):
        return "floor"

    def __trunc__(self):
        return "trunc"

    def __float__(self):
        return 2.5


r = Rounder()
print(math.ceil(r), math.floor(r), math.trunc(r), math.sqrt(r))
print(-(-7 // 2), math.ceil(7 / 2), math.log2(1024).is_integer(), math.sqrt(2) ** 2)
