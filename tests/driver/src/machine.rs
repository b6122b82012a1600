//! The device under the driver: the PTX machine with its memory, what waits for its turn, and what became of it.

use crate::codes::{Code, ILLEGAL_ADDRESS, ILLEGAL_INSTRUCTION, LAUNCH_FAILED, MISALIGNED_ADDRESS};
use crate::log;
use crate::setup::SETUP;
use pallas_ptx::{Cause, Start};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A launch with everything that it was given: parameters are copied when it is submitted.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) module: Arc<pallas_ptx::Module>,
    pub(crate) entry: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) shared: usize,
    pub(crate) params: Vec<u8>,
}

/// Something that the device has to do.
pub(crate) enum Item {
    Launch(Launch),
    /// An event is to get the time; the ticket of the record that asked for it.
    Record {
        event: usize,
        ticket: u64,
    },
}

/// A device.
#[derive(Default)]
pub(crate) struct Machine {
    memory: pallas_ptx::Memory,
    allocated: BTreeMap<u64, usize>,
    queue: VecDeque<Item>,
    /// Nanoseconds.
    clock: u64,
    /// Whether the first of the queue never ends.
    pub(crate) hangs: bool,
}

/// Nanoseconds that a launch takes besides its instructions, and instructions of a nanosecond.
const START: u64 = 100_000;
const RATE: u64 = 1;

impl Machine {
    /// Bytes that nobody has.
    pub(crate) fn free(&self) -> usize {
        SETUP.memory - self.allocated.values().sum::<usize>()
    }

    /// How many allocations there are.
    pub(crate) fn allocations(&self) -> usize {
        self.allocated.len()
    }

    pub(crate) fn allocate(&mut self, bytes: usize) -> u64 {
        let address = self.memory.alloc(bytes, 256);
        self.allocated.insert(address, bytes);
        address
    }

    /// Gives memory back; whether it was there.
    pub(crate) fn give_back(&mut self, address: u64) -> bool {
        let was = self.allocated.remove(&address).is_some();
        if was {
            self.memory.free(address);
        }
        was
    }

    /// Whether bytes lie in one allocation.
    pub(crate) fn holds(&self, address: u64, bytes: usize) -> bool {
        let before = self.allocated.range(..=address).next_back();
        before
            .is_some_and(|(base, size)| (address - base) as usize <= *size && bytes <= size - (address - base) as usize)
    }

    pub(crate) fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.read(address, bytes).is_ok()
    }

    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.memory.write(address, bytes).is_ok()
    }

    /// Submits something.
    pub(crate) fn submit(&mut self, item: Item) {
        self.queue.push_back(item);
    }

    /// Forgets everything, as the end of a context does.
    pub(crate) fn clear(&mut self) {
        *self = Machine { clock: self.clock, ..Machine::default() };
    }

    /// Does all that waits; `recorded` hears of events.
    ///
    /// # Errors
    /// What a kernel did to its context.
    pub(crate) fn work(&mut self, mut recorded: impl FnMut(usize, u64, u64)) -> Result<(), Code> {
        while !self.hangs
            && let Some(item) = self.queue.pop_front()
        {
            match item {
                Item::Record { event, ticket } => recorded(event, ticket, self.clock),
                Item::Launch(launch) => self.execute(&launch)?,
            }
        }
        Ok(())
    }

    fn execute(&mut self, launch: &Launch) -> Result<(), Code> {
        let Launch { module, entry, grid, block, cluster, shared, params } = launch;
        let (grid, block, cluster, shared) = (*grid, *block, *cluster, *shared);
        let start = Start { grid, block, cluster, shared, params, budget: SETUP.budget, slow: None };
        let fault = match pallas_ptx::run(module, entry, &start, &mut self.memory) {
            Ok(ran) => {
                self.clock += START + ran.instructions / RATE;
                log::line(&format!("RAN {entry}: {} instructions", ran.instructions));
                return Ok(());
            }
            Err(fault) => fault,
        };
        log::line(&format!("FAULT {fault}").replace('\n', " "));
        self.judge(&fault.cause)
    }

    fn judge(&mut self, cause: &Cause) -> Result<(), Code> {
        Err(match cause {
            Cause::IllegalAddress { .. } => ILLEGAL_ADDRESS,
            Cause::Misaligned { .. } => MISALIGNED_ADDRESS,
            Cause::Deadlock(_) | Cause::Budget => {
                self.hangs = true;
                return Ok(());
            }
            // What has no meaning does something on a device; here it is seen.
            Cause::Trap(_) | Cause::Undefined(_) | Cause::Launch(_) => LAUNCH_FAILED,
            Cause::Unsupported(_) => ILLEGAL_INSTRUCTION,
        })
    }
}
