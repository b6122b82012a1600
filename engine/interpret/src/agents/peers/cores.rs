//! Which cores and devices a launch has, what they are called, and which of them do not come.

use super::PeerOperand;
use super::programs::{Lane, Sequence};
use crate::error::{RunError, RunErrorKind};
use crate::memory::Memory;
use pallas_ir::{MemorySpace, RefType};

impl Sequence<'_> {
    /// Which block's memory an allocation is in, and how many give it back: main memory is that of a device.
    pub(in crate::agents) fn owner(&self, global: usize, ty: &RefType) -> (usize, usize) {
        match ty.space {
            MemorySpace::Any | MemorySpace::Hbm => (global - global % self.peers.cores.max(1), self.peers.cores),
            _ => (global, 1),
        }
    }

    pub(in crate::agents) fn cores(&self) -> usize {
        self.peers.cores.max(1)
    }

    pub(super) fn devices(&self) -> usize {
        self.peers.devices(self.grid)
    }

    /// Whether nothing makes devices begin together but what the kernel does itself.
    pub(super) fn meets_itself(&self) -> bool {
        self.peers.meets_itself
    }

    /// Extents of the mesh.
    pub(super) fn mesh(&self) -> &[usize] {
        &self.grid[..self.peers.device_axes]
    }

    /// Whether there is one core only.
    pub(in crate::agents) fn is_alone(&self) -> bool {
        self.devices() * self.cores() < 2
    }

    /// `core 1 of device 2`, or whatever of it tells it from others.
    pub(in crate::agents) fn who(&self, global: usize) -> String {
        let (device, core) = (global / self.cores(), global % self.cores());
        match (self.devices() > 1, self.cores() > 1) {
            (true, true) => format!("core {core} of device {device}"),
            (true, false) => format!("device {device}"),
            (false, true) => format!("core {core}"),
            (false, false) => "the kernel".to_string(),
        }
    }

    /// A Ref, and whose it is: `o_ref of device 2`.
    pub(in crate::agents) fn named(&self, name: &str, device: usize, core: Option<usize>) -> String {
        match core {
            None if self.devices() < 2 => name.to_string(),
            None => format!("{name} of device {device}"),
            Some(core) => {
                let who = self.who(device * self.cores() + core);
                if self.devices() * self.cores() > 1 { format!("{name} of {who}") } else { name.to_string() }
            }
        }
    }

    /// Devices that do not take part in the launch: a scalar for each says so.
    pub(in crate::agents) fn absent(&self, memory: &Memory) -> Vec<String> {
        let asks = |operand: &PeerOperand| &*operand.name == pallas_ir::launch::TAKES_PART;
        let Some(position) = self.peers.operands.iter().position(asks) else { return Vec::new() };
        let takes_part = |lane: &Lane| {
            let flags = memory.buffers.get(*lane.refs.get(position)?)?;
            flags.array.get(self.peers.place(self.grid, lane.device).first().copied()?)?.as_int()
        };
        let absent = self.lanes.iter().filter(|lane| lane.core == 0 && takes_part(lane) == Some(0));
        absent.map(|lane| format!("device {}", lane.device)).collect()
    }

    /// That all devices come to the barrier that the compiler puts in front of a kernel without one of its own.
    pub(super) fn barrier_in_front(&self, memory: &Memory) -> Result<(), RunError> {
        let absent = self.absent(memory);
        if self.meets_itself() || absent.is_empty() || absent.len() == self.devices() {
            return Ok(());
        }
        let plural = if absent.len() == 1 { "does" } else { "do" };
        Err(RunError::new(RunErrorKind::Absent(format!(
            "collective mismatch: the devices wait for each other in front of this kernel, which has no barrier of its own. {} \
             {plural} not come to this launch: another branch is taken there, or a loop left before",
            absent.join(", ")
        ))))
    }
}
