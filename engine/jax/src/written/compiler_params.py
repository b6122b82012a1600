"""What compiler parameters of all targets have in common, for annotations and `isinstance`."""
import typing


@typing.runtime_checkable
class CompilerParams(typing.Protocol):
    """Base class for compiler parameters."""

    __module__ = "jax._src.pallas.core"

    __dataclass_fields__: typing.ClassVar[dict[str, typing.Any]]
