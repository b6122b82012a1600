# A file that looks at compiled programs: MLIR can be imported and asked about, and says what is missing where it is used.
# jax: runs
import jax
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo


def is_module(x: jax.stages.Lowered | ir.Module) -> bool:
    return isinstance(x, ir.Module)


def walk(operation: ir.Operation):
    return isinstance(operation, (func.FuncOp, stablehlo.ConstantOp))


print(is_module(3), walk(None))
context = ir.Context()
#         ^ PL005 warning "jaxlib.mlir.ir.Context"
