//! Which ops a compiler of Pallas has no lowering for, as a table: JAX 0.10.2's `lowering_rules` (TPU, tensor cores),
//! `triton_lowering_rules` and `mosaic_lowering_rules` (warpgroups), and forms of ops that their rules refuse. What they
//! leave to the compilers behind them (layouts, registers) is not here. A test compares the table with what JAX
//! answers for some hundred expressions (`tests/tests/lowering.rs`).

use pallas_ir::op::MemoryOp;
use pallas_ir::{DimIndex, Function, MemorySpace, OpData, OpKind, Target, Type, ValueId};
use pallas_tensor::{DType, Shape};

/// A compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// Mosaic, for TPUs.
    Tpu,
    /// Triton.
    Triton,
    /// Mosaic GPU.
    MosaicGpu,
}

impl Compiler {
    /// What a launch is compiled with, where that is known.
    pub(crate) fn of(target: Target) -> Option<Compiler> {
        match target {
            Target::Triton => Some(Compiler::Triton),
            target if target.is_tpu() => Some(Compiler::Tpu),
            target if target.is_mosaic_gpu() => Some(Compiler::MosaicGpu),
            _ => None,
        }
    }

    /// As people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compiler::Tpu => "the TPU compiler",
            Compiler::Triton => "Triton",
            Compiler::MosaicGpu => "Mosaic GPU",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Compiler::Tpu => T,
            Compiler::Triton => R,
            Compiler::MosaicGpu => G,
        }
    }
}

/// Not on TPUs.
const T: u8 = 1;
/// Not in Triton.
const R: u8 = 2;
/// Not in Mosaic GPU.
const G: u8 = 4;

/// An op that some have no rule for, and what says the same.
struct Row {
    ops: &'static [&'static str],
    not: u8,
    instead: &'static str,
}

