import statistics as st
from fractions import Fraction
from statistics import mean, median, stdev

print(mean([1, 2, 3, 4]), mean([1, 2, 3]), mean([1.5, 2.5]), mean([0.1] * 3), st.fmean([1, 2, 4]), st.fmean([1, 2], weights=[3, 1]), st.geometric_mean([1, 4, 16]), st.harmonic_mean([2, 4]))
print(median([3, 1, 2]), median([1, 2, 3, 4]), st.median_low([1, 2, 3, 4]), st.median_high([1, 2, 3, 4]), st.mode([1, 2, 2, 3, 3]), st.multimode("aabbc"), median([1.5, 2.25]))
print(stdev([1, 2, 3, 4]), st.pstdev([1, 2, 3, 4]), st.variance([1, 2, 3, 4]), st.pvariance([1, 2, 3, 4]), stdev([1.5, 2.5, 4.75]), st.variance([0.1, 0.2, 0.3]), st.variance([2, 4, 6]), st.stdev([1e-5, 2e-5, 4e-5]))
print(st.quantiles(range(1, 12)), st.quantiles([1, 2, 3, 4, 5], n=3, method="inclusive"), st.quantiles([10, 20], n=4))
for bad in (lambda: mean([]), lambda: median([]), lambda: stdev([1]), lambda: st.mode([]), lambda: st.pvariance([]), lambda: st.fmean([])):
    try:
        bad()
    except st.StatisticsError as error:
        print(error)

a, b = Fraction(1, 3), Fraction("2.5")
print(a, b, repr(a), a + b, a - b, a * b, a / b, a ** 2, a ** -1, b // a, b % a, -a, abs(-a), a < b, a == Fraction(2, 6), a + 1, 2 * a, 1 / a, a + 0.5, float(a), int(b), Fraction(0.125), Fraction(6, -4), Fraction("3/4"), Fraction("1e-2"))
print(a.numerator, a.denominator, hash(Fraction(4, 2)) == hash(2), Fraction(3.14159).limit_denominator(100), Fraction(7, 2).limit_denominator(1), round(float(b)), sum([a, b]), max(a, b), bool(Fraction(0)), a == 1 / 3, Fraction(1, 2) == 0.5, {Fraction(1, 2): 1}[0.5], divmod(7, 2))
import math
print(math.floor(b), math.ceil(b), math.trunc(-b), a.as_integer_ratio())
for bad in (lambda: Fraction(1, 0), lambda: Fraction("x"), lambda: Fraction([1]), lambda: a / 0):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, error)
