//! Warpgroups of Mosaic GPU: each program of the axis of threads is a team of 128 threads, and what it does to others is lowered as it
//! is said: arrivals and waits become those of phase barriers in shared memory. Nothing is arranged anew here: such kernels say
//! themselves what the machine should do.

use super::context::Lower;
use super::number::Number;
use super::random;
use super::refs::{RefDim, RefView, Shown};
use super::transfers::Panels;
use crate::ir::{MemoryId, Op, Scales, Space, Ty, Value};
use crate::layout::Layout;
use crate::{Architecture, Refusal};
use pallas_ir::op::AgentOp;
use pallas_ir::{Launch, MemorySpace, OpData, OpKind, RefType, ValueId};
use pallas_tensor::DType;
use std::collections::{HashMap, HashSet};

/// Threads of a warpgroup, as a power of two.
pub(crate) const LOG_THREADS: usize = 7;
/// Barriers of one array: a team keeps the parity of each in a bit.
const BARRIERS: usize = 32;
/// Bytes of a lane that arrays of tensor memory begin at multiples of, where they share some: four columns.
const COLUMNS: usize = 16;
/// Threads of a block, and blocks of a cluster, that every device takes.
const MOST_THREADS: usize = 1024;
const MOST_BLOCKS: usize = 8;

/// What is known of memory that teams have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Teams {
    /// How memory lies whose pieces change places.
    pub(crate) panels: HashMap<MemoryId, Panels>,
    /// Which tensor memory has scales, and of what.
    pub(crate) scales: HashMap<MemoryId, Scales>,
    /// Shared and tensor memory that says where the elements of sparse factors stand, sixteen to a word.
    pub(crate) places: HashSet<MemoryId>,
    /// Memory that has two elements of four bits in each byte.
    pub(crate) pairs: HashSet<MemoryId>,
    /// How accumulators are dealt.
    pub(crate) accumulators: HashMap<MemoryId, Layout>,
    /// Whether what is lowered is what a warp does by itself.
    pub(crate) in_warp: bool,
    /// The scopes that what is lowered is in, by number, and how many there were.
    pub(crate) scopes: Vec<u32>,
    pub(crate) scopes_begun: u32,
    /// Where all teams meet before a scope begins that they have in common.
    pub(crate) entry: Option<MemoryId>,
    /// Barriers at which who arrives does so only in the first block along these axes.
    pub(crate) led: HashMap<MemoryId, u16>,
    /// In which blocks who arrives at a barrier arrives.
    pub(crate) reached: HashMap<MemoryId, Vec<super::cluster::Far>>,
}

/// Whether only Blackwell has it: tensor memory, and copies that another block counts.
pub(crate) fn is_for_blackwell(op: &OpData) -> bool {
    match op.op.kind {
        OpKind::Agent(AgentOp::Mma | AgentOp::MmaCommit | AgentOp::CopyToTmem) => true,
        OpKind::Agent(AgentOp::CopyIn) => op.attributes.int("partitioned").is_some() || op.attributes.flag("leader"),
        _ => false,
    }
}

/// Whether a device has what a launch asks for.
pub(crate) fn fits(launch: &Launch, architecture: Architecture) -> Result<(), Refusal> {
    let name = &launch.kernel.name;
    let blocks = super::grid::cluster(launch);
    if blocks > 1 && architecture.capability < 90 {
        let device = architecture.name();
        let message = format!("clusters are for Hopper (sm_90a) and later devices, and the device is {device}");
        return Err(Refusal::new(message, launch.spans.call)
            .with_help("leave `cluster` out, or run the kernel with `--device interpret`"));
    }
    if !launch.has_agents() {
        return Ok(());
    }
    let at = |op: &OpData| {
        let location = launch.kernel.locations.get(op.location.0 as usize);
        location.map_or(launch.spans.call, |location| location.span)
    };
    let agents = launch.kernel.ops.iter().filter_map(|op| match &op.op.kind {
        OpKind::Agent(agent) => Some((op, *agent)),
        _ => None,
    });
    for (op, agent) in agents {
        let (fits, wants) = match agent {
            AgentOp::Product | AgentOp::ProductWait => (architecture.capability / 10 == 9, "Hopper (sm_90a)"),
            _ if is_for_blackwell(op) => (architecture.capability / 10 == 10, "Blackwell for data centres (sm_100a)"),
            _ => (architecture.capability >= 90, "Hopper (sm_90a) and later devices"),
        };
        if !fits {
            let device = architecture.name();
            return Err(Refusal::new(format!("`{}` is for {wants}, and the device is {device}", op.op.name), at(op))
                .with_help("run the kernel on such a device, or with `--device interpret`"));
        }
    }
    let threads = super::grid::plan(launch).teams.map_or(1, |axis| launch.grid[axis]) << LOG_THREADS;
    if threads > MOST_THREADS {
        let message = format!("`{name}` has {threads} threads in a block, and a device takes {MOST_THREADS}");
        return Err(Refusal::new(message, launch.spans.call).with_help("take fewer of them: `num_threads`"));
    }
    if blocks > MOST_BLOCKS {
        let message = format!("`{name}` has {blocks} blocks in a cluster, and a device takes {MOST_BLOCKS}");
        return Err(Refusal::new(message, launch.spans.call).with_help("make `cluster` smaller"));
    }
    Ok(())
}

