//! Clocks of multiprocessors against the time of the device. Each counts for itself, from a time of its own and exactly; the
//! device's time is the same everywhere, and moves in steps of up to a microsecond. What a clock's tick is follows from
//! the longest stretch that both saw.

use super::HEADER;
use std::collections::BTreeMap;

/// Ticks to nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// Ticks in a nanosecond.
    pub rate: f64,
    /// What to add to a tick in nanoseconds for the device's time, by multiprocessor.
    offsets: BTreeMap<u64, f64>,
    /// When the first block began.
    pub origin: f64,
}

/// The begin and end of a block: time and clock of each, and its multiprocessor.
fn ends(block: &[u64]) -> [(u64, u64, u64); 2] {
    [(block[0], block[1], block[4]), (block[2], block[3], block[4])]
}

impl Clock {
    /// From the heads of all blocks, each at least [`HEADER`] words long.
    pub fn new(blocks: &[&[u64]]) -> Clock {
        let blocks = blocks.iter().filter(|block| block.len() >= HEADER);
        let base = blocks.clone().map(|block| block[0]).min().unwrap_or(0);
        let mut seen: BTreeMap<u64, Vec<(f64, u64)>> = BTreeMap::new();
        for (time, clock, multiprocessor) in blocks.flat_map(|block| ends(block)) {
            seen.entry(multiprocessor).or_default().push((time.saturating_sub(base) as f64, clock));
        }
        let (mut times, mut ticks) = (0.0, 0.0);
        for points in seen.values() {
            let first = points.iter().min_by_key(|(_, clock)| *clock);
            let last = points.iter().max_by_key(|(_, clock)| *clock);
            if let (Some(first), Some(last)) = (first, last) {
                times += (last.0 - first.0).max(0.0);
                ticks += (last.1 - first.1) as f64;
            }
        }
        let rate = if times > 0.0 && ticks > 0.0 { ticks / times } else { 1.0 };
        // The device's time is late by up to a step, never early: the largest difference is the one of a moment right after one.
        let offsets: BTreeMap<u64, f64> = seen
            .iter()
            .map(|(&multiprocessor, points)| {
                let most = points.iter().map(|&(time, clock)| time - clock as f64 / rate);
                (multiprocessor, most.fold(f64::NEG_INFINITY, f64::max))
            })
            .collect();
        let mut clock = Clock { rate, offsets, origin: 0.0 };
        let begins = seen
            .iter()
            .flat_map(|(&multiprocessor, points)| points.iter().map(move |&(_, ticks)| (multiprocessor, ticks)));
        let first =
            begins.map(|(multiprocessor, ticks)| clock.time(multiprocessor, ticks)).fold(f64::INFINITY, f64::min);
        clock.origin = if first.is_finite() { first } else { 0.0 };
        clock
    }

    /// Nanoseconds from the begin of the first block.
    pub fn time(&self, multiprocessor: u64, ticks: u64) -> f64 {
        ticks as f64 / self.rate + self.offsets.get(&multiprocessor).copied().unwrap_or(0.0) - self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block as a device would note it whose time moves in steps of 1024 ns and whose clocks tick twice in a nanosecond.
    fn block(multiprocessor: u64, start: u64, end: u64) -> Vec<u64> {
        let coarse = |time: u64| 5_000_000 + time / 1024 * 1024;
        let ticks = |time: u64| 2 * time + 777_777 * (multiprocessor + 1);
        vec![coarse(start), ticks(start), coarse(end), ticks(end), multiprocessor, 0]
    }

    #[test]
    fn coarse_time_and_clocks_that_began_apart_come_to_one_time() {
        let mut blocks = Vec::new();
        for number in 0..200u64 {
            for multiprocessor in 0..3 {
                let start = number * 5000 + multiprocessor * 333;
                blocks.push(block(multiprocessor, start, start + 4321));
            }
        }
        let heads: Vec<&[u64]> = blocks.iter().map(Vec::as_slice).collect();
        let clock = Clock::new(&heads);
        assert!((clock.rate - 2.0).abs() < 0.01, "{}", clock.rate);
        for block in &blocks {
            let start = (block[1] - 777_777 * (block[4] + 1)) as f64 / 2.0;
            let found = clock.time(block[4], block[1]);
            // Within a step of the device's time, and a share of the stretch.
            assert!((found - start).abs() < 2100.0, "{found} {start}");
            let lasted = clock.time(block[4], block[3]) - found;
            assert!((lasted - 4321.0).abs() < 44.0, "{lasted}");
        }
    }

    #[test]
    fn without_any_time_a_tick_is_a_nanosecond() {
        assert_eq!(Clock::new(&[]).rate, 1.0);
        let short = [100, 10, 100, 30, 0, 0];
        let clock = Clock::new(&[&short]);
        assert_eq!((clock.rate, clock.time(0, 10), clock.time(0, 30)), (1.0, 0.0, 20.0));
    }
}
