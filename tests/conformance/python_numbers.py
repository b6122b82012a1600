"""Integers of any size, floats, rounding, bases, bit operations, complex, conversions, math."""
import math

print(2**100, -(2**70), 10**30 // 7, 10**30 % 7, -7 // 2, -7 % 3, 7 % -3, divmod(-7, 2), 7 / 2, 6 / 2, 2**-1, 0**0, (-2) ** 3, -2**2, 5 // 2.0, -5.5 % 2)
print(math.factorial(25), pow(3, 200, 1000007), pow(2, -1, 7), (123456789**5).bit_length(), 1 << 70, (1 << 70) >> 68, -1 >> 3, ~5, 6 & 3, 6 | 3, 6 ^ 3, -8 & 0xff, 12345678901234567890 * 98765432109876543210)
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(2.5, 0), int(2.9), int(-2.9), int("ff", 16), int("0b101", 0), int(" 42 "), int("-1_000"), float("1e3"), float(" inf"), bool("False"))
print(bin(10), hex(255), oct(8), 0xFF, 0b11, 0o17, 1_000_000, bin(-5), int.from_bytes(b"\x01\x00", "big"), (258).to_bytes(2, "little"), (5).bit_count(), 3.0.is_integer(), (0.5).as_integer_ratio(), 1e3, float(10**20), int(1e20))
print(0.1 + 0.2, 1e308 * 10, -1e308 * 10, float("nan") == float("nan"), 1 / 3, 2 / 3, 1e-7, 123456789.123, 1e22, 1e21 + 1, 3.0, 5e-324, 1.7976931348623157e308, 0.1 * 3, 4.35 * 100)
print(math.sqrt(2), math.pi, math.e, math.inf, math.floor(-1.5), math.ceil(1.2), math.trunc(-1.7), math.gcd(12, 18), math.lcm(4, 6), math.isqrt(99), math.log(8, 2), math.log2(1024), math.log10(1000), math.exp(1), math.hypot(3, 4), math.prod([2, 3, 4]), math.comb(10, 3), math.perm(5, 2))
print(math.isnan(math.nan), math.isinf(-math.inf), math.isclose(0.1 + 0.2, 0.3), math.copysign(1, -0.0), math.fmod(-7, 3), math.modf(2.5), math.frexp(8.0), math.ldexp(0.5, 4), math.degrees(math.pi), math.radians(180), math.sin(0.5), math.cos(0.5), math.tanh(0.5), math.atan2(1, 1), math.fsum([0.1] * 10), sum([0.1] * 10))
print((1 + 2j) * (3 - 1j), abs(3 + 4j), (1 + 2j).real, (1 + 2j).imag, (1 + 2j).conjugate(), complex(1, -1), 1j**2, complex("1+2j"), 5 + 0j == 5)
print(True + True, True * 3, False == 0, isinstance(True, int), type(True).__name__, 1 == 1.0, hash(1) == hash(1.0), 1 < 2 < 3, 1 < 3 > 2, 3 > 2 == 2, not 0, 1 and 2, 0 or "x", None or 0, 1 if [] else 2, max(1, 2.5), min(3, 1, 2), abs(-5), sum([1, 2], 10), 5 .real)
for n in (0, 1, 7, 8, 9, 100, 1023):
  print(n, n.bit_length(), 1 << max(n - 1, 0).bit_length(), -(-n // 8), math.ceil(n / 8), end=" | ")
print()
x = 5
x += 2; x *= 3; x -= 1; x //= 2; x **= 2; x %= 7; x <<= 3; x |= 1; x ^= 2; x &= 0xff; x >>= 1
print(x, float("1_0.5"), repr(1e16), repr(123456789012345678.0), 1e15, 0.0001, 0.00001, str(2**0.5), int(True), -0.0, 0.0 == -0.0)
