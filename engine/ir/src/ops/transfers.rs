//! Copies that a GPU's engines make between global and shared memory. Those into shared memory arrive at a barrier, those
//! out of it are counted in groups that their thread waits for.

use super::barriers::{barrier, reference};
use super::rule;
use crate::op::{AgentOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{MemorySpace, RefType, TensorType, Type};
use pallas_tensor::DType;

/// Where main memory is.
const GLOBAL: &[MemorySpace] =
    &[MemorySpace::Gmem, MemorySpace::Any, MemorySpace::Default, MemorySpace::Hbm, MemorySpace::Host];

/// Shared memory.
const SHARED: &[MemorySpace] = &[MemorySpace::Shared];

/// Operands: source, destination, barrier. Attributes: `axes`, axes
/// of the grid along which the blocks of a cluster make the copy together; `partitioned`, the dimension of the destination
/// of which each of them gets its part; `leader`, that all get the same; in both cases only the first of the blocks counts
/// what has arrived. `oob`, what lies outside reads as. No results.
pub static COPY_IN: OpDef = OpDef {
    name: "copy_in",
    doc: "Starts a copy from global into shared memory; operands: source, destination, barrier",
    attributes: &["axes", "partitioned", "leader", "oob"],
    infer: |context| {
        let source = reference(context, 0, "src", GLOBAL)?;
        let destination = reference(context, 1, "dst", SHARED)?;
        barrier(context, 2)?;
        rule::count(context, "copy_in", 3)?;
        if context.attributes.int("partitioned").is_some() && context.attributes.ints("axes").is_none() {
            return Err(InferError::value_error("`collective_axes` must be specified when `leader_tracked` is set"));
        }
        let mut taken = source.clone();
        // How many blocks make the copy together, the launch says.
        let part = context.attributes.int("partitioned").and_then(|axis| usize::try_from(axis).ok());
        if let Some(axis) = part
            && let (Some(&extent), Some(whole)) = (destination.shape.get(axis), taken.shape.get_mut(axis))
            && whole.is_multiple_of(extent.max(1))
        {
            *whole = extent;
        }
        fits(&taken, destination)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::CopyIn),
};

/// Operands: source, destination; with `predicated`, whether it is made (`bool`). Attributes: `open`, that the group stays
/// open; `reduce`, how elements are combined with those at the destination. No results.
pub static COPY_OUT: OpDef = OpDef {
    name: "copy_out",
    doc: "Starts a copy from shared into global memory; operands: source, destination, predicate?",
    attributes: &["predicated", "open", "reduce"],
    infer: |context| {
        let source = reference(context, 0, "src", SHARED)?;
        let destination = reference(context, 1, "dst", GLOBAL)?;
        let predicated = context.attributes.flag("predicated");
        rule::count(context, "copy_out", 2 + usize::from(predicated))?;
        if predicated {
            flag(context, 2, "predicate")?;
        }
        fits(source, destination)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::CopyOut),
};

/// No operands: closes the group of copies out of shared memory that this thread has started.
pub static COPY_COMMIT: OpDef = OpDef {
    name: "copy_commit",
    doc: "Closes the group of copies out of shared memory",
    attributes: &[],
    infer: |context| {
        rule::count(context, "copy_commit", 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Commit),
};

/// No operands. Attributes: `count`, how many groups may still be under way; `read_only`, that it is enough if the source has
/// been read.
pub static COPY_DRAIN: OpDef = OpDef {
    name: "copy_drain",
    doc: "Waits until at most `count` groups of copies out of shared memory are under way",
    attributes: &["count", "read_only"],
    infer: |context| {
        rule::count(context, "copy_drain", 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Drain),
};

/// Operand: a Ref to global memory. Attribute `axes` as for [`COPY_IN`].
pub static PREFETCH: OpDef = OpDef {
    name: "prefetch",
    doc: "Brings global memory into the cache",
    attributes: &["axes", "partitioned"],
    infer: |context| {
        rule::count(context, "prefetch", 1)?;
        reference(context, 0, "ref", GLOBAL)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Prefetch),
};

/// Operands: value, a Ref to shared memory, barrier, which block of the cluster. Attributes: `axis` of the grid that the
/// block is counted along; `combine`, how elements are combined with those that are there. No results.
pub static STORE_ACROSS: OpDef = OpDef {
    name: "store_across",
    doc: "Stores to another block's shared memory and arrives there; operands: value, ref, barrier, block",
    attributes: &["axis", "combine"],
    infer: |context| {
        rule::count(context, "store_across", 4)?;
        let value = context.tensor(0)?;
        let place = reference(context, 1, "ref", SHARED)?;
        barrier(context, 2)?;
        if value.shape != place.shape {
            return Err(InferError::type_error(format!(
                "The stored value has shape {}, but the target reference has shape {}",
                value.shape, place.shape
            ))
            .with_code("PL301"));
        }
        if value.dtype != place.dtype {
            return Err(InferError::type_error(format!(
                "The stored value has dtype {}, but the target reference has dtype {}",
                value.dtype, place.dtype
            ))
            .with_code("PL302"));
        }
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::StoreAcross),
};

/// A `bool` scalar.
pub(super) fn flag<'a>(context: &'a InferContext<'_>, index: usize, name: &str) -> Result<&'a TensorType, InferError> {
    let ty = context.tensor(index)?;
    if ty.dtype != DType::Bool || ty.shape.rank() > 0 {
        return Err(InferError::type_error(format!("{name} must be a bool scalar, got {}", Type::Tensor(ty.clone()))));
    }
    Ok(ty)
}

/// That as many elements of one dtype arrive as leave. Dimensions of 1 do not count: they are what a subscript leaves.
fn fits(source: &RefType, destination: &RefType) -> Result<(), InferError> {
    let extents = |ty: &RefType| ty.shape.iter().copied().filter(|&extent| extent != 1).collect::<Vec<_>>();
    if source.may_have_shape_of(destination) || extents(source) == extents(destination) {
        if source.dtype == destination.dtype {
            return Ok(());
        }
        return Err(InferError::value_error(format!(
            "Expected same element type, got {} and {}",
            source.dtype, destination.dtype
        ))
        .with_code("PL321"));
    }
    Err(InferError::value_error(format!(
        "Expected the SMEM reference to have the same shape as the transformed slice: {} != {}",
        destination.extents(),
        source.extents()
    ))
    .with_code("PL321"))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&COPY_IN, &COPY_OUT, &COPY_COMMIT, &COPY_DRAIN, &PREFETCH, &STORE_ACROSS].into_iter()
}
