//! This CPU as a machine, measured now.

use pallas_engine::pipeline::Machine;
use std::time::Instant;

/// Alpha, beta and F of interpret mode on this CPU; some tenths of a second.
pub(crate) fn this_cpu() -> Option<Machine> {
    let start = Instant::now();
    pallas_engine::this_cpu(&mut || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
