//! What is said of accesses that race, and of copies that nobody waited for.

use super::history::Stamp;
use pallas_ir::function::Location;

/// Who does something for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// A copy.
    Copy,
    /// A copy that combines with what is there; such copies do not race with each other.
    Reduction,
    /// A store to another block.
    Store,
    /// A product.
    Product,
    /// A load or a store of tensor memory.
    TensorMemory,
}

/// Something that a run has shown to be wrong, whatever came out of it.
#[derive(Clone, Debug)]
pub enum Hazard {
    /// Two accesses that nothing orders.
    Race {
        /// The Ref's name.
        name: String,
        /// In the order in which they were made.
        accesses: Box<[RacingAccess; 2]>,
        /// What would order them.
        missing: MissingEdge,
        /// Whether it is memory of a block, which is used again and again.
        on_chip: bool,
    },
    /// Memory of a block is read that nobody has written.
    Unwritten {
        /// The Ref's name.
        name: String,
        /// The read.
        access: Box<RacingAccess>,
    },
    /// A copy or a signal goes to a device of which nothing says that it has begun.
    Early {
        /// Where it was started.
        location: Location,
        /// The device that does it.
        who: String,
        /// The device that it goes to.
        other: String,
        /// Whether it is a copy.
        is_copy: bool,
    },
    /// A copy out of shared memory was under way when its thread ended.
    Unawaited {
        /// Where it was started.
        location: Location,
        /// The thread.
        who: String,
    },
}

/// One of two.
#[derive(Clone, Debug)]
pub struct RacingAccess {
    /// Where it was made, or its engine was started.
    pub location: Location,
    /// Whether it writes.
    pub writes: bool,
    /// Who made it, or started the engine: `thread 1 of block (0, 2)`.
    pub who: String,
    /// The engine that made it.
    pub engine: Option<EngineKind>,
    /// Which part: `[0:16, 3]`; empty for all.
    pub part: String,
}

/// What would put two accesses in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingEdge {
    /// A wait for an engine.
    Wait,
    /// A commit between a thread's write and an engine's access.
    Commit,
    /// A barrier or semaphore between two threads.
    Order,
    /// Nothing: programs of a grid run in any order, or at the same time.
    Programs,
}

/// As it was found.
#[derive(Debug)]
pub(super) enum Found {
    Race(FoundRace),
    Unwritten { name: String, stamp: Stamp, who: String, part: String },
    Unawaited { location: u32, who: String },
    Early { location: u32, who: String, other: String, is_copy: bool },
}

#[derive(Debug)]
pub(super) struct FoundRace {
    pub(super) name: String,
    pub(super) accesses: [(Stamp, String, String); 2],
    pub(super) missing: MissingEdge,
    pub(super) on_chip: bool,
}

impl Found {
    pub(super) fn hazard(self, locations: &[Location]) -> Hazard {
        let place = |number: u32| locations.get(number as usize).cloned().unwrap_or_default();
        let access = |place: &dyn Fn(u32) -> Location, (stamp, who, part): (Stamp, String, String)| RacingAccess {
            location: place(stamp.location),
            writes: stamp.writes,
            who,
            engine: stamp.engine,
            part,
        };
        match self {
            Found::Unawaited { location, who } => Hazard::Unawaited { location: place(location), who },
            Found::Early { location, who, other, is_copy } => {
                Hazard::Early { location: place(location), who, other, is_copy }
            }
            Found::Unwritten { name, stamp, who, part } => {
                Hazard::Unwritten { name, access: Box::new(access(&place, (stamp, who, part))) }
            }
            Found::Race(FoundRace { name, accesses, missing, on_chip }) => {
                Hazard::Race { name, accesses: Box::new(accesses.map(|found| access(&place, found))), missing, on_chip }
            }
        }
    }
}
