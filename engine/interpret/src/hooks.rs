//! What a caller may see of a run, and how it may stop it. Every method has a default that does nothing.

use crate::error::RunError;
use crate::races::Hazard;
use crate::strict::Undefined;
use crate::times::{Pace, TimedLanes};
use pallas_ir::function::Location;
use pallas_ir::{Launch, OpId};
use pallas_tensor::Array;
use std::sync::Arc;

/// What a run reports as it goes.
pub trait Hooks {
    /// `debug_print`: the format as written, and the values for its fields ([`crate::format_debug_print`] joins them).
    fn debug_print(&mut self, format: &str, values: &[Array]) {
        let _ = (format, values);
    }

    /// Asked before every program and every turn of a loop; true stops the run.
    fn cancelled(&mut self) -> bool {
        false
    }

    /// On how many threads programs may run that leave each other alone. From two on nothing is told of single programs:
    /// who wants something of them says one.
    fn threads(&self) -> usize {
        1
    }

    /// The seed of the turns that threads and engines of GPU kernels take; without, threads take them in order until they
    /// have to wait, and engines are done at once.
    fn schedule(&self) -> Option<u64> {
        None
    }

    /// A tick of the caller's clock in nanoseconds; `None` leaves times out of events.
    fn now(&mut self) -> Option<u64> {
        None
    }

    /// Whether [`Hooks::program`] is to be called. Without, blocks that did not move cost nothing.
    fn wants_programs(&self) -> bool {
        false
    }

    /// Whether anything is wanted of single programs, so that several may not run as one: [`Hooks::program`],
    /// [`Hooks::tiles`] or [`Hooks::stored`].
    fn looks_at_programs(&self) -> bool {
        self.wants_programs()
    }

    /// Whether the kernel's time in the program with this number is to be told by place ([`Hooks::places`]). Costs a tick
    /// for every op that runs.
    fn wants_places(&self, number: usize) -> bool {
        let _ = number;
        false
    }

    /// The kernel's time in a program: ticks by number of the place, among the kernel's.
    fn places(&mut self, places: &[Location], ticks: &[u64]) {
        let _ = (places, ticks);
    }

    /// Whether what the kernel's Refs hold in the program with this number is wanted ([`Hooks::tiles`]).
    fn wants_tiles(&self, number: usize) -> bool {
        let _ = number;
        false
    }

    /// What the kernel's Refs hold, told before the kernel and after it.
    fn tiles(&mut self, event: TileEvent<'_>) {
        let _ = event;
    }

    /// Whether single stores of the program that runs are wanted ([`Hooks::stored`]). Asked at every store; a yes costs what it
    /// takes to write to memory that somebody else still holds.
    fn wants_stores(&self) -> bool {
        false
    }

    /// Something was stored to a Ref.
    fn stored(&mut self, event: StoreEvent<'_>) {
        let _ = event;
    }

    /// Blocks went back after the last program, which has this number.
    fn written_back(&mut self, number: usize, copies: &[CopyTimes]) {
        let _ = (number, copies);
    }

    /// A program has run.
    fn program(&mut self, event: &ProgramEvent<'_>) {
        let _ = event;
    }

    /// A subscript left its Ref; what JAX makes of it has been done.
    fn out_of_bounds(&mut self, access: &OutOfBounds<'_>) {
        let _ = access;
    }

    /// A semaphore that somebody waits for in vain, or that nobody waits for.
    fn unmatched(&mut self, semaphore: &UnmatchedSemaphore<'_>) {
        let _ = semaphore;
    }

    /// Whether what is not proved is looked for: races, and results that depend on memory that nobody has written.
    fn is_strict(&self) -> bool {
        false
    }

    /// An element of an output depends on memory that nobody has written. Told in strict runs, once for each output.
    fn undefined(&mut self, element: &Undefined) {
        let _ = element;
    }

    /// Whether races are looked for in a launch that does not ask for it.
    fn wants_races(&self, launch_has_agents: bool) -> bool {
        let _ = launch_has_agents;
        false
    }

    /// Something that is wrong, whatever came out of it.
    fn hazard(&mut self, hazard: &Hazard) {
        let _ = hazard;
    }

    /// The pace of a machine, where threads, cores and engines of a kernel have clocks: the launch is then rehearsed, nothing is
    /// copied or multiplied, and [`Hooks::made_up`] is asked what other ops give.
    fn pace(&self) -> Option<Pace> {
        None
    }

    /// What an op of a rehearsal gives instead of being computed.
    fn made_up(&mut self, op: OpId) -> Option<Array> {
        let _ = op;
        None
    }

    /// Whether threads of a GPU kernel are only followed: who waits for whom, and who reads and writes what. Engines move
    /// nothing, and [`Hooks::made_up`] is asked what other ops give.
    fn follows(&self) -> bool {
        false
    }

