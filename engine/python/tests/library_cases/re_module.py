import re


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


print(re.match(r"a+", "aaab"), re.match(r"b", "ab"), re.search(r"b+", "aabbb"), re.fullmatch(r"\d+", "123"), re.fullmatch(r"\d+", "123a"))
m = re.search(r"(?P<key>\w+)=(?P<value>\d+)(;)?", "x: alpha=42 end")
print(m.group(), m.group(1), m.group("value"), m.groups(), m.groupdict(), m.start(), m.end("key"), m.span(2), m["key"], m[0], m.lastindex, m.lastgroup, m.group(1, 2), m.groups("-"), m.span(3))
print(re.findall(r"\d+", "a1b22c333"), re.findall(r"(\w)(\d)", "a1 b2"), re.findall(r"(\d)", "1a2"), re.findall(r"", "ab"), re.findall("x*", "axb"))
print([x.span() for x in re.finditer(r"\w+", "hi there you")])
print(re.sub(r"\d", "#", "a1b2"), re.sub(r"(\w)(\d)", r"\2\1", "a1b2"), re.sub(r"(?P<x>a)", r"<\g<x>>", "banana"), re.sub("a", lambda m: m.group().upper() + "!", "banana", count=2), re.subn("a", "b", "banana"), re.sub("x*", "-", "abxd"), re.sub(r"\s+", " ", "a  b\n\tc"))
print(re.split(r"[,;]", "a,b;c"), re.split(r"([,;])", "a,b;c"), re.split(r",", "a,b,c", maxsplit=1), re.split(r"\s*", "ab c"), re.split("x", ""))
print(re.escape("a.b*c[d]"), re.escape("a b-c_d"), re.compile("a", re.I | re.M), re.compile("b"))
print(re.match("ABC", "abc", re.I), re.findall("^a", "a\na", re.M), re.match("a.b", "a\nb"), re.match("a.b", "a\nb", re.S), re.findall(r"""
    \d+   # number
    \s*   # space
    [a-z] # letter
""", "12 a 3b", re.X))
p = re.compile(r"(\d+)-(\d+)")
print(p.pattern, p.groups, p.flags, p.match("10-20").groups(), p.search("x 1-2", 2).span(), p.groupindex, p.sub(r"\2-\1", "1-2 3-4"), p.split("a1-2b"), p.findall("1-2 3-4"))
print(re.match(r"<.*>", "<a><b>").group(), re.match(r"<.*?>", "<a><b>").group(), re.match(r"a{2,3}", "aaaa").group(), re.match(r"a{2,3}?", "aaaa").group(), re.match(r"a{2}", "aaaa").group(), re.match(r"a{,2}", "aaa").group(), re.match(r"a{2,}", "aaa").group(), re.match("a{x", "a{x"))
print(re.findall(r"\bfoo\b", "foo food foo"), re.findall(r"foo(?=bar)", "foobar foobaz"), re.findall(r"foo(?!bar)", "foobar foobaz"), re.findall(r"(?<=a)b", "ab cb"), re.findall(r"(?<!a)b", "ab cb"))
print(re.match(r"(a|b)*c", "ababc").group(1), re.match(r"(?:ab)+", "ababa").group(), re.match(r"(\w+) \1", "hey hey").group(), re.match(r"(a)?b", "b").groups(), re.match(r"(a)|(b)", "b").groups(), re.match(r"[^abc]+", "xyzabc").group(), re.match(r"[a-c\d-]+", "a1-b").group(), re.match(r"[]a]+", "]a").group(), re.match(r"\w+\W\s\S\d\D", "ab, x1y"))
print(re.search(r"a$", "ba\n"), re.search(r"a\Z", "ba\n"), re.search(r"\Ab", "ab"), re.findall(r"[\u00e9\x41]", "A\u00e9"), re.match(r"\u00e9+", "éé").group())
print(re.match(r"(?i)abc", "ABC"), re.match(r"a(?i:b)c", "aBc"), re.match(r"a(?i:b)c", "ABc"), re.match(r"(?s:.)a", "\na"), re.match(r"(a)(?(1)b|c)", "ab"), re.match(r"(?>a+)b", "aab"), re.match(r"a++b", "aab"), re.match(r"a*+a", "aaa"))
print(re.search(r"(\d+)(?:px|em)(?#comment)", "12em").group(1), re.findall(r"\d+(?:\.\d+)?", "1.5 2 3.25"), re.match(r"\\d", r"\d"), re.match(r"[\]\\]+", "]\\").group())
for bad in ["(", ")", "[a", "*a", "a**", r"\q", "(?P<1a>x)", "(?P<a>x)(?P<a>y)", r"(?P=nope)", "a{3,2}", "(?z)", r"\2(a)", "[z-a]", "(?<=a+)b", "x(?i)", "+", r"(?P<a", "(a", "\\"]:
    try:
        re.compile(bad)
        print("fine", bad)
    except re.error as error:
        print(bad, "|", error, "|", error.msg, error.pos)
attempt(lambda: re.match(3, "a"))
attempt(lambda: re.match("a", 3))
attempt(lambda: re.match("(a)", "a").group(5))
attempt(lambda: re.match("(a)", "a").group("x"))
attempt(lambda: re.sub("a", r"\9", "a"))
attempt(lambda: re.sub("a", r"\g<x>", "a"))
print(re.match("a", "a").expand(r"<\g<0>>"), bool(re.match("", "")), re.search("é", "café").start(), re.findall(r"\w+", "naïve café"), re.findall(r"\w+", "naïve", re.ASCII))
print(re.sub(r"(\w+) (\w+)", r"\2 \1\n", "hello world"), re.sub("b", "\\\\", "abc"), re.findall(r"(?m)^(\w+):", "a: 1\nb: 2"))
print(re.match(r"(\w+)@(\w+)\.com", "user@example.com").groups(), [m.group() for m in re.finditer(r"f\d{1,2}\[[^\]]*\]", "f32[8,128] f16[4] x")], re.match(r"(?:(a)|b)*", "ab").groups(), re.match(r"(a*)*", "aaa").groups(), re.match(r"(a*)+b", "aab").groups())
