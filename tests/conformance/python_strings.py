"""Methods of strings, slices, escapes, bytes, and iteration."""
s = "  Hello, World  "
t = s.strip()
print(t, t.lower(), t.upper(), t.swapcase(), t.title(), t.replace("l", "L", 2), t.split(", "), t.find("World"), t.rfind("o"), t.count("l"), t.startswith(("He", "x")), t.endswith("d"))
print(repr(s.lstrip()), repr(s.rstrip()), "xxaxx".strip("x"), "a-b-c".split("-", 1), "a-b-c".rsplit("-", 1), " a  b ".split(), "a,b,".split(","), "l1\nl2\r\nl3".splitlines())
print("-".join(["a", "b"]), "abc".partition("b"), "a.b.c".rpartition("."), "x".center(5, "*"), "7".zfill(3), "-7".zfill(4), "ab".ljust(4) + "|", "ab".rjust(4, "."), "a\tb".expandtabs(4))
print("abc".isalpha(), "12".isdigit(), "a1".isalnum(), " ".isspace(), "Ab".islower(), "AB".isupper(), "a_b".isidentifier(), "1.5".isnumeric(), "".isalpha())
print("hello"[1], "hello"[-1], "hello"[1:4], "hello"[::-1], "hello"[::2], "hello"[:-1], "hello"[10:], "lo" in "hello", "a" * 3, "a" < "b", "abc" < "abd", "Z" < "a")
print("prefix_name".removeprefix("prefix_"), "name.py".removesuffix(".py"), "abc".translate(str.maketrans("ab", "xy")), "ß".upper(), "ABC".casefold(), "hello world".capitalize())
print(repr("it's"), repr('say "hi"'), repr("both ' and \""), repr("tab\t nl\n back\\ bell\x07 é ☃"), ascii("é☃"), len("é☃"), ord("A"), chr(9731))
print(b"abc"[0], b"abc"[1:], b"abc".decode(), "é".encode(), "é".encode("latin-1"), bytes([65, 66]), bytes(3), b"a" + b"b", b"\x00\xff".hex(), bytes.fromhex("0aff"))
print([c for c in "abc"], list(enumerate("ab", start=1)), sorted("hello"), "".join(reversed("abc")), max("hello"), min("hello"), set("aab") == {"a", "b"}, dict.fromkeys("ab", 0))
print("a" "b" + str(5) + str([1, "x"]) + str(None) + str(1.0) + str(True), "%s" % "x", "x".__len__(), "abc".index("c"), str("already"), str(b"b"), "{:>6}|".format("r"))
print("line one\n\tindented", "a\\nb", r"raw\n", "nul\0end".split("\0"), "\x41\u0042\U00000043\103", "long " \
      "continued")
