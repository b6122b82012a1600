import json


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


data = {"a": 1, "b": [1, 2.5, True, None, "x\n\"é\\"], "c": {"d": {}, "e": [], "f": ()}, 3: "int", None: 1, True: 2, 1.5: 3}
print(json.dumps(data))
print(json.dumps(data, indent=2))
print(json.dumps({"b": 1, "a": [1, {"z": 2, "y": 3}]}, sort_keys=True, indent=4))
print(json.dumps("é\u2028😀"), json.dumps("é😀", ensure_ascii=False), json.dumps([1, 2], separators=(",", ":")), json.dumps({"a": 1}, separators=(",", ":")), json.dumps([1], indent="\t"), json.dumps([], indent=2), json.dumps({}), json.dumps((1, 2)))
print(json.dumps(float("inf")), json.dumps(float("nan")), json.dumps(1e100), json.dumps(10**30), json.dumps(0.1), json.dumps("\x00\x1f\x7f\b\f/"), json.dumps(-0.0), json.dumps(1e-7))
attempt(lambda: json.dumps({1, 2}))
attempt(lambda: json.dumps(object))
attempt(lambda: json.dumps({(1, 2): 3}))
attempt(lambda: json.dumps(float("inf"), allow_nan=False))
loop = []
loop.append(loop)
attempt(lambda: json.dumps(loop))
print(json.dumps({(1, 2): 3, "a": 1}, skipkeys=True), json.dumps({1, 2}, default=lambda o: sorted(o)), json.dumps([1 + 2j], default=str))


class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, complex):
            return [o.real, o.imag]
        return super().default(o)


print(json.dumps({"z": 1 + 2j}, cls=Encoder), Encoder(indent=1).encode([1]))
attempt(lambda: json.dumps({"z": {1}}, cls=Encoder))

text = '{"a": [1, 2.5, -3, 1e3, true, false, null, "x\\n\\u00e9\\ud83d\\ude00\\/"], "b": {"c": {}}, "d": []}'
print(json.loads(text), json.loads("[]"), json.loads(" 3 "), json.loads('"s"'), json.loads("NaN"), json.loads("-Infinity"), json.loads("1E5"), json.loads("12345678901234567890123"), json.loads(b'[1]'))
print(json.loads('{"a": 1, "a": 2}'), json.loads("[1.5]", parse_float=str), json.loads('{"x": {"y": 1}}', object_hook=lambda d: sorted(d)), json.loads('{"b": 1, "a": 2}', object_pairs_hook=list))
for bad in ["", "{", "[1,]", '{"a" 1}', '{"a": }', "[1 2]", "nul", '"abc', "{'a': 1}", "[1]]", '{"a":1,}', '"\\x"', "01", "-", '"\t"', '{"a"', "tru\n"]:
    attempt(lambda: json.loads(bad))
try:
    json.loads("[1,\n 2,,]")
except json.JSONDecodeError as error:
    print(error.msg, error.pos, error.lineno, error.colno, isinstance(error, ValueError))
print(json.loads(json.dumps(data)) == {str(k) if not isinstance(k, (bool, type(None))) else {True: "true", None: "null"}[k]: (list(v) if isinstance(v, tuple) else v) for k, v in data.items()} or "differs")
import io
buffer = io.StringIO()
json.dump([1, {"a": 2}], buffer)
buffer.seek(0)
print(json.load(buffer))
