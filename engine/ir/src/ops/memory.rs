//! Ops on Refs. All share the subscript: the attribute `index` (an [`IndexPattern`]) and one integer operand per dynamic
//! part of it, in order.
//!
//! Two attributes besides: `masked` says that a mask operand follows the index operands (`bool`, broadcastable to the
//! subscript's shape), and `other` that a value for masked-off elements follows the mask (the Ref's dtype,
//! broadcastable). `padded` chooses what happens to slices that leave the Ref, as JAX's interpreter does it: false
//! (`ref[...]`) moves them back inside, true (`pl.load`, `plgpu.load` and their stores) reads uninitialised values
//! there and drops writes.

use super::rule;
use crate::attribute::{DimIndex, IndexOperand, IndexPattern, Position};
use crate::op::{InferContext, InferError, MemoryOp, OpDef, OpKind, Types};
use crate::types::{RefType, TensorType, Type};
use pallas_tensor::{DType, Shape};

/// `value = ref[index]`. Operands: ref, indices..., mask?, other?. Attributes: `index`, `masked`, `other`, `padded`.
/// Result: a tile of the subscript's shape.
pub static LOAD: OpDef = OpDef {
    name: "load",
    doc: "`value = ref[index]`; operands: ref, indices..., mask?, other?",
    attributes: &["index", "masked", "other", "padded"],
    infer: |context| {
        let access = Access::new(context, "load", 0)?;
        access.check_mask(context, "load")?;
        Ok(rule::one(access.tile()))
    },
    kind: OpKind::Memory(MemoryOp::Load),
};

/// `ref[index] = value`. Operands: ref, value, indices..., mask?. Attributes: `index`, `masked`, `padded`. No results.
pub static STORE: OpDef = OpDef {
    name: "store",
    doc: "`ref[index] = value`; operands: ref, value, indices..., mask?",
    attributes: &["index", "masked", "padded"],
    infer: |context| {
        let access = Access::new(context, "store", 1)?;
        // JAX has one primitive for both and names it so in its messages.
        access.check_value(context, "swap", 1)?;
        access.check_mask(context, "store")?;
        Ok(Types::new())
    },
    kind: OpKind::Memory(MemoryOp::Store),
};

/// `old = ref[index]; ref[index] = value`. Operands and attributes as [`STORE`]. Result: the old tile; where masked off,
/// the new value, as in JAX.
pub static SWAP: OpDef = OpDef {
    name: "swap",
    doc: "`old = ref[index]; ref[index] = value`; operands: ref, value, indices..., mask?",
    attributes: &["index", "masked", "padded"],
    infer: |context| {
        let access = Access::new(context, "swap", 1)?;
        access.check_value(context, "swap", 1)?;
        access.check_mask(context, "swap")?;
        Ok(rule::one(access.tile()))
    },
    kind: OpKind::Memory(MemoryOp::Swap),
};

/// `old = ref[index]; ref[index] = combine(old, value)`, atomically. Operands and attributes as [`STORE`], and
/// `combine`: `add`, `max`, `min`, `and`, `or`, `xor` or `xchg`. `accumulate` says what becomes of several updates of one
/// element through an index array: true (`ref_addupdate`) combines all, false (Triton's `atomic_*`) keeps the last, which
/// is what JAX's interpret mode does. Result: the old tile.
pub static ATOMIC: OpDef = OpDef {
    name: "atomic",
    doc: "`old = ref[index]; ref[index] = combine(old, value)`; operands: ref, value, indices..., mask?",
    attributes: &["combine", "index", "masked", "padded", "accumulate"],
    infer: |context| {
        match context.attributes.str("combine") {
            Some("add" | "max" | "min" | "and" | "or" | "xor" | "xchg") => {}
            other => {
                return Err(InferError::value_error(format!(
                    "atomic combine must be add, max, min, and, or, xor or xchg, got {}",
                    other.unwrap_or("nothing")
                )));
            }
        }
        let access = Access::new(context, "atomic", 1)?;
        access.check_value(context, "swap", 1)?;
        access.check_mask(context, "atomic")?;
        Ok(rule::one(access.tile()))
    },
    kind: OpKind::Memory(MemoryOp::Atomic),
};

