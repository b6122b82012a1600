"""What `jax.jit(f).lower(...)` and `.compile()` give: the call for arguments of these types, without a compiler behind it."""
import jax


def _not_provided(what):
    raise NotImplementedError(f"{what} is not provided by the workbench, which has no compiler: call the function itself")


class Stage:
    """A function and the arguments, or the types of arguments, that it is prepared for."""

    __module__ = "jax._src.stages"

    def __init__(self, function, args, kwargs):
        self._call = function, args, kwargs
        self.out_info = jax.eval_shape(function, *args, **kwargs)

    @property
    def out_tree(self):
        return jax.tree.structure(self.out_info)

    def as_text(self, *args, **kwargs):
        _not_provided("the text of a compiled program")

    def cost_analysis(self):
        _not_provided("XLA's analysis of costs")


class Traced(Stage):
    """A function that was traced for some types."""

    __module__ = "jax._src.stages"

    @property
    def jaxpr(self):
        function, args, kwargs = self._call
        return jax.make_jaxpr(function)(*args, **kwargs)

    def lower(self, *, lowering_platforms=None):
        return Lowered(*self._call)


class Lowered(Stage):
    """A function that was lowered for some types."""

    __module__ = "jax._src.stages"

    def compile(self, compiler_options=None):
        return Compiled(*self._call)

    def compiler_ir(self, dialect=None):
        _not_provided("what a compiler is given")


class Compiled(Stage):
    """A function that was compiled for some types; called without its static arguments."""

    __module__ = "jax._src.stages"

    @property
    def input_formats(self):
        _not_provided("the layout that a compiler chose for arguments")

    @property
    def output_formats(self):
        _not_provided("the layout that a compiler chose for results")

    def memory_analysis(self):
        _not_provided("XLA's analysis of memory")

    def __call__(self, *args, **kwargs):
        function, _, _ = self._call
        return function(*args, **kwargs)


class _Staged(type):
    def __instancecheck__(cls, instance):
        return hasattr(instance, "lower") and hasattr(instance, "trace")


class Wrapped(metaclass=_Staged):
    """What `jax.jit` gives: a function that can be called, traced and lowered."""

    __module__ = "jax._src.stages"


def _dynamic(function, args, kwargs, statics):
    """The function without its static arguments, and the arguments that are left."""
    numbers, names = statics
    numbers = {number % len(args) for number in numbers if -len(args) <= number < len(args)}
    named = {name: kwargs[name] for name in names if name in kwargs}

    def call(*rest, **others):
        rest = iter(rest)
        whole = [value if position in numbers else next(rest) for position, value in enumerate(args)]
        return function(*whole, *rest, **named, **others)

    kept = [value for position, value in enumerate(args) if position not in numbers]
    return call, kept, {name: value for name, value in kwargs.items() if name not in named}


def trace(*call):
    return Traced(*_dynamic(*call))


def lower(*call):
    return Lowered(*_dynamic(*call))


def eval_shape(*call):
    function, args, kwargs = _dynamic(*call)
    return jax.eval_shape(function, *args, **kwargs)
