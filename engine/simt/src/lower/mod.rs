//! Kernel IR to SIMT IR. The whole way, in order:
//!
//! 1. [`grid`]: which axes of the grid are blocks that run at the same time, and which are loops inside of a block, and in
//!    which order blocks go through programs ([`bands`]);
//! 2. [`operands`]: arrays become memories, and Refs that show the program's blocks of them;
//! 3. [`anchors`]: which tiles are dealt as products leave them, and [`rows`]: which products leave rows whole;
//! 4. the kernel's ops, one family per file: tiles become rows of registers dealt by one rule
//!    ([`Layout::blocked`](crate::layout::Layout::blocked)), [`refs`] and [`access`] find addresses and masks; what warpgroups of
//!    Mosaic GPU do to each other and have engines do is said in [`teams`] and [`transfers`];
//! 5. [`promote`]: memory that a loop uses at one place is kept in registers, and [`edges`]: what only its first or its last round
//!    does goes before it or behind it, and what nobody uses then ([`dead`]) goes;
//! 6. [`accumulate`]: what a product is added to is where it begins;
//! 7. [`dead`]: what nobody uses goes, and [`rounds`]: sums of warpgroups stay in their registers through loops;
//! 8. [`vectors`]: accesses to neighbours become one, as far as [`axis`] knows them to be neighbours;
//! 9. [`ahead`]: what loops load only to share it is copied rounds before;
//! 10. [`place`]: shared memory for what fits, memory of the block in the device's for the rest; what is never needed at the same time
//!     ([`lives`]) has the same bytes; of programs of warpgroups that is what their [`scopes`] say;
//! 11. [`barriers`]: barriers where threads could meet in memory;
//! 12. [`timed`]: where stores begin and end, if the kernel notes its times.
//!
//! From the lowering on the verifier looks after each. What is not lowered is a [`Refusal`] that names the op and its source line.

mod access;
mod accumulate;
mod again;
mod ahead;
mod anchors;
mod atomics;
mod axis;
mod bands;
pub mod barriers;
mod bits;
mod cast;
mod checks;
mod claims;
mod cluster;
mod context;
mod control;
mod copies;
mod cumulative;
mod dead;
mod dot;
mod edges;
mod effects;
mod elementwise;
mod fma;
pub(crate) mod fresh;
mod gather;
pub mod grid;
mod lives;
mod memory;
mod mma;
mod moves;
mod number;
mod operands;
mod pairs;
mod pipeline;
mod place;
mod products;
mod promote;
pub(crate) mod random;
mod reduce;
mod refs;
mod rewrite;
mod rounds;
mod rows;
mod scatter;
mod scopes;
mod semaphores;
mod slices;
mod sort;
mod sparse;
mod stage;
mod structural;
mod teams;
pub(crate) mod tensor;
mod tensor_copies;
mod terms;
pub(crate) mod timed;
mod touches;
mod transfers;
mod vectors;
mod warpgroups;
mod warps;

use crate::ir::{Kernel, Note, verify};
use crate::{Options, Refusal};
use context::Lower;
use pallas_ir::op::EffectOp;
use pallas_ir::{ControlOp, Launch, OpData, OpKind};
pub(crate) use teams::is_for_blackwell;

/// Lowers a launch.
///
/// # Errors
/// What cannot be lowered yet, or does not fit the architecture.
pub fn lower(launch: &Launch, options: Options) -> Result<Kernel, Refusal> {
    let warpgroups = options.architecture.capability == warpgroups::CAPABILITY && !launch.has_agents();
    match lower_with(launch, options, warpgroups) {
        // Factors of warpgroups can be in shared memory only, and there may be no room.
        Err(refusal) if warpgroups => {
            let mut kernel = lower_with(launch, options, false)?;
            let message = format!("products go by warps (mma.sync), not by warpgroups (wgmma): {refusal}");
            kernel.notes.push(Note { message, span: refusal.span });
            Ok(kernel)
        }
        lowered => lowered,
    }
}

/// Lowers a launch whose products may go by warpgroups, or may not.
fn lower_with(launch: &Launch, options: Options, warpgroups: bool) -> Result<Kernel, Refusal> {
    let architecture = options.architecture;
    let mut kernel = build(launch, options, warpgroups)?;
    checked(launch, "lowering", &kernel)?;
    // Programs of teams say themselves what is where, and what is copied when; others use the same memory.
    let alone = !launch.has_agents();
    if alone {
        promote::promote(&mut kernel);
        checked(launch, "keeping memory in registers", &kernel)?;
        edges::take_out(&mut kernel);
        dead::remove(&mut kernel);
        checked(launch, "taking out of loops what one round does", &kernel)?;
    }
    accumulate::accumulate(&mut kernel);
    checked(launch, "accumulating", &kernel)?;
    dead::remove(&mut kernel);
    checked(launch, "removing what nobody uses", &kernel)?;
    if alone {
        rounds::keep(&mut kernel);
        checked(launch, "leaving sums in products' registers", &kernel)?;
    }
    vectors::widen(&mut kernel);
    checked(launch, "widening accesses", &kernel)?;
    if alone {
        ahead::copy(&mut kernel, architecture, options.tuning.stages);
        dead::remove(&mut kernel);
        checked(launch, "copying ahead", &kernel)?;
        place::place(&mut kernel, architecture);
        if !place::has_factors(&kernel) {
            let name = &launch.kernel.name;
            let message = format!("`{name}` has more factors at a time than a block has shared memory for");
            return Err(Refusal::new(message, launch.spans.call).with_help("take smaller tiles"));
        }
        checked(launch, "placing memory", &kernel)?;
    } else {
        // Where it is looked for what depends on memory that nobody wrote, scopes do not find what others left, if there is room.
        let fits = |kernel: &Kernel| {
            crate::cuda::shared_bytes(kernel) <= architecture.shared_bytes
                && crate::cuda::columns(kernel) <= tensor::MOST
        };
        if options.garbage.is_none() || !fits(&kernel) {
            scopes::share(&mut kernel);
        }
        checked(launch, "sharing memory of scopes", &kernel)?;
    }
    barriers::insert(&mut kernel);
    checked(launch, "inserting barriers", &kernel)?;
    timed::stores(&mut kernel);
    checked(launch, "noting times", &kernel)?;
    let (wanted, most) = (crate::cuda::shared_bytes(&kernel), architecture.shared_bytes);
    if wanted > most {
        let message = format!("`{}` needs {wanted} bytes of shared memory, and a block has {most}", launch.kernel.name);
        return Err(Refusal::new(message, launch.spans.call).with_help("take smaller tiles, or fewer slots"));
    }
    Ok(kernel)
}

