//! What has been done to a buffer, as far as it can still race: accesses by region, each with who made it and when.

use super::region::Region;
use super::report::Found;
use pallas_tensor::Shape;
use std::collections::HashMap;
use std::sync::Arc;

/// Regions of one buffer that are kept. Behind that many, accesses to others are no longer watched.
const MOST: usize = 1 << 14;

/// Accesses of programs that have ended which are kept for a region: with two of them, one is another program's, whoever
/// comes.
const OF_OTHERS: usize = 2;

/// When somebody did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Whose clock counts.
    pub(crate) actor: u32,
    pub(crate) time: u32,
    /// Which of the programs that run one after the other, though they might run at the same time.
    pub(crate) world: u32,
    /// Atomic accesses do not race with each other.
    pub(crate) atomic: bool,
    pub(crate) writes: bool,
    /// Where.
    pub(crate) location: u32,
    /// Who, for messages.
    pub(crate) who: u32,
    /// Which engine did it for them.
    pub(crate) engine: Option<super::EngineKind>,
}

/// The accesses to a buffer.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) name: Arc<str>,
    pub(crate) shape: Shape,
    /// Whether it outlives programs: what one has done to it, others meet.
    pub(crate) outlives: bool,
    /// Whether it holds nothing at first.
    starts_fresh: bool,
    reads: Accesses,
    writes: Accesses,
}

#[derive(Debug, Default)]
struct Accesses {
    numbers: HashMap<Region, usize>,
    regions: Vec<(Region, Vec<Stamp>)>,
}

impl Accesses {
    fn first_unordered(
        &self,
        region: &Region,
        shape: &Shape,
        ordered: &mut impl FnMut(&Stamp) -> bool,
    ) -> Option<(Region, Stamp)> {
        let alike = self.numbers.get(region).copied();
        let others = self.regions.iter().enumerate();
        others.filter(|(number, (other, _))| alike == Some(*number) || other.overlaps(region, shape)).find_map(
            |(_, (other, stamps))| stamps.iter().find(|stamp| !ordered(stamp)).map(|stamp| (other.clone(), *stamp)),
        )
    }

    fn add(&mut self, region: &Region, stamp: Stamp) {
        let number = match self.numbers.get(region) {
            Some(&number) => number,
            None if self.regions.len() >= MOST => return,
            None => {
                self.numbers.insert(region.clone(), self.regions.len());
                self.regions.push((region.clone(), Vec::new()));
                self.regions.len() - 1
            }
        };
        let stamps = &mut self.regions[number].1;
        let of_others = stamps.iter().filter(|other| other.world != stamp.world).count();
        if of_others > OF_OTHERS {
            let mut kept = 0;
            stamps.retain(|other| {
                kept += usize::from(other.world != stamp.world);
                other.world == stamp.world || kept <= OF_OTHERS
            });
        }
        let same = |other: &Stamp| (other.actor, other.world, other.atomic) == (stamp.actor, stamp.world, stamp.atomic);
        match stamps.iter_mut().find(|other| same(other)) {
            Some(known) => *known = stamp,
            None => stamps.push(stamp),
        }
    }

    /// Forgets accesses to a region that something else to the same region follows.
    fn supersede(&mut self, region: &Region, ordered: &mut impl FnMut(&Stamp) -> bool) {
        if let Some(&number) = self.numbers.get(region) {
            self.regions[number].1.retain(|stamp| !ordered(stamp));
        }
    }
}

impl History {
    pub(crate) fn new(name: Arc<str>, shape: Shape, outlives: bool, starts_fresh: bool) -> History {
        History { name, shape, outlives, starts_fresh, reads: Accesses::default(), writes: Accesses::default() }
    }

    /// Whether nothing of a region has ever been written.
    pub(crate) fn is_fresh(&self, region: &Region) -> bool {
        let written = &self.writes.regions;
        self.starts_fresh
            && written.len() < MOST
            && !written.iter().any(|(other, _)| other.overlaps(region, &self.shape))
    }

    /// What is said of a read of a region that nobody has written.
    pub(super) fn unwritten(&self, region: &Region, stamp: Stamp, who: String) -> Found {
        Found::Unwritten { name: self.name.to_string(), stamp, who, part: region.words(&self.shape) }
    }

    /// Takes an access in; earlier ones that it races with, a write and a read at most. `follows` says whether an earlier
    /// access is known to be over; engines need to know more of writes than of reads.
    pub(crate) fn access(
        &mut self,
        region: Region,
        stamp: Stamp,
        mut follows: impl FnMut(&Stamp) -> bool,
    ) -> [Option<(Region, Stamp)>; 2] {
        let mut ordered = |earlier: &Stamp| (earlier.atomic && stamp.atomic) || follows(earlier);
        let write = self.writes.first_unordered(&region, &self.shape, &mut ordered);
        if !stamp.writes {
            self.reads.add(&region, stamp);
            return [write, None];
        }
        let read = self.reads.first_unordered(&region, &self.shape, &mut ordered);
        self.writes.supersede(&region, &mut follows);
        self.reads.supersede(&region, &mut follows);
        self.writes.add(&region, stamp);
        [write, read]
    }
}
