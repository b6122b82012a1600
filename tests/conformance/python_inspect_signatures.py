"""`inspect.signature`: parameters, binding, replacing."""
import functools
import inspect


def f(a, b=2, /, c=3, *args, d, e=5, **kwargs):
    pass


signature = inspect.signature(f)
print(signature, [p.kind.name for p in signature.parameters.values()])
bound = signature.bind(1, d=4, z=26)
print(bound, bound.args, bound.kwargs)
bound.apply_defaults()
print(bound, bound.args, bound.kwargs, bound.signature is signature)
print(signature.bind(1, 2, 3, 4, 5, d=6).arguments)
print(signature.bind_partial(), signature.bind_partial(e=1).kwargs)

for arguments, keywords in [((), {}), ((1,), {}), ((1,), {"b": 2, "d": 3}), ((1, 2, 3), {"c": 4, "d": 5})]:
    try:
        print(signature.bind(*arguments, **keywords))
    except TypeError as error:
        print("TypeError:", error)


def g(x, y):
    pass


for arguments, keywords in [((1, 2, 3), {}), ((1,), {"z": 2}), ((1,), {"x": 2})]:
    try:
        inspect.signature(g).bind(*arguments, **keywords)
    except TypeError as error:
        print("TypeError:", error)


def made(x: int, *, config: str = "c") -> float:
    pass


signature = inspect.signature(made)
parameters = signature.parameters.copy()
del parameters["config"]
print(signature.replace(parameters=tuple(parameters.values())))
print(signature.replace(return_annotation=inspect.Signature.empty), signature == inspect.signature(made))
parameter = signature.parameters["x"]
print(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=None), parameter == parameter.replace(name="y"))
print(inspect.Signature([inspect.Parameter("n", inspect.Parameter.POSITIONAL_ONLY, default=...)]))
print(inspect.Signature(), inspect.Signature() == inspect.Signature.from_callable(lambda: None))
try:
    inspect.Signature([signature.parameters["config"], parameter])
except ValueError as error:
    print("ValueError:", error)
again = inspect.BoundArguments(signature, {"x": 1, "config": "d"})
print(again, again.args, again.kwargs, again == signature.bind(1, config="d"))


@functools.wraps(made)
def wrapped(*args, **kwargs):
    pass


print(inspect.signature(wrapped))
wrapped.__signature__ = inspect.signature(g)
print(inspect.signature(wrapped), inspect.signature(functools.partial(wrapped, 1)))
