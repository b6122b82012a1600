"""`hashlib`: the digests that programs make of sources and settings, to find again what they have measured. Bytes at a time; nothing of
this is secret, or large."""

_SIZES = {"md5": (16, 64), "sha1": (20, 64), "sha224": (28, 64), "sha256": (32, 64), "sha384": (48, 128), "sha512": (64, 128)}
algorithms_guaranteed = set(_SIZES)
algorithms_available = set(_SIZES)


def _primes(count):
    found = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _root(number, degree, bits):
    """The first `bits` bits behind the point of a root."""
    scaled = number << (degree * bits)
    low, high = 0, 1 << (bits + 10)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**degree <= scaled:
            low = middle
        else:
            high = middle - 1
    return low & ((1 << bits) - 1)


def _start(name):
    if name in ("md5", "sha1"):
        return [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0][: _SIZES[name][0] // 4]
    if name == "sha224":
        return [_root(prime, 2, 64) & 0xFFFFFFFF for prime in _primes(16)[8:]]
    if name == "sha384":
        return [_root(prime, 2, 64) for prime in _primes(16)[8:]]
    return [_root(prime, 2, 32 if name == "sha256" else 64) for prime in _primes(8)]


_constants = {}


def _rounds(bits, count):
    if bits not in _constants:
        _constants[bits] = [_root(prime, 3, bits) for prime in _primes(count)]
    return _constants[bits]


def _sha2(state, block, bits):
    mask = (1 << bits) - 1
    count, turns = (64, ((7, 18, 3), (17, 19, 10), (6, 11, 25), (2, 13, 22))) if bits == 32 else (
        80, ((1, 8, 7), (19, 61, 6), (14, 18, 41), (28, 34, 39)))

    def turned(x, by):
        return (x >> by | x << (bits - by)) & mask

    size = bits // 8
    w = [int.from_bytes(block[i : i + size], "big") for i in range(0, 16 * size, size)]
    (a1, a2, a3), (b1, b2, b3), (c1, c2, c3), (d1, d2, d3) = turns
    for i in range(16, count):
        x, y = w[i - 15], w[i - 2]
        w.append(
            (w[i - 16] + (turned(x, a1) ^ turned(x, a2) ^ x >> a3) + w[i - 7] + (turned(y, b1) ^ turned(y, b2) ^ y >> b3)) & mask
        )
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(_rounds(bits, count), w):
        first = h + (turned(e, c1) ^ turned(e, c2) ^ turned(e, c3)) + (e & f ^ ~e & g) + constant + word
        second = (turned(a, d1) ^ turned(a, d2) ^ turned(a, d3)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (first + second) & mask, a, b, c, (d + first) & mask, e, f, g
    return [(old + new) & mask for old, new in zip(state, (a, b, c, d, e, f, g, h))]


def _turned(x, by):
    x &= 0xFFFFFFFF
    return (x << by | x >> (32 - by)) & 0xFFFFFFFF


def _sha1(state, block):
    w = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 64, 4)]
    for i in range(16, 80):
        w.append(_turned(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1))
    a, b, c, d, e = state
    for i in range(80):
        if i < 20:
            mixed = (b & c | ~b & d) + 0x5A827999
        elif i < 40:
            mixed = (b ^ c ^ d) + 0x6ED9EBA1
        elif i < 60:
            mixed = (b & c | b & d | c & d) + 0x8F1BBCDC
        else:
            mixed = (b ^ c ^ d) + 0xCA62C1D6
        a, b, c, d, e = (_turned(a, 5) + mixed + e + w[i]) & 0xFFFFFFFF, a, _turned(b, 30), c, d
    return [(old + new) & 0xFFFFFFFF for old, new in zip(state, (a, b, c, d, e))]


_TURNS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
_SINES = []


def _md5(state, block):
    if not _SINES:
        import math

        _SINES.extend(int(abs(math.sin(i + 1)) * 4294967296) for i in range(64))
    w = [int.from_bytes(block[i : i + 4], "little") for i in range(0, 64, 4)]
    a, b, c, d = state
    for i in range(64):
        if i < 16:
            mixed, at = b & c | ~b & d, i
        elif i < 32:
            mixed, at = d & b | ~d & c, (5 * i + 1) % 16
        elif i < 48:
            mixed, at = b ^ c ^ d, (3 * i + 5) % 16
        else:
            mixed, at = c ^ (b | ~d & 0xFFFFFFFF), 7 * i % 16
        a, b, c, d = d, (b + _turned(a + mixed + _SINES[i] + w[at], _TURNS[i // 16][i % 4])) & 0xFFFFFFFF, b, c
    return [(old + new) & 0xFFFFFFFF for old, new in zip(state, (a, b, c, d))]


class HASH:
    """A digest in the making."""

    def __init__(self, name, data=b""):
        if name not in _SIZES:
            raise ValueError(f"unsupported hash type {name}")
        self.name = name
        self.digest_size, self.block_size = _SIZES[name]
        self._data = b""
        self.update(data)

    def update(self, data):
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        self._data += bytes(data)

    def copy(self):
        return HASH(self.name, self._data)

    def digest(self):
        size = self.block_size
        order = "little" if self.name == "md5" else "big"
        data = self._data + b"\x80"
        data += bytes(-(len(data) + size // 8) % size) + (8 * len(self._data)).to_bytes(size // 8, order)
        state = _start(self.name)
        for at in range(0, len(data), size):
            block = data[at : at + size]
            if self.name == "md5":
                state = _md5(state, block)
            elif self.name == "sha1":
                state = _sha1(state, block)
            else:
                state = _sha2(state, block, size // 2)
        width = 8 if size == 128 else 4
        made = b""
        for word in state:
            made += word.to_bytes(width, order)
        return made[: self.digest_size]

    def hexdigest(self):
        return self.digest().hex()

    def __repr__(self):
        return f"<{self.name} _hashlib.HASH object>"


def new(name, data=b"", *, usedforsecurity=True):
    return HASH(name, data)


def md5(string=b"", *, usedforsecurity=True):
    return HASH("md5", string)


def sha1(string=b"", *, usedforsecurity=True):
    return HASH("sha1", string)


def sha224(string=b"", *, usedforsecurity=True):
    return HASH("sha224", string)


def sha256(string=b"", *, usedforsecurity=True):
    return HASH("sha256", string)


def sha384(string=b"", *, usedforsecurity=True):
    return HASH("sha384", string)


def sha512(string=b"", *, usedforsecurity=True):
    return HASH("sha512", string)
