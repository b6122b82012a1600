//! Which machine a launch is modelled on: one that somebody has named, or else one that its kernel is for, with the reason.
//!
//! The kinds of kernels are a table, asked from top to bottom: what a program says comes first, then what only one machine
//! has, then what only GPUs or only TPUs have.

use super::{MACHINES, Machine};
use pallas_ir::op::{AgentOp, MemoryOp};
use pallas_ir::{AxisSemantics, Launch, MemorySpace, OpKind, Role, Target, Type};

/// What launches are modelled on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Machines {
    /// Each on a machine that its kernel is for.
    #[default]
    Fitting,
    /// All on this one.
    Named(Box<Machine>),
}

/// The machine of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Whether somebody has named it.
    pub named: bool,
    /// Whether anything says so; otherwise it is only taken for granted.
    pub said: bool,
    /// Why it is this one, as what follows `because`.
    pub why: &'static str,
}

/// A kind of kernels.
struct Row {
    is: fn(&Launch) -> bool,
    machine: &'static str,
    why: &'static str,
}

const NAMED: &str = "it was asked for";
const OTHERWISE: &str = "nothing in the kernel is a GPU's";

const ROWS: &[Row] = &[
    Row { is: |launch| launch.target == Target::TpuV5e, machine: "v5e", why: "that is what it is compiled for" },
    Row { is: |launch| launch.target == Target::TpuV5p, machine: "v5p", why: "that is what it is compiled for" },
    Row { is: |launch| launch.target == Target::TpuV6e, machine: "v6e", why: "that is what it is compiled for" },
    Row { is: |launch| launch.target == Target::Hopper, machine: "h100", why: "it is compiled for Hopper" },
    Row { is: |launch| launch.target == Target::Blackwell, machine: "b200", why: "it is compiled for Blackwell" },
    Row { is: uses_tensor_memory, machine: "b200", why: "the kernel uses tensor memory, which only Blackwell has" },
    Row { is: cancels, machine: "b200", why: "the kernel asks for blocks that wait, which only Blackwell grants" },
    Row { is: uses_wgmma, machine: "h100", why: "the kernel multiplies with wgmma, which only Hopper has" },
    Row { is: is_on_gpu, machine: "h100", why: "the kernel is one for Mosaic GPU" },
    Row { is: |launch| written_for(launch).is_mosaic_gpu(), machine: "h100", why: "it is written for Mosaic GPU" },
    Row { is: |launch| written_for(launch) == Target::Triton, machine: "h100", why: "it is written for Triton" },
    Row { is: |launch| written_for(launch).is_tpu(), machine: "v5e", why: "it is written for TPUs" },
    Row { is: is_on_tpu, machine: "v5e", why: "the kernel uses memory, copies or cores as TPUs have them" },
    Row { is: is_atomic, machine: "h100", why: "the kernel updates memory atomically, as GPUs do" },
];

impl Machines {
    /// All launches on one machine.
    pub fn named(machine: &Machine) -> Machines {
        Machines::Named(Box::new(machine.clone()))
    }

    /// The machine that a launch is modelled on.
    pub fn of(&self, launch: &Launch) -> Chosen<'_> {
        match self {
            Machines::Named(machine) => Chosen { machine, named: true, said: true, why: NAMED },
            Machines::Fitting => fitting(launch),
        }
    }

    /// The machine of a program that launches nothing.
    pub fn of_nothing(&self) -> &Machine {
        match self {
            Machines::Named(machine) => machine,
            Machines::Fitting => &MACHINES[0],
        }
    }
}

/// A machine that the kernel of a launch is for.
fn fitting(launch: &Launch) -> Chosen<'static> {
    let row = ROWS.iter().find(|row| (row.is)(launch));
    let (machine, why) = row.map_or((None, OTHERWISE), |row| (Machine::find(row.machine), row.why));
    // A test sees to it that every machine of the table is known.
    Chosen { machine: machine.unwrap_or(&MACHINES[0]), named: false, said: row.is_some(), why }
}

/// What its parameters are for, whether or not it is compiled.
fn written_for(launch: &Launch) -> Target {
    if launch.target == Target::Unsaid { launch.written_for } else { launch.target }
}

fn does(launch: &Launch, what: impl Fn(&OpKind) -> bool) -> bool {
    launch.kernel.ops.iter().any(|op| what(&op.op.kind))
}

/// Whether it has Refs in one of some memory spaces: operands, scratch, and what it allocates.
fn has_space(launch: &Launch, is: impl Fn(MemorySpace) -> bool) -> bool {
    launch.operands.iter().any(|operand| is(operand.space))
        || launch.scratch.iter().any(|scratch| is(scratch.space))
        || launch.kernel.values.iter().any(|value| matches!(&value.ty, Type::Ref(ty) if is(ty.space)))
}

