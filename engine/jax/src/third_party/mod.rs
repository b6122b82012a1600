//! Packages that kernels are written with, beside JAX and numpy: written in Python over the public names of what this crate
//! offers. They have what kernels and their launchers use.
//! Installed copies are not looked at, but for modules that are missing here.

use pallas_python::embedded::EmbeddedModule;

macro_rules! embedded {
    ($($name:literal $file:literal $is_package:literal;)*) => {
        /// Every module.
        pub static MODULES: &[EmbeddedModule] =
            &[$(EmbeddedModule { name: $name, text: include_str!($file), is_package: $is_package }),*];
    };
}

embedded! {
    "absl" "absl/__init__.py" true;
    "absl.app" "absl/app.py" false;
    "absl.flags" "absl/flags.py" false;
    "absl.logging" "absl/logging.py" false;
    "beartype" "beartype/__init__.py" true;
    "beartype.door" "beartype/door.py" false;
    "beartype.typing" "beartype/typing.py" false;
    "chex" "chex.py" true;
    "einops" "einops.py" true;
    "flax" "flax/__init__.py" true;
    "flax.struct" "flax/struct.py" false;
    "immutabledict" "immutabledict.py" true;
    "jaxlib" "jaxlib/__init__.py" true;
    "jaxlib.version" "jaxlib/version.py" false;
    "jaxlib.mlir" "jaxlib/mlir.py" true;
    "jaxlib.mlir.ir" "jaxlib/mlir.py" false;
    "jaxlib.mlir.passmanager" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects" "jaxlib/mlir.py" true;
    "jaxlib.mlir.dialects.arith" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.builtin" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.cf" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.chlo" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.func" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.gpu" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.llvm" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.math" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.memref" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.mosaic_gpu" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.nvgpu" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.nvvm" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.scf" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.sdy" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.stablehlo" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.tpu" "jaxlib/mlir.py" false;
    "jaxlib.mlir.dialects.vector" "jaxlib/mlir.py" false;
    "jaxtyping" "jaxtyping.py" true;
    "pydantic" "pydantic/__init__.py" true;
    "pydantic.dataclasses" "pydantic/dataclasses.py" false;
    "qwix" "qwix/__init__.py" true;
    "qwix._arrays" "qwix/arrays.py" false;
    "qwix._products" "qwix/products.py" false;
    "qwix.pallas" "qwix/pallas.py" false;
    "tqdm" "tqdm/__init__.py" true;
    "tqdm.auto" "tqdm/auto.py" false;
    "typeguard" "typeguard.py" true;
    "typing_extensions" "typing_extensions.py" false;
}