/// A Ref to part of a Ref (`ref.at[index]`). Operands: ref, indices.... Attribute: `index`. Result: a Ref in the same space;
/// along parts of computed length its extents are bounds. What integer arrays select lies anywhere in the Ref: copies gather
/// and scatter it.
pub static VIEW: OpDef = OpDef {
    name: "view",
    doc: "A Ref to part of a Ref; operands: ref, indices...",
    attributes: &["index"],
    infer: |context| {
        let access = Access::new(context, "view", 0)?;
        rule::count(context, "view", 1 + access.pattern.operand_count())?;
        let kept: Vec<&DimIndex> =
            access.pattern.0.iter().filter(|dim| !matches!(dim, DimIndex::At(_) | DimIndex::Array)).collect();
        // The dimensions of the arrays stand between those of the slices.
        let (first, of_arrays) = (access.pattern.array_position(), access.shape.rank() - kept.len());
        let parts = kept.iter().enumerate().filter(|(_, dim)| matches!(dim, DimIndex::Part { .. }));
        let bounded = parts.map(|(axis, _)| if axis < first { axis } else { axis + of_arrays });
        let layout = smallvec::SmallVec::new();
        let part = RefType { bounded: bounded.collect(), shape: access.shape, layout, ..access.reference.clone() };
        Ok(smallvec::smallvec![Type::Ref(part)])
    },
    kind: OpKind::Memory(MemoryOp::View),
};

/// A Ref to the same memory in another shape (`ref.reshape`), as another dtype (`ref.bitcast`), or with its dimensions in
/// another order (`ref.transpose`). Operand: ref. Attributes: `shape`, `dtype` or `permutation`. To a dtype of another width the second-minor dimension stretches or shrinks, as in
/// `pltpu.bitcast`. Result: a Ref in the same space.
pub static REINTERPRET: OpDef = OpDef {
    name: "reinterpret",
    doc: "A Ref to the same memory in another `shape`, as another `dtype`, or with dimensions permuted; operand: ref",
    attributes: &["shape", "dtype", "permutation"],
    infer: |context| {
        rule::count(context, "reinterpret", 1)?;
        let Some(Type::Ref(reference)) = context.operands.first() else {
            return Err(InferError::value_error("reinterpret takes a Ref"));
        };
        let mut result = reference.clone();
        result.layout.clear();
        if let Some(dtype) = context.attributes.dtype("dtype") {
            result.shape = bitcast_shape(reference, dtype)?;
            result.dtype = dtype;
        } else if let Some(permutation) = context.attributes.ints("permutation") {
            result.shape = permuted_shape(reference, permutation)?;
        } else {
            let sizes = context.attributes.ints("shape").ok_or_else(|| rule::missing("reinterpret", "shape"))?;
            let sizes: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
            let shape = Shape::from(sizes.unwrap_or_default());
            if shape.checked_size() != reference.shape.checked_size() {
                return Err(InferError::value_error(format!(
                    "cannot reshape ref of shape {} into shape {shape}",
                    reference.shape
                )));
            }
            result.shape = shape;
        }
        Ok(smallvec::smallvec![Type::Ref(result)])
    },
    kind: OpKind::Memory(MemoryOp::Reinterpret),
};

/// The extents in another order.
fn permuted_shape(reference: &RefType, permutation: &[i64]) -> Result<Shape, InferError> {
    let mut seen = vec![false; reference.shape.rank()];
    let extents: Option<Shape> = permutation
        .iter()
        .map(|&axis| {
            let axis = usize::try_from(axis).ok().filter(|&axis| axis < seen.len())?;
            (!std::mem::replace(&mut seen[axis], true)).then(|| reference.shape[axis])
        })
        .collect();
    extents.filter(|extents| extents.rank() == seen.len()).ok_or_else(|| {
        InferError::value_error(format!(
            "Permutation {permutation:?} does not match the rank of the ref ({})",
            reference.shape.rank()
        ))
    })
}

/// `eval_bitcast_shape` of jax/_src/state/utils.py.
fn bitcast_shape(reference: &RefType, dtype: DType) -> Result<Shape, InferError> {
    let (from, to) = (reference.dtype.bits() as usize, dtype.bits() as usize);
    if from == to {
        return Ok(reference.shape.clone());
    }
    let mut shape = reference.shape.to_vec();
    let Some(second_minor) = shape.len().checked_sub(2) else {
        return Err(InferError {
            exception: "NotImplementedError",
            message: "Bitcast 1D ref with bitwidth change is not supported.".to_string(),
            code: "",
            explained: None,
        });
    };
    if !(shape[second_minor] * from).is_multiple_of(to) {
        return Err(InferError::value_error(
            "Expected input and output shapes are the same after multiplying the second-minor dimension by the bitwidths.",
        ));
    }
    shape[second_minor] = shape[second_minor] * from / to;
    Ok(shape.into())
}