    /// What blocks, devices or cores that run at the same time did in a rehearsal.
    fn rehearsed(&mut self, lanes: TimedLanes) {
        let _ = lanes;
    }

    /// Whether copies and products of engines are done as late as somebody waits for them.
    fn late(&self) -> bool {
        false
    }

    /// A core of a device begins a program: the number under which the launch says who is told, the ids on that device, the
    /// core.
    fn grid_point(&mut self, recorder: u32, ids: &[usize], core: usize) {
        let _ = (recorder, ids, core);
    }

    /// Where a place is, in words: `kernel.py:12`.
    fn place(&self, place: &Location) -> Option<String> {
        let _ = place;
        None
    }

    /// Runs a launch of a host function somewhere else, on its operands; `None` has it run here.
    fn launch(&mut self, launch: &Arc<Launch>, operands: &[Array]) -> Option<Result<Vec<Array>, RunError>> {
        let _ = (launch, operands);
        None
    }

    /// A host function is about to start a launch.
    fn launch_begins(&mut self, launch: &Launch) {
        let _ = launch;
    }
}

/// One program of a launch.
#[derive(Clone, Debug)]
pub struct ProgramEvent<'a> {
    /// Row-major number of the program.
    pub number: usize,
    /// Its ids, one per grid axis.
    pub ids: &'a [usize],
    /// For each operand what its index map gave, one block index per dimension (empty for prefetched scalars and for
    /// operands without a map).
    pub blocks: &'a [Vec<i64>],
    /// When its stages ran, if the caller has a clock.
    pub times: Option<StageTimes>,
    /// The copies of blocks that moved, if the caller has a clock.
    pub copies: &'a [CopyTimes],
}

/// What the Refs of a program hold.
#[derive(Clone, Debug)]
pub struct TileEvent<'a> {
    /// Row-major number of the program.
    pub number: usize,
    /// Its ids.
    pub ids: &'a [usize],
    /// Whether the kernel has run.
    pub after: bool,
    /// Arrays of the kernel's parameters: operands, then scratch.
    pub tiles: Vec<Array>,
    /// For each of them the number of its memory. Refs that share their memory have the same.
    pub buffers: Vec<usize>,
}

/// A store, a swap or an atomic update of a Ref.
#[derive(Clone, Debug)]
pub struct StoreEvent<'a> {
    /// The op.
    pub op: OpId,
    /// Where it is in the source.
    pub location: &'a Location,
    /// The memory that was written, as [`TileEvent::buffers`] numbers it; what the kernel has allocated inside has other
    /// numbers.
    pub buffer: usize,
    /// All of that memory before.
    pub before: Array,
    /// And after.
    pub after: Array,
}

/// A copy of one block, in ticks of the caller's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTimes {
    /// The operand, by position.
    pub operand: usize,
    /// Whether the block went back, because it was written and another one took its place.
    pub out: bool,
    /// When it began.
    pub start: u64,
    /// When it was done.
    pub end: u64,
}

/// Ticks of the caller's clock at the boundaries of a program's stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageTimes {
    /// Input blocks begin to be brought in (and moved output blocks to be written back).
    pub copy_in: u64,
    /// The kernel begins.
    pub compute: u64,
    /// The kernel has ended.
    pub end: u64,
}

/// A subscript that left its Ref in one program.
#[derive(Clone, Debug)]
pub struct OutOfBounds<'a> {
    /// The load, store or other access.
    pub op: OpId,
    /// Where it is in the source.
    pub location: &'a Location,
    /// The program's ids; empty outside of launches.
    pub ids: &'a [usize],
    /// The dimension of the Ref.
    pub axis: usize,
    /// The first position along it, as computed by the program (negative if it is).
    pub start: i64,
    /// How many positions, `stride` apart.
    pub size: usize,
    /// Distance of positions.
    pub stride: usize,
    /// The Ref's extent along the dimension.
    pub bound: usize,
    /// Whether it wrote.
    pub writes: bool,
}

/// How waiting and signalling do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// A wait for a semaphore that nobody signals enough, gone through because waits only count (`interpret=True`).
    Wait,
    /// The same for a wait for a copy.
    CopyWait,
    /// A semaphore that is above zero where its life ends.
    Left,
    /// The same for a semaphore of copies.
    CopyLeft,
}

/// A semaphore at a wait in vain, or left over.
#[derive(Clone, Debug)]
pub struct UnmatchedSemaphore<'a> {
    /// What does not fit.
    pub kind: Unmatched,
    /// Its name in the kernel.
    pub name: &'a str,
    /// The wait, or the last op that signalled it.
    pub location: &'a Location,
    /// The program's ids.
    pub ids: &'a [usize],
    /// What it counts.
    pub count: i64,
    /// What was waited for; 0 where nobody waits.
    pub wanted: i64,
}

/// Hooks that do nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {}
