//! Bits of vectors as other dtypes: `pltpu.bitcast`, `pack_elementwise`, `unpack_elementwise`, `stochastic_round`. Only
//! `bitcast` has a rule on JAX's CPU backend; the others follow their documentation.

use crate::context::Context;
use crate::convert;
use crate::jnp::compose;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

/// Rows of `jax.experimental.pallas.tpu`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "bitcast",
        signature: "(x, ty)",
        doc: "The same bits as another dtype; a narrower dtype makes the second-last dimension longer.",
        run: bitcast,
    },
    NativeDef {
        name: "pack_elementwise",
        signature: "(xs, *, packed_dtype)",
        doc: "Elements of several arrays beside each other in one wider unsigned integer, the first in the low bits.",
        run: pack_elementwise,
    },
    NativeDef {
        name: "unpack_elementwise",
        signature: "(x, *, index, packed_dtype, unpacked_dtype)",
        doc: "One of the arrays that `pack_elementwise` has packed.",
        run: unpack_elementwise,
    },
    NativeDef {
        name: "stochastic_round",
        signature: "(x, random_bits, *, target_dtype)",
        doc: "Rounds up or down with the probability that the distance gives, decided by random bits.",
        run: stochastic_round,
    },
];

/// Bits as a dtype; where widths differ, the last dimension is added or dropped.
fn reinterpret(cx: &Context<'_>, x: &Tile, dtype: DType) -> PyResult<Tile> {
    cx.bind(&ops::BITCAST_CONVERT_TYPE, &[x], Attributes::none().with("dtype", Attribute::DType(dtype)))
}

fn bitcast(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, dtype] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "bitcast")?;
    let dtype = crate::dtype::parse_canonical(&cx, &dtype)?;
    if x.rank() < 2 {
        return Err(interp.value_error("Not implemented: bitcast 1D".to_string()));
    }
    // Rows are packed: narrower elements multiply the second-last dimension, wider ones divide it.
    let rows = x.shape()[x.rank() - 2];
    let (from, to) = (x.dtype().bits() as usize, dtype.bits() as usize);
    if !(rows * from).is_multiple_of(to) {
        return Err(interp
            .value_error("Not implemented: the 2nd minor dim can not be perfectly packed or unpacked".to_string()));
    }
    if from == to {
        return Ok(convert::value(&cx, reinterpret(&cx, &x, dtype)?));
    }
    let mut swap: Vec<usize> = (0..=x.rank()).collect();
    swap.swap(x.rank() - 1, x.rank());
    let mut shape: Vec<usize> = x.shape().to_vec();
    if from > to {
        // [..., rows, columns, factor] -> [..., rows, factor, columns] -> [..., rows * factor, columns]
        let wide = reinterpret(&cx, &x, dtype)?;
        let turned = primitive::transpose(&cx, &wide, &swap)?;
        shape[x.rank() - 2] = rows * (from / to);
        return Ok(convert::value(&cx, primitive::reshape(&cx, &turned, &Shape::from(shape.as_slice()))?));
    }
    let factor = to / from;
    shape.splice(x.rank() - 2..x.rank() - 1, [rows / factor, factor]);
    let split = primitive::reshape(&cx, &x, &Shape::from(shape.as_slice()))?;
    let turned = primitive::transpose(&cx, &split, &swap)?;
    Ok(convert::value(&cx, reinterpret(&cx, &turned, dtype)?))
}

/// How many packed elements fit in an unpacked one.
fn packing_factor(interp: &Interp, unpacked: DType, packed: DType) -> PyResult<u32> {
    let (unpacked, packed) = (unpacked.bits(), packed.bits());
    if !unpacked.is_multiple_of(packed) {
        return Err(interp.value_error(format!(
            "Unpacked bitwidth must be a multiple of packed bitwidth, got {unpacked} and {packed}"
        )));
    }
    Ok(unpacked / packed)
}

/// The unsigned integer of a width.
fn unsigned(bits: u32) -> DType {
    match bits {
        2 => DType::U2,
        4 => DType::U4,
        8 => DType::U8,
        16 => DType::U16,
        64 => DType::U64,
        _ => DType::U32,
    }
}

/// `x op constant` with an integer constant of `x`'s dtype.
fn with_integer(cx: &Context<'_>, op: &'static OpDef, x: &Tile, constant: i128) -> PyResult<Tile> {
    let constant = primitive::full(cx, x.shape(), x.dtype(), Scalar::Int(constant))?;
    primitive::binary(cx, op, x, &constant)
}

