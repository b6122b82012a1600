//! Products of GPU tensor cores: into the registers of a warpgroup (`wgmma`, Hopper) and into tensor memory (`tcgen05`,
//! Blackwell). They go on while the kernel does; a wait or a barrier says when they are done. Refusals are in the words of
//! jax/_src/pallas/mosaic_gpu/primitives.py.

use super::barriers::{barrier, reference};
use super::rule;
use super::transfers::flag;
use crate::op::{AgentOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{MemorySpace, RefType, Type};

/// Operands: accumulator (a Ref to registers), left factor (a Ref to shared memory, or a tile), right factor (a Ref to
/// shared memory). No results.
pub static WGMMA: OpDef = OpDef {
    name: "wgmma",
    doc: "Starts `acc += a @ b` on a warpgroup's tensor cores; operands: acc, a, b",
    attributes: &[],
    infer: |context| {
        rule::count(context, "wgmma", 3)?;
        let acc = reference(context, 0, "acc", &[MemorySpace::Registers])?;
        let b = reference(context, 2, "b", &[MemorySpace::Shared])?;
        let a = match &context.operands[1] {
            Type::Ref(_) => Type::Ref(reference(context, 1, "a", &[MemorySpace::Shared])?.clone()),
            tile => tile.clone(),
        };
        let ([m, n], [m2, k], [k2, n2]) = (matrix(&acc.shape)?, matrix(a.shape())?, matrix(&b.shape)?);
        if m != m2 || n != n2 || k != k2 {
            return Err(InferError::value_error(format!(
                "Incompatible shapes for matrix multiplication: lhs={}, rhs=b.shape={}, acc={}",
                a.shape(),
                b.shape,
                acc.shape
            ))
            .with_code("PL303"));
        }
        if a.dtype() != b.dtype {
            return Err(InferError::value_error(format!(
                "Mixed input dtypes for matrix multiplication unsupported: lhs={}, rhs={}",
                a.dtype(),
                b.dtype
            ))
            .with_code("PL302"));
        }
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Product),
};

/// No operands. Attribute `count`: how many products of this thread may still be under way.
pub static WGMMA_WAIT: OpDef = OpDef {
    name: "wgmma_wait",
    doc: "Waits until at most `count` products are under way",
    attributes: &["count"],
    infer: |context| {
        rule::count(context, "wgmma_wait", 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::ProductWait),
};

/// Operands: accumulator (tensor memory), left factor (shared or tensor memory), right factor (shared memory), whether to
/// add to what is there (`bool`); then what the flags `barrier`, `scaled` (two Refs) and `sparse` say. Attribute `axis`: one
/// more than the axis of the grid along which two blocks multiply together. No results.
pub static TCGEN05_MMA: OpDef = OpDef {
    name: "tcgen05_mma",
    doc: "Starts a product into tensor memory; operands: acc, a, b, accumulate, barrier?, scales?, metadata?",
    attributes: &["axis", "barrier", "scaled", "sparse"],
    infer: |context| {
        let flags = ["barrier", "scaled", "scaled", "sparse"];
        let more = flags.iter().filter(|name| context.attributes.flag(name)).count();
        rule::count(context, "tcgen05_mma", 4 + more)?;
        let place = |index: usize, spaces: &[MemorySpace], refusal: &str| match &context.operands[index] {
            Type::Ref(ty) if spaces.contains(&ty.space) => Ok(ty),
            _ => Err(InferError::value_error(refusal.to_string()).with_code("PL340")),
        };
        let acc = place(0, &[MemorySpace::Tmem], "Accumulator must be a TMEM Ref.")?;
        let a = place(1, &[MemorySpace::Shared, MemorySpace::Tmem], "LHS must be a TMEM/SMEM Ref.")?;
        let b = place(2, &[MemorySpace::Shared], "RHS must be an SMEM Ref.")?;
        flag(context, 3, "accumulate")?;
        factors_fit(context, acc, a, b)?;
        let mut next = 4;
        if context.attributes.flag("barrier") {
            orders_tensor_core(context, next)?;
            next += 1;
        }
        if context.attributes.flag("scaled") {
            place(next, &[MemorySpace::Tmem], "a_scale must be a TMEM Ref")?;
            place(next + 1, &[MemorySpace::Tmem], "b_scale must be a TMEM Ref")?;
        }
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Mma),
};

/// Operand: barrier, which is arrived at when the products that this thread has started are done. Attribute `axis` as for
/// [`TCGEN05_MMA`]: the barriers of both blocks.
pub static TCGEN05_COMMIT: OpDef = OpDef {
    name: "tcgen05_commit",
    doc: "Arrives at a barrier when the products into tensor memory are done",
    attributes: &["axis"],
    infer: |context| {
        rule::count(context, "tcgen05_commit", 1)?;
        orders_tensor_core(context, 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::MmaCommit),
};

/// Operands: source (shared memory), destination (tensor memory). Attributes: `what` (`"data"`, `"scales"` or
/// `"metadata"`), `axis` as for [`TCGEN05_MMA`]. No results.
pub static COPY_TO_TMEM: OpDef = OpDef {
    name: "copy_to_tmem",
    doc: "Starts a copy from shared into tensor memory; operands: source, destination",
    attributes: &["what", "axis"],
    infer: |context| {
        rule::count(context, "copy_to_tmem", 2)?;
        let what = context.attributes.str("what").unwrap_or("data");
        let name = match what {
            "scales" => "async_copy_scales_to_tmem",
            "metadata" => "async_copy_sparse_metadata_to_tmem",
            _ => "async_copy_smem_to_tmem",
        };
        let refuse = |text: String| Err(InferError::value_error(text).with_code("PL340"));
        let (source, destination) = match context.operands {
            [Type::Ref(source), Type::Ref(destination)] => (source, destination),
            _ => return refuse(format!("{name} copies from Ref to Ref")),
        };
        if source.space != MemorySpace::Shared {
            return refuse(format!("{name} source must be an SMEM ref"));
        }
        if destination.space != MemorySpace::Tmem {
            return refuse(format!("{name} target must be a TMEM ref"));
        }
        if what == "data" && source.dtype != destination.dtype {
            return refuse(format!(
                "Expected SMEM element type ({}) to equal the TMEM element type ({})",
                source.dtype, destination.dtype
            ));
        }
        if what == "data" && source.shape != destination.shape {
            return refuse(format!(
                "Expected SMEM reference shape {} to equal the TMEM reference shape {}",
                source.shape, destination.shape
            ));
        }
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::CopyToTmem),
};

fn matrix(shape: &[usize]) -> Result<[usize; 2], InferError> {
    <[usize; 2]>::try_from(shape).map_err(|_| {
        InferError::value_error(format!(
            "factors and accumulators of products have two dimensions, got {}",
            shape.len()
        ))
        .with_code("PL303")
    })
}

fn factors_fit(context: &InferContext<'_>, acc: &RefType, a: &RefType, b: &RefType) -> Result<(), InferError> {
    let ([acc_m, acc_n], [m, k], [k2, n]) = (matrix(&acc.shape)?, matrix(&a.shape)?, matrix(&b.shape)?);
    let refuse = |text: String| Err(InferError::value_error(text).with_code("PL303"));
    if acc_m != m {
        return refuse(format!(
            "Accumulator and LHS have incompatible shapes. Expected LHS to have shape (m, k) and accumulator to have shape \
             (m, n). Accumulator: {}. LHS: {}.",
            acc.shape, a.shape
        ));
    }
    let together = context.attributes.int("axis").is_some();
    if together && acc_n != n * 2 {
        return refuse(format!(
            "Accumulator and RHS have incompatible shapes. Expected RHS to have shape (k, n) and accumulator to have shape \
             (m, n * 2) in collective mode. Accumulator: {}. RHS: {}.",
            acc.shape, b.shape
        ));
    }
    if !together && acc_n != n {
        return refuse(format!(
            "Accumulator and RHS have incompatible shapes. Expected RHS to have shape (k, n) and accumulator to have shape \
             (m, n). Accumulator: {}. RHS: {}.",
            acc.shape, b.shape
        ));
    }
    let factor = 1 + usize::from(context.attributes.flag("sparse"));
    if k * factor != k2 {
        return refuse(format!("LHS and RHS have incompatible shapes. LHS: {}. RHS: {}.", a.shape, b.shape));
    }
    Ok(())
}

fn orders_tensor_core(context: &InferContext<'_>, index: usize) -> Result<(), InferError> {
    match barrier(context, index)?.tensor_core {
        true => Ok(()),
        false => {
            Err(InferError::value_error("MMA barrier must have orders_tensor_core set to True.").with_code("PL340"))
        }
    }
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&WGMMA, &WGMMA_WAIT, &TCGEN05_MMA, &TCGEN05_COMMIT, &COPY_TO_TMEM].into_iter()
}