/// A kernel that is not well formed is a mistake of ours, and a refusal rather than wrong results.
fn checked(launch: &Launch, pass: &str, kernel: &Kernel) -> Result<(), Refusal> {
    verify(kernel).map_err(|wrong| {
        let span = if wrong.span == Default::default() { launch.spans.call } else { wrong.span };
        Refusal::new(format!("after {pass}, the kernel for the GPU is not well formed: {wrong}"), span)
            .with_help("this is a mistake of the workbench; run the kernel with `--device interpret`")
    })
}

fn build(launch: &Launch, options: Options, warpgroups: bool) -> Result<Kernel, Refusal> {
    if !launch.dynamic.is_empty() {
        return Err(Refusal::new(
            "the extent of the grid is not known",
            launch.spans.grid.unwrap_or(launch.spans.call),
        ));
    }
    teams::fits(launch, options.architecture)?;
    let plan = grid::plan(launch);
    let mut cx = Lower::new(launch, &plan, options, warpgroups);
    cx.programs(&plan)?;
    if launch.kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Agent(pallas_ir::op::AgentOp::CopyOut))) {
        // Shared memory stays until it was read.
        cx.b.add(crate::ir::Op::WaitSent { pending: 0, read: true }, &[], &[], Vec::new());
    }
    Ok(cx.b.finish())
}

impl Lower<'_> {
    /// One op, by its family.
    fn op(&mut self, op: &OpData) -> Result<(), Refusal> {
        self.fits_in_warp(op)?;
        match &op.op.kind {
            OpKind::Pure { .. } => self.pure(op),
            OpKind::Memory(memory) => self.memory_op(op, *memory),
            OpKind::Control(ControlOp::For) => self.lower_for(op),
            OpKind::Control(ControlOp::While) => self.lower_while(op),
            OpKind::Control(ControlOp::Cond) => self.lower_cond(op),
            OpKind::Control(ControlOp::Scoped) => self.lower_scoped(op),
            OpKind::Control(ControlOp::Pipeline) => self.lower_pipeline(op),
            OpKind::Copy(copy) => self.lower_copy(op, *copy),
            OpKind::Agent(agent) => self.lower_agent(op, *agent),
            OpKind::Semaphore(semaphore) => self.lower_semaphore(op, *semaphore),
            OpKind::Program(question) => self.lower_program(op, *question),
            OpKind::Effect(EffectOp::DebugPrint) => self.lower_print(op),
            _ => Err(self.refuse(op)),
        }
    }

    /// Functions of tiles.
    fn pure(&mut self, op: &OpData) -> Result<(), Refusal> {
        if elementwise::is_elementwise(op.op) {
            return self.lower_elementwise(op);
        }
        match op.op.name {
            "constant" => self.lower_constant(op),
            "iota" => self.lower_iota(op),
            "stop_gradient" => self.lower_same(op),
            "broadcast_in_dim" => self.lower_broadcast(op),
            "reshape" | "squeeze" => self.lower_reshape(op),
            "transpose" => self.lower_transpose(op),
            "rev" => self.lower_rev(op),
            "concatenate" => self.lower_concatenate(op),
            "slice" => self.lower_slice(op),
            "pad" => self.lower_pad(op),
            "dynamic_slice" => self.lower_dynamic_slice(op),
            "dynamic_update_slice" => self.lower_dynamic_update_slice(op),
            "reduce_sum" | "reduce_prod" | "reduce_max" | "reduce_min" | "reduce_and" | "reduce_or" | "reduce_xor" => {
                self.lower_reduce(op)
            }
            "argmax" | "argmin" => self.lower_arg(op),
            "cumsum" | "cumprod" | "cummax" | "cummin" | "cumlogsumexp" => self.lower_cumulative(op),
            "dot_general" => self.lower_dot(op),
            "gather" => self.lower_gather(op),
            "scatter" => self.lower_scatter(op),
            "sort" => self.lower_sort(op),
            "top_k" => self.lower_top_k(op),
            "random_bits" | "random_split" | "random_fold_in" | "random_seed" | "random_wrap" | "random_unwrap"
            | "threefry2x32" => self.lower_random(op),
            _ => Err(self.refuse(op)),
        }
    }
}
