"""`hashlib`: digests of sources and settings."""

import hashlib

for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512"):
    for text in (b"", b"abc", b"a" * 55, b"b" * 56, b"c" * 111, b"d" * 112, bytes(range(256)) * 2):
        print(name, getattr(hashlib, name)(text).hexdigest())
    print(hashlib.new(name, b"x").digest() == getattr(hashlib, name)(b"x").digest(), hashlib.new(name).digest_size)
h = hashlib.sha256()
h.update(b"one")
g = h.copy()
h.update(b"two")
print(h.name, h.block_size, h.hexdigest() == hashlib.sha256(b"onetwo").hexdigest(), g.hexdigest() == h.hexdigest())
for wrong in (lambda: hashlib.md5("text"), lambda: hashlib.new("md17")):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
