"""Classes that derive from what analysis cannot know: what they lack may be inherited, so that no error may come of it."""

import dataclasses
import torch


class Known:
    def who(self):
        return "known"


class Module(torch.nn.Module, Known):
    depth: int = 2

    def __init__(self, width, **rest):
        super().__init__(width, **rest)
        self.width = width

    def forward(self):
        return super().forward(self.width)


class Layer(Module):
    class Config(Module.Config):
        activation: str = "gelu"


@dataclasses.dataclass
class Settings(torch.Settings):
    block: int = 8


def check(name, f, expected=None):
    try:
        result = f()
        print(name, type(result).__name__)
        if expected is not None and result != expected:
            print(name, "RAISED: not", expected, "but", result)
    except BaseException as error:
        print(name, "RAISED", type(error).__name__, error)


layer = Layer(3, bias=True)
check("own", lambda: layer.width, 3)
check("of the class", lambda: Layer.depth, 2)
check("known ancestor", lambda: layer.who(), "known")
check("inherited", lambda: layer.parameters())
check("inherited by the class", lambda: Layer.default_config().set(x=1))
check("super", layer.forward)
check("nested", lambda: Layer.Config(activation="relu", other=1))
check("keywords", lambda: Settings(block=4, rows=2).rows)
check("own field", lambda: Settings(block=4, rows=2).block)
check("subclass of a known class", lambda: issubclass(Layer, Known), True)
# Whether these hold cannot be said: neither branch may be taken for granted.
for name, test in [("subclass", lambda: issubclass(Layer.Config, Known)), ("instance", lambda: isinstance(layer, int))]:
    check(name, test)
    if not test():
        raise ValueError("not of the right class")