/// A subscript with its operands, checked.
struct Access<'a> {
    reference: &'a RefType,
    pattern: &'a IndexPattern,
    /// What the subscript selects.
    shape: Shape,
    /// The first operand after the index operands.
    rest: usize,
}

impl<'a> Access<'a> {
    /// Operands before the indices: the Ref, and `values` values.
    fn new(context: &'a InferContext<'_>, name: &str, values: usize) -> Result<Access<'a>, InferError> {
        let reference = match context.operands.first() {
            Some(Type::Ref(ty)) => ty,
            Some(Type::Tensor(ty)) => {
                return Err(InferError::value_error(format!("`{name}` must be called on `Ref` types: {ty}.")));
            }
            None => return Err(InferError::type_error(format!("{name} takes a Ref"))),
        };
        let pattern = context.attributes.index().ok_or_else(|| rule::missing(name, "index"))?;
        if name != "view" && pattern.0.iter().any(|dim| matches!(dim, DimIndex::Part { .. })) {
            return Err(InferError::type_error(format!(
                "{name}: how many elements the subscript selects is a traced value, but the shape of a tile has to be known"
            ))
            .with_code("PL307")
            .explained(
                "how many elements this subscript selects is a traced value, but the shape of a tile has to be known",
                "select as many as there can be, and mask what is too much: `jnp.where(iota < n, x, 0)`; a copy \
                 (`pltpu.make_async_copy`) may have a traced size",
            ));
        }
        for (axis, dim) in pattern.0.iter().enumerate() {
            let extent = reference.shape.get(axis).copied().unwrap_or(0);
            if let DimIndex::Part { bound, .. } = dim
                && *bound > extent
            {
                return Err(InferError::value_error(format!("{name}: a part of at most {bound} elements of {extent}")));
            }
        }
        if pattern.0.len() != reference.shape.rank() {
            return Err(InferError::value_error(format!(
                "{name}: an index of {} entries does not fit a Ref of shape {}",
                pattern.0.len(),
                reference.shape
            )));
        }
        let first = 1 + values;
        let rest = first + pattern.operand_count();
        let Some(operands) = context.operands.get(first..rest) else {
            return Err(InferError::type_error(format!(
                "{name} takes {} index operands, got {}",
                pattern.operand_count(),
                context.operands.len().saturating_sub(first)
            )));
        };
        let mut arrays = Vec::new();
        for (kind, operand) in pattern.operands().zip(operands) {
            let Type::Tensor(index) = operand else {
                return Err(InferError::type_error(format!("{name}: an index operand is a Ref")));
            };
            if !index.dtype.is_integer() {
                return Err(InferError::type_error(format!(
                    "{name}: an index operand must be of an integer dtype, got {index}"
                ))
                .with_code("PL304"));
            }
            if kind == IndexOperand::Array {
                arrays.push(&index.shape);
            } else if index.shape.rank() > 0 {
                return Err(InferError::type_error(format!("{name}: a position must be a scalar, got {index}")));
            }
        }
        let index_shape = Shape::broadcast(&arrays).ok_or_else(|| {
            let shapes: Vec<String> = arrays.iter().map(|shape| shape.to_string()).collect();
            InferError::value_error(format!("Could not broadcast integer indexers of shapes {}", shapes.join(", ")))
                .with_code("PL303")
        })?;
        Ok(Access { reference, pattern, shape: pattern.result_shape(&index_shape), rest })
    }

    fn tile(&self) -> TensorType {
        TensorType::new(self.reference.dtype, self.shape.clone())
    }

    /// The index as JAX prints it; `first` is the first operand that belongs to it. Of a whole Ref it is nothing.
    fn transforms(&self, context: &InferContext<'_>, first: usize) -> String {
        let shape = &self.reference.shape;
        let whole = |(dim, &extent): (&DimIndex, &usize)| matches!(dim, DimIndex::Slice { start: Position::Static(0), size, stride: 1 } if *size == extent);
        if self.pattern.0.iter().zip(shape.iter()).all(whole) {
            return "()".to_string();
        }
        let mut arrays = Vec::new();
        let mut operands = context.operands.iter().skip(first).filter_map(Type::tensor);
        let mut traced = || match operands.next() {
            Some(ty) => {
                if ty.shape.rank() > 0 {
                    arrays.push(ty.shape.clone());
                }
                let dims: Vec<String> = ty.shape.iter().map(usize::to_string).collect();
                format!("ShapedArray({}[{}])", ty.dtype, dims.join(","))
            }
            None => "ShapedArray(int32[])".to_string(),
        };
        let mut position = |position: &Position, number: bool| match position {
            Position::Static(_) if number => "ShapedArray(int32[], weak_type=True)".to_string(),
            Position::Static(at) => at.to_string(),
            Position::Dynamic => traced(),
        };
        let mut parts = Vec::new();
        for dim in &self.pattern.0 {
            parts.push(match dim {
                DimIndex::At(at) => position(at, true),
                DimIndex::Slice { start, size, stride } => {
                    format!("Slice(start={}, size={size}, stride={stride})", position(start, false))
                }
                DimIndex::Part { start, .. } => {
                    let start = position(start, false);
                    format!("Slice(start={start}, size={}, stride=1)", position(&Position::Dynamic, false))
                }
                DimIndex::Array => position(&Position::Dynamic, true),
            });
        }
        let comma = if parts.len() == 1 { "," } else { "" };
        let arrays: Vec<&Shape> = arrays.iter().collect();
        let indexers = Shape::broadcast(&arrays).unwrap_or_default();
        format!(
            "(NDIndexer(indices=({}{comma}), shape={shape}, int_indexer_shape={indexers}, validate=False),)",
            parts.join(", ")
        )
    }

    /// `_swap_abstract_eval` of state/primitives.py.
    fn check_value(&self, context: &InferContext<'_>, name: &str, operand: usize) -> Result<(), InferError> {
        let value = match context.operands.get(operand) {
            Some(Type::Tensor(value)) => value,
            _ => {
                return Err(InferError::value_error(
                    "Cannot store a Ref into another Ref. Did you forget to load from it using `[...]`?",
                ));
            }
        };
        if value.shape != self.shape {
            return Err(InferError::value_error(format!(
                "Invalid shape for `{name}`. Ref shape: {}. Expected shape: {}. Value shape: {}. Transforms: {}. ",
                self.reference.shape,
                self.shape,
                value.shape,
                self.transforms(context, operand + 1)
            ))
            .with_code("PL301")
            .explained(
                format!("this stores a value of shape {} where the Ref has {}", value.shape, self.shape),
                "a stored value is not broadcast: give it this shape (`keepdims=True`, `x[:, None]`, `jnp.broadcast_to`), or \
                 store to the part of the Ref that it is for",
            ));
        }
        if value.dtype != self.reference.dtype {
            return Err(InferError::value_error(format!(
                "Invalid dtype for `{name}`. Ref dtype: {}. Value dtype: {}. ",
                self.reference.dtype, value.dtype
            ))
            .with_code("PL302")
            .explained(
                format!("this stores {} into a Ref of {}", value.dtype, self.reference.dtype),
                "a stored value is not converted: `value.astype(ref.dtype)`",
            ));
        }
        Ok(())
    }

    fn check_mask(&self, context: &InferContext<'_>, name: &str) -> Result<(), InferError> {
        let masked = context.attributes.flag("masked");
        let other = context.attributes.flag("other");
        if other && !masked {
            return Err(InferError::value_error(format!("{name}: `other` has no meaning without a mask")));
        }
        rule::count(context, name, self.rest + usize::from(masked) + usize::from(other))?;
        let fits = |shape: &Shape| Shape::broadcast(&[shape, &self.shape]).as_ref() == Some(&self.shape);
        if masked {
            let mask = context.tensor(self.rest)?;
            if !fits(&mask.shape) {
                return Err(InferError::value_error(format!(
                    "Cannot broadcast mask shape {} to {name} shape {}",
                    mask.shape, self.shape
                ))
                .with_code("PL303"));
            }
            if mask.dtype != DType::Bool {
                return Err(
                    InferError::type_error(format!("the mask of a {name} must be bool, got {mask}")).with_code("PL304")
                );
            }
        }
        if other {
            let value = context.tensor(self.rest + 1)?;
            if !fits(&value.shape) {
                return Err(InferError::value_error(format!(
                    "Cannot broadcast other shape {} to {name} shape {}",
                    value.shape, self.shape
                ))
                .with_code("PL303"));
            }
            rule::same_dtypes(name, &[value, &self.tile()])?;
        }
        Ok(())
    }
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&LOAD, &STORE, &SWAP, &ATOMIC, &VIEW, &REINTERPRET].into_iter()
}