fn uses_tensor_memory(launch: &Launch) -> bool {
    does(launch, |kind| matches!(kind, OpKind::Agent(AgentOp::Mma | AgentOp::CopyToTmem)))
        || has_space(launch, |space| space == MemorySpace::Tmem)
}

fn cancels(launch: &Launch) -> bool {
    does(launch, |kind| matches!(kind, OpKind::Agent(AgentOp::Cancel)))
}

fn uses_wgmma(launch: &Launch) -> bool {
    does(launch, |kind| matches!(kind, OpKind::Agent(AgentOp::Product)))
}

fn is_on_gpu(launch: &Launch) -> bool {
    launch.has_agents()
        || has_space(launch, |space| {
            matches!(space, MemorySpace::Gmem | MemorySpace::Shared | MemorySpace::Registers | MemorySpace::Barrier)
        })
}

fn is_on_tpu(launch: &Launch) -> bool {
    launch.semantics.contains(&AxisSemantics::Core)
        || launch.operands.iter().any(|operand| operand.role == Role::Prefetch)
        || does(launch, |kind| matches!(kind, OpKind::Copy(_) | OpKind::Semaphore(_)))
        || has_space(launch, |space| {
            matches!(
                space,
                MemorySpace::Hbm
                    | MemorySpace::Vmem
                    | MemorySpace::Smem
                    | MemorySpace::VmemShared
                    | MemorySpace::Cmem
                    | MemorySpace::Semaphore
                    | MemorySpace::DmaSemaphore
                    | MemorySpace::BarrierSemaphore
            )
        })
}

fn is_atomic(launch: &Launch) -> bool {
    does(launch, |kind| matches!(kind, OpKind::Memory(MemoryOp::Atomic)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(head: &str, operand: &str, kernel: &str) -> (String, bool) {
        let text = format!(
            "launch grid=[4] {head} {{\n  input @x_ref: f32[8,128] block=[8, 128]{operand}\n  kernel @k(%x_ref: ref<f32[8,128]\
             {}>) {{\n{kernel}\n  }}\n}}\n",
            operand.strip_prefix(" space=").map_or(String::new(), |space| format!(", {space}")),
        );
        let launch = pallas_ir::text::parse_launch(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let chosen = fitting(&launch);
        (format!("{}: {}", chosen.machine.key, chosen.why), chosen.said)
    }

    #[test]
    fn a_launch_is_modelled_on_a_machine_that_its_kernel_is_for() {
        let found = |head, operand, kernel| chosen(head, operand, kernel).0;
        assert_eq!(chosen("", "", ""), ("v5e: nothing in the kernel is a GPU's".to_string(), false));
        assert_eq!(found("", " space=gmem", ""), "h100: the kernel is one for Mosaic GPU");
        assert_eq!(found("semantics=[thread]", "", ""), "h100: the kernel is one for Mosaic GPU");
        assert_eq!(found("", " space=hbm", ""), "v5e: the kernel uses memory, copies or cores as TPUs have them");
        assert_eq!(found("semantics=[core]", "", ""), "v5e: the kernel uses memory, copies or cores as TPUs have them");
        assert_eq!(found("triton", "", ""), "h100: it is written for Triton");
        assert_eq!(found("written_for=triton interpret=plain", "", ""), "h100: it is written for Triton");
        assert_eq!(found("written_for=mosaic_gpu interpret=plain", "", ""), "h100: it is written for Mosaic GPU");
        assert_eq!(found("tpu_v6e", "", ""), "v6e: that is what it is compiled for");
        assert_eq!(found("blackwell", " space=gmem", ""), "b200: it is compiled for Blackwell");
        let tensor = "    scoped (%acc: ref<f32[128,128], tmem>) { }";
        assert_eq!(found("", " space=gmem", tensor), "b200: the kernel uses tensor memory, which only Blackwell has");
    }

    #[test]
    fn a_named_machine_is_that_of_all() {
        let machines = Machines::named(&MACHINES[2]);
        let launch =
            pallas_ir::text::parse_launch("launch grid=[] triton {\n  kernel @k() {\n  }\n}\n").expect("a launch");
        let chosen = machines.of(&launch);
        assert_eq!((&*chosen.machine.key, chosen.named), ("v6e", true));
        assert_eq!(&*machines.of_nothing().key, "v6e");
    }

    #[test]
    fn every_machine_of_the_table_is_known() {
        for row in ROWS {
            assert!(Machine::find(row.machine).is_some(), "{}", row.machine);
        }
    }
}
