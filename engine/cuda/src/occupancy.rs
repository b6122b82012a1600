//! How many blocks of a kernel a multiprocessor runs at once, from what a block takes and NVIDIA's tables of what there is. A
//! formula: nothing is asked of a device.

use crate::resources::Resources;

/// What holds the number of blocks down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Threads, in warps.
    Warps,
    /// Blocks as such.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
}

impl Limit {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Limit::Warps => "threads",
            Limit::Blocks => "the number of blocks",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
        }
    }
}

/// How full a multiprocessor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks at once; 0 if none fits.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// The most warps.
    pub most: u32,
    /// Why there are no more.
    pub limit: Limit,
}

/// A multiprocessor: compute capabilities from and to, warps, blocks, kilobytes of shared memory.
static MULTIPROCESSORS: &[(u32, u32, u32, u32, u32)] = &[
    (75, 75, 32, 16, 64),
    (80, 80, 64, 32, 164),
    (86, 86, 48, 16, 100),
    (87, 87, 48, 16, 164),
    (89, 89, 48, 24, 100),
    (90, 119, 64, 32, 228),
    (120, 129, 48, 24, 100),
];

/// Registers of a multiprocessor, and how many a warp is given at a time.
pub(crate) const REGISTERS: u32 = 65_536;
const AT_A_TIME: u32 = 256;
/// Bytes that the system keeps of each block's shared memory.
const KEPT: usize = 1024;
const WARP: u32 = 32;

/// Of blocks of so many threads, with so many bytes of dynamic shared memory. `None` for an architecture without a row.
pub fn occupancy(capability: u32, used: Resources, threads: u32, dynamic: usize) -> Option<Occupancy> {
    let row = MULTIPROCESSORS.iter().find(|(from, to, ..)| (*from..=*to).contains(&capability))?;
    let &(_, _, most, blocks, kilobytes) = row;
    let warps = threads.div_ceil(WARP).max(1);
    let registers = (used.registers.max(1) * WARP).next_multiple_of(AT_A_TIME) * warps;
    let shared = dynamic + used.shared as usize + KEPT;
    let limits = [
        (most / warps, Limit::Warps),
        (blocks, Limit::Blocks),
        (REGISTERS / registers, Limit::Registers),
        (((kilobytes as usize) << 10).checked_div(shared).unwrap_or(0) as u32, Limit::Shared),
    ];
    let (blocks, limit) = limits.into_iter().min_by_key(|(blocks, _)| *blocks)?;
    Some(Occupancy { blocks, warps: blocks * warps, most, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(registers: u32, threads: u32, dynamic: usize) -> Occupancy {
        occupancy(90, Resources { registers, ..Resources::default() }, threads, dynamic).expect("a row")
    }

    #[test]
    fn what_is_scarcest_counts() {
        assert_eq!(of(32, 256, 0), Occupancy { blocks: 8, warps: 64, most: 64, limit: Limit::Warps });
        assert_eq!(of(128, 256, 0), Occupancy { blocks: 2, warps: 16, most: 64, limit: Limit::Registers });
        assert_eq!(of(32, 128, 100 << 10), Occupancy { blocks: 2, warps: 8, most: 64, limit: Limit::Shared });
        assert_eq!(of(16, 32, 0).limit, Limit::Blocks);
        assert_eq!(of(255, 1024, 0).blocks, 0, "registers are given to a warp in pieces");
        assert_eq!(occupancy(70, Resources::default(), 32, 0), None);
    }
}
