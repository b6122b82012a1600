//! What GPU kernels reach beyond their block: Refs of other blocks and devices, stores and signals to all of them, the next
//! block of the grid, fences, and code in another language. Refusals are in the words of
//! jax/_src/pallas/mosaic_gpu/primitives.py.

use super::barriers::{barrier, reference};
use super::rule;
use super::semaphores::targets_are_integers;
use crate::op::{AgentOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{MemorySpace, RefType, TensorType, Type};
use pallas_tensor::{DType, Shape};

/// Operands: Ref, then where. Attributes: `what` (`"cluster"`: one index per axis of the grid in `axes`; `"device"`: ids as
/// `device` counts them, or along the mesh axes `names`; `"devices"`: all along the mesh axes `names`). Which axes of the grid
/// those are is in `devices`, -1 where nothing maps over one yet. Result: the Ref there.
pub static REACH: OpDef = OpDef {
    name: "reach",
    doc: "The same Ref in another block of the cluster or on other devices; operands: ref, where...",
    attributes: &["what", "axes", "device", "names", "devices"],
    infer: |context| {
        let reference = any_ref(context)?;
        targets_are_integers(context, 1)?;
        Ok(smallvec::smallvec![Type::Ref(reference.clone())])
    },
    kind: OpKind::Agent(AgentOp::Reach),
};

/// Operands: value, Ref. Attributes: `names`, the mesh axes, and `devices` as for [`REACH`]. No results.
pub static STORE_EVERYWHERE: OpDef = OpDef {
    name: "store_everywhere",
    doc: "Stores to a Ref on all devices; operands: value, ref",
    attributes: &["names", "devices"],
    infer: |context| {
        rule::count(context, "store_everywhere", 2)?;
        let (value, place) = (context.tensor(0)?, reference(context, 1, "ref", GLOBAL)?);
        if value.dtype != place.dtype {
            return Err(InferError::value_error(format!(
                "Value dtype {} does not match ref dtype {}",
                value.dtype, place.dtype
            ))
            .with_code("PL302"));
        }
        if value.shape != place.shape {
            return Err(InferError::value_error(format!(
                "Value shape {} does not match ref shape {}",
                value.shape, place.shape
            ))
            .with_code("PL301"));
        }
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::StoreEverywhere),
};

/// Operand: Ref. Attributes: `names` and `devices`, the mesh axes; `reduce`, how. Result: what the devices hold there, folded.
pub static LOAD_EVERYWHERE: OpDef = OpDef {
    name: "load_everywhere",
    doc: "What all devices hold in a Ref, folded",
    attributes: &["names", "devices", "reduce"],
    infer: |context| {
        rule::count(context, "load_everywhere", 1)?;
        let place = reference(context, 0, "ref", GLOBAL)?;
        Ok(rule::one(TensorType::new(place.dtype, place.shape.clone())))
    },
    kind: OpKind::Agent(AgentOp::LoadEverywhere),
};

/// Operands: semaphore, how much. Attributes `names` and `devices`: the mesh axes. No results.
pub static SIGNAL_EVERYWHERE: OpDef = OpDef {
    name: "signal_everywhere",
    doc: "Adds to a semaphore on all devices; operands: semaphore, how much",
    attributes: &["names", "devices"],
    infer: |context| {
        rule::count(context, "signal_everywhere", 2)?;
        let semaphore = any_ref(context)?;
        if !semaphore.space.is_semaphore() {
            return Err(InferError::value_error(format!("Cannot signal on a non-semaphore Ref: {semaphore}"))
                .with_code("PL320"));
        }
        targets_are_integers(context, 1)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::SignalEverywhere),
};

/// Operands: where the answer goes (16 bytes of shared memory), barrier. No results.
pub static CLUSTER_CANCEL: OpDef = OpDef {
    name: "cluster_cancel",
    doc: "Asks for the next cluster that has not begun; operands: where the answer goes, barrier",
    attributes: &[],
    infer: |context| {
        rule::count(context, "cluster_cancel", 2)?;
        reference(context, 0, "result_ref", &[MemorySpace::Shared])?;
        barrier(context, 1)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Cancel),
};

/// Operand: the answer. Attribute `axes`: axes of the grid. Results: the block's index along each (`i32`), and whether there
/// was one (`bool`).
pub static CLUSTER_CANCEL_RESULT: OpDef = OpDef {
    name: "cluster_cancel_result",
    doc: "The block that was given, and whether there was one",
    attributes: &["axes"],
    infer: |context| {
        rule::count(context, "cluster_cancel_result", 1)?;
        reference(context, 0, "result_ref", &[MemorySpace::Shared])?;
        let axes = context.attributes.ints("axes").map_or(0, <[i64]>::len);
        let index = Type::Tensor(TensorType::scalar(DType::I32));
        let found = Type::Tensor(TensorType::scalar(DType::Bool));
        Ok(std::iter::repeat_n(index, axes).chain([found]).collect())
    },
    kind: OpKind::Agent(AgentOp::CancelResult),
};

/// No operands. Attributes: `what` (`"shared"`, `"tensor"`, `"tensor_loads"`, `"previous"`, `"next"`, `"registers"`), and for
/// registers `count`. Orders accesses of this thread, or says something to the compiler.
pub static FENCE: OpDef = OpDef {
    name: "fence",
    doc: "Orders accesses of this thread to a kind of memory, or sets how many registers it has",
    attributes: &["what", "count"],
    infer: |context| {
        rule::count(context, "fence", 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Fence),
};

/// No operands. Attributes: `shape`; `barrier`, whether it is a barrier semaphore. Result: semaphores that stay from launch to
/// launch, others for each place that asks.
pub static GLOBAL_SEMAPHORE: OpDef = OpDef {
    name: "global_semaphore",
    doc: "Semaphores that stay from launch to launch",
    attributes: &["shape", "barrier"],
    infer: |context| {
        rule::count(context, "global_semaphore", 0)?;
        let space = match context.attributes.flag("barrier") {
            true => MemorySpace::BarrierSemaphore,
            false => MemorySpace::Semaphore,
        };
        let shape = context.attributes.ints("shape").unwrap_or_default();
        let shape: Shape = shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect();
        Ok(smallvec::smallvec![Type::Ref(RefType::new(DType::I32, shape, space))])
    },
    kind: OpKind::Agent(AgentOp::Global),
};

/// Operands: anything. Attributes: `dtypes` (names with commas) and `shapes` of the results. Code that is not modelled.
pub static FOREIGN: OpDef = OpDef {
    name: "foreign",
    doc: "Code in another language; operands: anything",
    attributes: &["dtypes", "shapes"],
    infer: |context| {
        let names = context.attributes.str("dtypes").unwrap_or_default();
        let shapes = context.attributes.int_lists("shapes").unwrap_or_default();
        let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
        if names.len() != shapes.len() {
            return Err(InferError::type_error("foreign: there are not as many shapes as dtypes"));
        }
        names
            .iter()
            .zip(shapes)
            .map(|(name, shape)| {
                let dtype = DType::all().find(|dtype| dtype.short_name() == *name || dtype.name() == *name);
                let dtype =
                    dtype.ok_or_else(|| InferError::type_error(format!("foreign: there is no dtype {name}")))?;
                let shape: Shape = shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect();
                Ok(Type::Tensor(TensorType::new(dtype, shape)))
            })
            .collect()
    },
    kind: OpKind::Agent(AgentOp::Foreign),
};

/// Where main memory is.
const GLOBAL: &[MemorySpace] = &[MemorySpace::Gmem, MemorySpace::Any, MemorySpace::Default];

fn any_ref<'a>(context: &'a InferContext<'_>) -> Result<&'a RefType, InferError> {
    match context.operands.first() {
        Some(Type::Ref(ty)) => Ok(ty),
        _ => Err(InferError::type_error("ref must be a reference")),
    }
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [
        &REACH,
        &STORE_EVERYWHERE,
        &LOAD_EVERYWHERE,
        &SIGNAL_EVERYWHERE,
        &CLUSTER_CANCEL,
        &CLUSTER_CANCEL_RESULT,
        &FENCE,
        &GLOBAL_SEMAPHORE,
        &FOREIGN,
    ]
    .into_iter()
}