impl Lower<'_> {
    /// Memory of a block, or of each of its teams.
    pub(crate) fn allocate_of_teams(
        &mut self,
        ty: &RefType,
        name: &str,
        param: ValueId,
        together: bool,
    ) -> Result<RefView, Refusal> {
        let teams = self.b.kernel().teams as usize;
        let together = together || teams == 1;
        let number = self.b.kernel().memories.len();
        let len = ty.shape.checked_size().filter(|&len| i32::try_from(len.saturating_mul(teams)).is_ok());
        let Some(len) = len else {
            return Err(Refusal::new(format!("{ty} has more elements than a 32-bit index counts"), self.b.span));
        };
        if let Some(barrier) = &ty.barrier {
            let reached = self.reached(barrier)?;
            let count = if together { len } else { len * teams };
            if count > BARRIERS {
                return Err(self.unknown(&format!("an array of more than {BARRIERS} barriers")));
            }
            let space = Space::Phases { arrivals: barrier.arrivals * reached.len() as u32 };
            let memory = self.b.memory(format!("barriers_{number}"), DType::U64, count, space);
            self.teams.reached.insert(memory, reached);
            if barrier.led {
                self.teams.led.insert(memory, barrier.across[0]);
            }
            let mut view = RefView::whole(memory, &ty.shape, false);
            if !together {
                let (offset, stride) = (Number::Computed(self.b.team()), len as i64);
                view.dims.insert(0, RefDim { stride, offset, shown: Shown::At, extent: None, pieces: 1 });
            }
            return Ok(view);
        }
        match ty.space {
            MemorySpace::Registers => return self.accumulator(ty),
            MemorySpace::Tmem => {
                let view = match self.scales(ty, param)? {
                    Some(scales) => scales,
                    None if self.is_places(param) => self.places_in_lanes(ty)?,
                    None => self.tensor_memory(ty)?,
                };
                self.b.align(view.memory, COLUMNS);
                self.begin_undefined(view.memory);
                if together {
                    self.b.scoped(view.memory, &self.teams.scopes);
                }
                return Ok(view);
            }
            _ => {}
        }
        let space = if together { Space::Shared } else { Space::Team };
        let (pairs, name) = (self.is_pairs(param), format!("{name}_{number}"));
        let memory = match self.is_places(param) {
            true => self.places_shared(ty, len, space)?,
            false if pairs => self.pairs(&name, len, space),
            false => self.b.memory(name, ty.dtype, len, space),
        };
        self.begin_undefined(memory);
        let panels = match pairs {
            true => Panels::of(&Self::type_in_bytes(ty), true),
            false => Panels::of(ty, self.multiplies(param)),
        };
        let align = if panels.is_some() { Panels::ALIGN } else { Panels::PLAIN_ALIGN };
        self.b.align(memory, align);
        if together {
            self.b.scoped(memory, &self.teams.scopes);
        }
        if let Some(panels) = panels {
            self.teams.panels.insert(memory, panels);
        }
        Ok(RefView::whole(memory, &ty.shape, false))
    }

    /// Where that is asked for, an array begins with what nobody has written. It is there before engines and other blocks come, which
    /// stores of the kernel would not be.
    fn begin_undefined(&mut self, memory: MemoryId) {
        if self.begins {
            let dtype = self.b.kernel().memory(memory).dtype;
            let element = self.garbage.memory(dtype, self.launch.interpretation);
            self.b.begins(memory, random::number(element));
        }
    }

    /// That something is not lowered.
    pub(crate) fn unknown(&self, what: &str) -> Refusal {
        Refusal::new(format!("{what} is not lowered yet"), self.b.span)
            .with_help("run the kernel with `--device interpret`")
    }

    /// The barrier that a Ref shows: of which array, and which.
    pub(crate) fn phases(&mut self, value: ValueId) -> Result<(MemoryId, Value), Refusal> {
        let view = self.reference(value)?;
        let which = self.begin_of(&view);
        Ok((view.memory, which.value(&mut self.b)))
    }

    /// The first element that a Ref shows, in row-major order.
    pub(crate) fn begin_of(&mut self, view: &RefView) -> Number {
        let mut begin = Number::Known(0);
        for dim in &view.dims {
            let far = dim.offset.times(&mut self.b, dim.stride);
            begin = begin.add(&mut self.b, far);
        }
        begin
    }

    /// What a team does to others.
    pub(crate) fn lower_agent(&mut self, op: &OpData, agent: AgentOp) -> Result<(), Refusal> {
        let count = op.attributes.int("count").and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
        match agent {
            AgentOp::Arrive => self.lower_arrive(op),
            AgentOp::Wait => self.on_phases(op, 0, |phases| Op::Await { phases }),
            AgentOp::Test => {
                let (phases, which) = self.phases(op.operands[0])?;
                let ty = Ty { dtype: DType::Bool, regs: 1 };
                let over = self.b.add(Op::Arrived { phases }, &[which], &[ty], Vec::new())[0];
                self.set(op, over);
                Ok(())
            }
            AgentOp::CopyIn => self.lower_copy_in(op),
            AgentOp::CopyOut => self.lower_copy_out(op),
            AgentOp::Commit => self.alone(Op::CommitSent),
            AgentOp::Drain => self.alone(Op::WaitSent { pending: count, read: op.attributes.flag("read_only") }),
            AgentOp::Fence => match op.attributes.str("what") {
                Some("shared") => self.alone(Op::Publish),
                Some("registers") => {
                    let count = op.attributes.int("count").and_then(|count| i32::try_from(count).ok()).unwrap_or(0);
                    self.alone(Op::SetRegisters(count))
                }
                _ => Ok(()),
            },
            AgentOp::Product => self.lower_product(op),
            AgentOp::ProductWait => self.alone(Op::WaitProducts(count)),
            AgentOp::Mma => self.lower_tensor_product(op),
            AgentOp::MmaCommit => self.lower_tensor_commit(op),
            AgentOp::CopyToTmem => self.lower_tensor_copy(op),
            // A cache holds what it likes.
            AgentOp::Prefetch => Ok(()),
            AgentOp::Cancel => self.lower_claim(op),
            AgentOp::CancelResult => self.lower_claimed(op),
            _ => Err(self.refuse(op)),
        }
    }

    pub(crate) fn on_phases(
        &mut self,
        op: &OpData,
        operand: usize,
        make: impl Fn(MemoryId) -> Op,
    ) -> Result<(), Refusal> {
        let (phases, which) = self.phases(op.operands[operand])?;
        self.b.add(make(phases), &[which], &[], Vec::new());
        Ok(())
    }

    fn alone(&mut self, op: Op) -> Result<(), Refusal> {
        self.b.add(op, &[], &[], Vec::new());
        Ok(())
    }

    /// Whether a Ref, or a part of it, is a factor of a product, or copied to where one is.
    fn multiplies(&self, param: ValueId) -> bool {
        self.uses(param).iter().any(|(op, position)| match op.op.kind {
            OpKind::Agent(AgentOp::Product | AgentOp::Mma) => *position >= 1,
            OpKind::Agent(AgentOp::CopyToTmem) => *position == 0 && op.attributes.str("what") == Some("data"),
            _ => false,
        })
    }
}