const ROWS: &[Row] = &[
    Row { ops: &["sort", "top_k"], not: T | R | G, instead: "sort before or after the launch" },
    Row {
        ops: &["cummax", "cummin", "cumprod", "cumlogsumexp"],
        not: T | R | G,
        instead: "carry the running value through a `fori_loop`",
    },
    Row {
        ops: &["cumsum"],
        not: T | G,
        instead: "multiply by a triangular matrix of ones (`jnp.dot`), or carry the sum through a `fori_loop`",
    },
    Row {
        ops: &["rev"],
        not: T | R | G,
        instead: "read the elements in the other order from the Ref, or reverse outside",
    },
    Row {
        ops: &["scatter"],
        not: T | R | G,
        instead: "store to the Ref at those positions, or choose with `jnp.where` and an iota",
    },
    Row { ops: &["gather"], not: R | G, instead: "index the Ref instead of the value" },
    Row { ops: &["dynamic_slice"], not: T | R | G, instead: "slice the Ref: `x_ref[pl.ds(start, size)]`" },
    Row { ops: &["dynamic_update_slice"], not: T | R | G, instead: "store to the part of the Ref" },
    Row { ops: &["slice"], not: R, instead: "slice the Ref: `x_ref[:8]`" },
    Row { ops: &["pad"], not: R | G, instead: "read a larger block with a mask" },
    Row { ops: &["concatenate"], not: G, instead: "store the parts to parts of a Ref" },
    Row { ops: &["transpose"], not: G, instead: "transpose the Ref: `plgpu.transpose_ref`" },
    Row { ops: &["dot_general"], not: G, instead: "`plgpu.wgmma` on Hopper, `plgpu.tcgen05_mma` on Blackwell" },
    Row { ops: &["argmax", "argmin"], not: G, instead: "compare with the maximum, and reduce the positions" },
    Row { ops: &["reduce_prod"], not: T | R, instead: "sum logarithms, or multiply in a `fori_loop`" },
    Row {
        ops: &["reduce_and", "reduce_or"],
        not: R | G,
        instead: "reduce integers: `jnp.max(mask.astype(jnp.int32))` for any, `jnp.min` for all",
    },
    Row { ops: &["reduce_xor"], not: T | R | G, instead: "combine parts with `^` in a `fori_loop`" },
    Row { ops: &["reduce_precision"], not: T | R | G, instead: "convert to the narrow type and back" },
    Row { ops: &["round"], not: R, instead: "`jnp.floor(x + 0.5)`" },
    Row { ops: &["floor", "ceil"], not: G, instead: "convert to an integer and back" },
    Row { ops: &["sqrt"], not: G, instead: "`x * lax.rsqrt(x)`" },
    Row { ops: &["pow"], not: G, instead: "`jnp.exp(jnp.log(x) * y)`, or an integer exponent" },
    Row { ops: &["log1p"], not: G, instead: "`jnp.log(1 + x)`" },
    Row { ops: &["expm1"], not: T | G, instead: "`jnp.exp(x) - 1`" },
    Row { ops: &["tan"], not: G, instead: "`jnp.sin(x) / jnp.cos(x)`" },
    Row {
        ops: &["sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "cbrt"],
        not: T | G,
        instead: "write it with `jnp.exp`, `jnp.log` and `lax.rsqrt`, or compute it outside",
    },
    Row { ops: &["erf"], not: R, instead: "`jnp.tanh` approximates it: `jax.nn.gelu(x, approximate=True)`" },
    Row { ops: &["erf_inv"], not: G, instead: "compute it outside of the kernel" },
    Row { ops: &["erfc"], not: T | R | G, instead: "`1 - lax.erf(x)` where that is lowered" },
    Row { ops: &["lgamma", "digamma"], not: T | R | G, instead: "compute it outside of the kernel" },
    Row { ops: &["is_finite"], not: G, instead: "`jnp.abs(x) < jnp.inf`" },
    Row { ops: &["nextafter", "population_count"], not: G, instead: "compute it outside of the kernel" },
    Row { ops: &["stop_gradient"], not: G, instead: "leave it out: kernels are not differentiated" },
    Row {
        ops: &["random_seed", "random_bits", "random_fold_in", "random_split", "random_wrap", "random_unwrap"],
        not: R | G,
        instead: "make random numbers outside, and hand them to the kernel",
    },
    Row { ops: &["threefry2x32"], not: R | G, instead: "make random numbers outside, and hand them to the kernel" },
];

/// Why a compiler does not take an op, and what says the same; `None` if it does, or is not known not to.
pub(crate) fn refusal(compiler: Compiler, kernel: &Function, op: &OpData) -> Option<(String, &'static str)> {
    let name = op.op.name;
    if compiler == Compiler::Triton && name == "slice" && is_part_of_a_split(kernel, op) {
        return None;
    }
    // `pltpu.roll` by a number of places that is not known before.
    if compiler == Compiler::Tpu && op.attributes.flag("rotates") {
        return None;
    }
    if let Some(row) = ROWS.iter().find(|row| row.not & compiler.bit() != 0 && row.ops.contains(&name)) {
        return Some((format!("{} has no `{name}`", compiler.name()), row.instead));
    }
    let unreachable = (compiler == Compiler::Tpu).then(|| unreachable_on_tpus(compiler.name(), kernel, op)).flatten();
    unreachable.or_else(|| form(compiler, kernel, op))
}

/// Whether a slice is one of those that `jnp.split` gives, which together are all of a tile: in JAX they are one primitive,
/// which Triton has.
fn is_part_of_a_split(kernel: &Function, op: &OpData) -> bool {
    let is_sister = |other: &&OpData| {
        other.op == op.op && other.location == op.location && other.operands.first() == op.operands.first()
    };
    let size = |value: Option<&ValueId>| value.map_or(0, |&value| kernel.ty(value).shape().size());
    let parts: Vec<usize> = kernel.ops.iter().filter(is_sister).map(|part| size(part.results.first())).collect();
    parts.len() > 1 && parts.iter().sum::<usize>() == size(op.operands.first())
}

/// Forms of ops that are refused though the op is not.
fn form(compiler: Compiler, kernel: &Function, op: &OpData) -> Option<(String, &'static str)> {
    let operand = |number: usize| op.operands.get(number).map(|&value| kernel.ty(value));
    let dtype = operand(0).map(|ty| ty.dtype());
    let who = compiler.name();
    let said = |what: &str, instead| Some((format!("{who} {what}"), instead));
    match (compiler, op.op.name) {
        (Compiler::Tpu, "convert_element_type") => {
            let to = kernel.ty(*op.results.first()?).dtype();
            (to.size_bytes() == 8 && dtype? != to).then(|| {
                (
                    format!("{who} has no types of 64 bits, this converts to {to}"),
                    "ask for int32 or float32 (`jnp.int32(x)`, `dtype=jnp.int32`), or leave `jax_enable_x64` off",
                )
            })
        }
        (Compiler::Tpu, "iota") => {
            let of = kernel.ty(*op.results.first()?).dtype();
            (!matches!(of, DType::I32 | DType::U32)).then(|| {
                (
                    format!("{who} numbers elements with integers of 32 bits only, this is {of}"),
                    "number with int32, and convert: `jnp.arange(n).astype(jnp.float32)`",
                )
            })
        }
        (Compiler::Triton, "dot_general") if [operand(0)?, operand(1)?].iter().any(|ty| !is_matrix(ty.shape())) => {
            said(
                "multiplies matrices of two dimensions only",
                "multiply and sum (`jnp.sum(x * y)`), or go through the other dimensions in the grid or in a loop",
            )
        }
        (Compiler::Tpu, "reduce_sum" | "reduce_max" | "reduce_min") => match dtype? {
            dtype if is_unsigned(dtype) => {
                said(&format!("does not reduce unsigned integers ({dtype})"), "convert to int32 before, and back after")
            }
            DType::I8 => said("does not reduce int8", "convert to int32 before"),
            _ => None,
        },
        (Compiler::Tpu, "argmax" | "argmin") if dtype? != DType::F32 => {
            said(&format!("takes `{}` of float32 only, this is {}", op.op.name, dtype?), "convert to float32 before")
        }
        (Compiler::Tpu, "gather") => {
            // One index for each element of the result, along one axis: `take_along_axis`, which may give another number
            // of elements along that axis.
            let (x, index) = (operand(0)?, operand(1)?);
            let (from, to) = (x.shape(), index.shape());
            let other = from.iter().zip(to.iter()).filter(|(a, b)| a != b).count();
            let is_along = op.operands.len() == from.rank() + 1 && from.rank() == to.rank() && other <= 1;
            (!is_along).then(|| {
                let what = "gathers with one index for each element only, as `jnp.take_along_axis` does";
                (format!("{who} {what}"), "index the Ref instead of the value, one row at a time")
            })
        }
        (Compiler::Tpu | Compiler::Triton, "dot_general")
            if [operand(0)?, operand(1)?].iter().any(|ty| is_unsigned(ty.dtype())) =>
        {
            said("multiplies no matrices of unsigned integers", "convert to a signed type before")
        }
        (Compiler::Triton, "cumsum") if op.attributes.flag("reverse") => {
            said("sums from the beginning only", "`jnp.sum(x, axis, keepdims=True) - jnp.cumsum(x, axis) + x`")
        }
        (Compiler::Triton, "concatenate") => {
            let last = operand(0)?.shape().rank().checked_sub(1)?;
            let is_taken = op.attributes.int("axis") == Some(last as i64)
                && op.operands.len() == 2
                && op.operands.iter().all(|&value| kernel.ty(value).shape().last() == Some(&1));
            let instead = "store the parts to parts of a Ref, or choose with `jnp.where` and an iota";
            (!is_taken).then(|| {
                (format!("{who} joins two columns, of shape [..., 1], along the last dimension only"), instead)
            })
        }
        (Compiler::MosaicGpu, "rem") if dtype?.is_float() => {
            said("takes remainders of integers only", "`x - y * jnp.floor(x / y)`, with the floor by conversion")
        }
        (Compiler::Tpu | Compiler::MosaicGpu, _)
            if matches!(op.op.kind, OpKind::Memory(MemoryOp::Load | MemoryOp::Store | MemoryOp::Swap)) =>
        {
            let index = op.attributes.index()?;
            let by_array = index.0.iter().any(|dim| matches!(dim, DimIndex::Array));
            by_array.then(|| {
                (
                    format!("{who} reaches a Ref by scalars and slices, not by integer arrays"),
                    "go through the positions in a `fori_loop`, one scalar each",
                )
            })
        }
        _ => None,
    }
}

/// Memory that a TPU reaches by copies only, and scalar memory, which gives one scalar at a time.
fn unreachable_on_tpus(who: &str, kernel: &Function, op: &OpData) -> Option<(String, &'static str)> {
    if !matches!(op.op.kind, OpKind::Memory(MemoryOp::Load | MemoryOp::Store | MemoryOp::Swap)) {
        return None;
    }
    let Type::Ref(reference) = kernel.ty(*op.operands.first()?) else { return None };
    // What is stored stands behind the Ref, before indices.
    let value = op.results.first().or(op.operands.get(1)).copied();
    let is_scalar = || value.is_none_or(|value| kernel.ty(value).shape().rank() == 0);
    match reference.space {
        MemorySpace::Any | MemorySpace::Hbm => Some((
            format!("{who} reaches a Ref in main memory (`pl.ANY`) by copies only"),
            "copy it to scratch memory and back: `pltpu.sync_copy(x_hbm, x_vmem)`; or give it a BlockSpec without a memory space, \
             which brings blocks to VMEM",
        )),
        MemorySpace::Smem if !is_scalar() => Some((
            format!("{who} loads and stores scalars only in scalar memory (SMEM)"),
            "go through the elements one by one, or keep it in VMEM",
        )),
        MemorySpace::Default | MemorySpace::Vmem
            if !matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)) && is_scalar() =>
        {
            Some((
                format!("{who} stores no scalars to vector memory (VMEM)"),
                "let it lie in scalar memory: `pl.BlockSpec(memory_space=pltpu.SMEM)` or `pltpu.SMEM(shape, dtype)`; or store a tile: \
             `ref[...] = jnp.full(ref.shape, value)`, with `jnp.where` and an iota for one element of it",
            ))
        }
        _ => None,
    }
}

/// Whether a shape is that of a matrix; `jnp.matmul` takes dimensions of 1 in front of it away.
fn is_matrix(shape: &Shape) -> bool {
    let (batch, matrix) = shape.split_at(shape.rank().saturating_sub(2));
    matrix.len() == 2 && batch.iter().all(|&extent| extent == 1)
}

fn is_unsigned(dtype: DType) -> bool {
    dtype.is_integer() && !dtype.is_signed() && dtype != DType::Bool
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_of_ops_that_there_are() {
        let mut seen = HashSet::new();
        for row in ROWS {
            assert!(row.not != 0 && !row.instead.is_empty());
            for name in row.ops {
                assert!(pallas_ir::ops::find(name).is_some(), "{name}");
                assert!(seen.insert(name), "{name} has two rows");
            }
        }
    }
}
