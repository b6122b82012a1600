//! Runs kernel IR on the CPU with the semantics of JAX's interpret mode (`pallas/hlo_interpreter.py`,
//! `state/discharge.py`, JAX 0.10.2): programs in row-major order, arrays padded to whole blocks, out-of-bounds blocks
//! and subscripts repaired the way JAX repairs them.
//!
//! A function is flattened once into a [`tape`]: steps over numbered registers, with constants in place and last uses
//! marked, so that buffers move from step to step instead of being copied. A [`LaunchPlan`] runs a kernel's tape once
//! per program, on several threads if its caller allows it and programs leave each other alone; [`run_function`] runs a
//! host function, launches included. The crate reads no clock, prints nothing and judges nothing: what its caller may want
//! to know goes through [`Hooks`].

mod access;
mod accesses;
mod affine;
mod agents;
mod apart;
mod arena;
mod batch;
mod beyond;
mod block_plan;
mod blocks;
mod clock;
mod coming;
mod control;
mod copies;
mod counts;
mod error;
mod fill;
mod function;
mod fused;
mod hooks;
mod journal;
mod later;
mod launch;
mod machine;
mod memory;
mod numbers;
mod outputs;
mod outside;
mod parallel;
mod pipeline;
mod print;
mod product;
mod proofs;
mod races;
mod ready;
mod rehearsal;
mod reinterpret;
mod run;
mod scalars;
mod semaphores;
mod steered;
mod strict;
mod tape;
mod times;
mod unmade;
mod upcoming;
mod views;
mod visits;

pub use error::{Others, RunError, RunErrorKind};
pub use function::{FunctionPlan, run_function};
pub use hooks::{
    CopyTimes, Hooks, NoHooks, OutOfBounds, ProgramEvent, StageTimes, StoreEvent, TileEvent, Unmatched,
    UnmatchedSemaphore,
};
pub use launch::{LaunchPlan, run_launch};
pub use print::format_debug_print;
pub use races::{EngineKind, Hazard, MissingEdge, RacingAccess};
pub use rehearsal::{follow, rehearse};
pub use strict::{Cause, Undefined, alike, differing};
pub use times::{LaneCause, LaneKind, LaneStage, Pace, TimedEvent, TimedLane, TimedLanes};

use pallas_ir::Interpretation;
use pallas_tensor::{Array, DType, Kind, OpError, Scalar, Shape};

/// What memory holds before it is written, as `uninitialized_value` of pallas/primitives.py: NaN, the smallest integer,
/// false.
///
/// # Errors
/// If the array would not fit in memory.
pub fn uninitialized(dtype: DType, shape: Shape) -> Result<Array, OpError> {
    Array::full(dtype, shape, uninitialized_element(dtype))
}

/// What memory of a launch holds before it is written: as above, or as JAX's simulator of devices has it.
pub(crate) fn fresh(dtype: DType, shape: Shape, interpretation: Interpretation) -> Result<Array, OpError> {
    Array::full(dtype, shape, fill::memory(dtype, interpretation))
}

pub(crate) fn fresh_element(dtype: DType, interpretation: Interpretation) -> Scalar {
    match (interpretation, dtype.kind()) {
        _ if interpretation.zeroed() => Scalar::zero(dtype),
        (Interpretation::Device(_), Kind::Signed | Kind::Unsigned) => {
            Scalar::Int(dtype.iinfo().map_or(0, |info| info.max))
        }
        (Interpretation::Device(_), Kind::Bool) => Scalar::Bool(true),
        _ => uninitialized_element(dtype),
    }
}

pub(crate) fn uninitialized_element(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Float => Scalar::Float(f64::NAN),
        Kind::Signed | Kind::Unsigned => Scalar::Int(dtype.iinfo().map_or(0, |info| info.min)),
        Kind::Bool | Kind::Key => Scalar::zero(dtype),
    }
}