fn pack_elementwise(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [xs, packed] = args.take();
    let cx = Context::jax(interp);
    let packed = crate::dtype::parse_canonical(&cx, &packed)?;
    let tiles =
        interp.collect(&xs)?.iter().map(|x| convert::tile(&cx, x, "pack_elementwise")).collect::<PyResult<Vec<_>>>()?;
    let Some(first) = tiles.first() else {
        return Err(interp.value_error("At least one source is required"));
    };
    if tiles.iter().any(|tile| tile.shape() != first.shape()) {
        return Err(interp.value_error("All sources must have the same shape"));
    }
    if tiles.iter().any(|tile| tile.dtype() != first.dtype()) {
        return Err(interp.value_error("All sources must have the same dtype"));
    }
    let from = first.dtype();
    let integers = from.is_integer() && packed.is_integer();
    if !integers && (from, packed) != (DType::F32, DType::BF16) {
        return Err(interp.value_error(format!(
            "Only f32 -> bf16 and int -> int are supported. Got {} and {}",
            from.name(),
            packed.name()
        )));
    }
    let factor = packing_factor(interp, from, packed)?;
    if tiles.len() != factor as usize {
        return Err(interp.value_error(format!(
            "The number of sources must match the packing factor ({factor}), got {}",
            tiles.len()
        )));
    }
    let (word, part) = (unsigned(from.bits()), unsigned(packed.bits()));
    let mut result: Option<Tile> = None;
    for (index, tile) in tiles.iter().enumerate() {
        let bits = if integers {
            let bits = compose::bitcast(&cx, tile, word)?;
            with_integer(&cx, &ops::AND, &bits, (1 << packed.bits()) - 1)?
        } else {
            let rounded = primitive::convert(&cx, tile, packed, false)?;
            primitive::convert(&cx, &reinterpret(&cx, &rounded, part)?, word, false)?
        };
        let moved = with_integer(&cx, &ops::SHIFT_LEFT, &bits, i128::from(packed.bits() * index as u32))?;
        result = Some(match result {
            None => moved,
            Some(low) => primitive::binary(&cx, &ops::OR, &low, &moved)?,
        });
    }
    match result {
        Some(tile) => Ok(convert::value(&cx, tile)),
        None => Err(interp.value_error("At least one source is required")),
    }
}

fn unpack_elementwise(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, index, packed, unpacked] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "unpack_elementwise")?;
    let packed = crate::dtype::parse_canonical(&cx, &packed)?;
    let unpacked = crate::dtype::parse_canonical(&cx, &unpacked)?;
    if x.dtype().bits() != unpacked.bits() {
        return Err(interp.value_error(format!(
            "The bitwidth of `x` must match the bitwidth of `unpacked_dtype` for unpack_elementwise, but got {} and {}",
            x.dtype().name(),
            unpacked.name()
        )));
    }
    let factor = packing_factor(interp, unpacked, packed)?;
    let index = interp.to_i64(&index)?;
    if index < 0 || index >= i64::from(factor) {
        return Err(interp.value_error(format!("Index {index} is out of bounds for packing factor {factor}")));
    }
    let word = unsigned(unpacked.bits());
    let bits = compose::bitcast(&cx, &x, word)?;
    let bits = with_integer(&cx, &ops::SHIFT_RIGHT_LOGICAL, &bits, i128::from(index) * i128::from(packed.bits()))?;
    let part = primitive::convert(&cx, &bits, unsigned(packed.bits()), false)?;
    let part = if part.dtype() == packed { part } else { reinterpret(&cx, &part, packed)? };
    Ok(convert::value(&cx, primitive::convert(&cx, &part, unpacked, false)?))
}

/// Adds the low bits of the random word below the last bit that is kept, and cuts.
fn stochastic_round(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, random, target] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "stochastic_round")?;
    let random = convert::tile(&cx, &random, "stochastic_round")?;
    let target = crate::dtype::parse_canonical(&cx, &target)?;
    if random.shape() != x.shape() {
        return Err(interp.value_error(format!(
            "The shape of `random_bits` must match the shape of `x` for stochastic_round, but got {} and {}",
            random.shape(),
            x.shape()
        )));
    }
    if random.dtype() != DType::U32 {
        return Err(interp.value_error(format!(
            "The dtype of `random_bits` must be uint32 for stochastic_round, but got {}",
            random.dtype().name()
        )));
    }
    if x.dtype() != DType::F32 || target != DType::BF16 {
        return Err(interp.not_implemented_error(format!(
            "stochastic_round from {} to {} is not provided here yet: round float32 to bfloat16, or use `astype`",
            x.dtype().name(),
            target.name()
        )));
    }
    const CUT: i128 = 0xffff;
    let bits = reinterpret(&cx, &x, DType::U32)?;
    let noise = with_integer(&cx, &ops::AND, &random, CUT)?;
    let sum = primitive::binary(&cx, &ops::ADD, &bits, &noise)?;
    let cut = with_integer(&cx, &ops::AND, &sum, 0xffff_0000)?;
    let rounded = primitive::convert(&cx, &reinterpret(&cx, &cut, DType::F32)?, target, false)?;
    // Infinities and NaN have no neighbours.
    let plain = primitive::convert(&cx, &x, target, false)?;
    let finite = primitive::unary(&cx, &ops::IS_FINITE, &x)?;
    Ok(convert::value(&cx, primitive::select(&cx, &finite, &rounded, &plain)?))
}
