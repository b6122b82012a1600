//! What of its memory a program has surely written when it reads it; everything else it may find as an earlier program has left
//! it. Scratch memory is one for all programs in interpret mode, and each block of a GPU has its own: both are the same only if
//! nothing is carried between programs of different blocks. The same facts say that no result depends on memory that nobody
//! has written. Proofs, not guesses: what is not understood counts as not written, or as read.

mod area;
mod conditions;
mod walk;

use crate::function::{Function, OpId, ValueId};
use area::Area;
use conditions::{Condition, Leaf};
use std::collections::{BTreeSet, HashMap};

/// More conditions than this are not taken together.
const MOST_LEAVES: usize = 12;

/// When all ops are done.
const AFTER_ALL: usize = usize::MAX - 1;

/// A Ref is cut into no more pieces than this.
const MOST_PIECES: usize = 256;

/// What programs of a kernel write and read of some of its Refs, in the order in which they do it.
#[derive(Debug)]
pub struct Written {
    memories: HashMap<ValueId, Memory>,
    grid: Vec<usize>,
}

/// How programs depend on what earlier ones have left in a Ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The outermost axis of the grid that such programs differ along: they may along all after it, too.
    pub axis: usize,
    /// Where.
    pub op: OpId,
    /// How.
    pub manner: Manner,
}

/// How an op depends on what is in a Ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// It reads what its program may not have written.
    Reads,
    /// It is an op whose accesses are not followed: an asynchronous copy, a semaphore, a pipeline.
    Otherwise,
}

/// One Ref: what was done to it under which conditions.
#[derive(Debug, Default)]
struct Memory {
    shape: Vec<usize>,
    stores: Vec<Store>,
    /// What may be written, under whatever conditions.
    touched: Vec<Area>,
    reads: Vec<Read>,
    others: Vec<OpId>,
}

/// A store that writes all of an area, in every program that meets the conditions.
#[derive(Debug)]
struct Store {
    path: Vec<Condition>,
    area: Area,
    /// When it is done: ops are counted in the order of the text.
    from: usize,
    /// From when on it says nothing any more: the end of a loop whose body may not run.
    until: usize,
}

/// A read of some of an area.
#[derive(Debug)]
struct Read {
    path: Vec<Condition>,
    area: Area,
    at: usize,
    op: OpId,
}

/// Programs that are alike: for each axis whether they are the first along it, where that is known.
type Firsts = Vec<Option<bool>>;

impl Written {
    /// Looks at a function, under a grid, at what it does to Refs that are its parameters, and to those that it allocates.
    pub fn of(function: &Function, grid: &[usize], refs: impl IntoIterator<Item = ValueId>) -> Written {
        Written { memories: walk::walk(function, grid, refs), grid: grid.to_vec() }
    }

    /// Whether programs may find in a Ref what others have left, who run before them in row-major order; if so, the outermost axis
    /// along which they differ. `None`: each program finds what it has written itself, or what was left by a program that is the
    /// same along every axis, which there is none.
    pub fn carried(&self, reference: ValueId) -> Option<Carried> {
        let memory = self.memories.get(&reference)?;
        let outermost = self.grid.iter().position(|&extent| extent > 1)?;
        if let Some(&op) = memory.others.first() {
            return Some(Carried { axis: outermost, op, manner: Manner::Otherwise });
        }
        let mut found: Option<Carried> = None;
        for read in &memory.reads {
            let mut note = |axis: Option<usize>| {
                let is_further = |axis: usize| found.is_none_or(|found| axis < found.axis);
                let axis = axis.map(|axis| self.begin(memory, &read.area, axis).unwrap_or(outermost));
                if let Some(axis) = axis.filter(|&axis| is_further(axis)) {
                    found = Some(Carried { axis, op: read.op, manner: Manner::Reads });
                }
            };
            if !memory.gaps(read, &[], false, &mut |firsts| note(self.outermost_changed(firsts))) {
                note(Some(outermost));
            }
        }
        found
    }

    /// Whether a program reads nothing of a Ref that it has not written before.
    pub fn reads_own(&self, reference: ValueId) -> bool {
        self.memories.get(&reference).is_some_and(|memory| {
            memory.others.is_empty() && memory.reads.iter().all(|read| memory.is_covered(read, &[], true))
        })
    }

    /// Whether programs with id 0 along some axes leave a Ref written in full.
    pub fn is_full_after(&self, reference: ValueId, first_along: &[usize]) -> bool {
        self.memories.get(&reference).is_some_and(|memory| {
            let last = Read { path: Vec::new(), area: Area::whole(&memory.shape), at: AFTER_ALL, op: OpId(0) };
            memory.is_covered(&last, &self.firsts(first_along), true)
        })
    }

    /// Whether nobody reads what nobody has written, if a Ref is empty before programs with id 0 along some axes, and is kept from one
    /// program to the next otherwise.
    pub fn is_defined(&self, reference: ValueId, first_along: &[usize]) -> bool {
        let firsts = self.firsts(first_along);
        self.reads_own(reference)
            || self.is_full_after(reference, first_along)
                && self.memories.get(&reference).is_some_and(|memory| {
                    memory.others.is_empty() && memory.reads.iter().all(|read| memory.is_covered(read, &firsts, true))
                })
    }

    /// The innermost axis, up to one, such that the first program along it and all after it leaves all of an area written that
    /// anybody writes. The program before one that reads may not have written either: what it has left is what it has found.
    fn begin(&self, memory: &Memory, area: &Area, axis: usize) -> Option<usize> {
        let mut axes = (0..=axis).rev().filter(|&axis| self.grid[axis] > 1);
        axes.find(|&axis| {
            let inner: Vec<usize> = (axis..self.grid.len()).collect();
            let end = Read { path: Vec::new(), area: area.clone(), at: AFTER_ALL, op: OpId(0) };
            memory.is_covered(&end, &self.firsts(&inner), false)
        })
    }

    fn firsts(&self, axes: &[usize]) -> Vec<Condition> {
        let several = axes.iter().filter(|&&axis| self.grid.get(axis).is_some_and(|&extent| extent > 1));
        several.map(|&axis| Condition::Leaf(Leaf::First(axis))).collect()
    }

    /// The outermost axis along which a program may differ from the one before it, in row-major order. The first program of all has
    /// none before it.
    fn outermost_changed(&self, firsts: &Firsts) -> Option<usize> {
        let several = |axis: &usize| self.grid[*axis] > 1;
        // One step changes an axis whose id is not 0, and all after it, which begin anew.
        let is_step = |axis: &usize| {
            let known = |axis: usize| firsts.get(axis).copied().flatten();
            known(*axis) != Some(true)
                && (axis + 1..self.grid.len()).filter(several).all(|other| known(other) != Some(false))
        };
        (0..self.grid.len()).filter(several).find(is_step)
    }
}

impl Memory {
    /// Whether programs that meet some conditions have written all that they read. `all`: what nobody ever writes, too.
    fn is_covered(&self, read: &Read, also: &[Condition], all: bool) -> bool {
        let mut is_covered = true;
        self.gaps(read, also, all, &mut |_| is_covered = false) && is_covered
    }

    /// Calls `each` for all kinds of programs that read something which they have not written. `all`: what nobody ever writes, too.
    /// False if there are too many conditions to tell.
    fn gaps(&self, read: &Read, also: &[Condition], all: bool, each: &mut dyn FnMut(&Firsts)) -> bool {
        let stores: Vec<&Store> =
            self.stores.iter().filter(|store| store.from < read.at && read.at < store.until).collect();
        let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut areas: Vec<&Area> = stores.iter().map(|store| &store.area).collect();
        if !all {
            areas.extend(&self.touched);
        }
        let Some(pieces) = read.area.pieces(&areas, MOST_PIECES) else { return false };
        for piece in pieces {
            if !all && !self.touched.iter().any(|area| area.meets(&piece)) {
                continue;
            }
            let covering: Vec<usize> =
                (0..stores.len()).filter(|&number| stores[number].area.contains(&piece)).collect();
            if !seen.insert(covering.clone()) {
                continue;
            }
            let covering: Vec<&[Condition]> = covering.iter().map(|&number| &stores[number].path[..]).collect();
            if !kinds(&read.path, also, &covering, each) {
                return false;
            }
        }
        true
    }
}

/// Calls `each` for all kinds of programs that meet the conditions of `path` and `also`, and of none of `others` all.
fn kinds(path: &[Condition], also: &[Condition], others: &[&[Condition]], each: &mut dyn FnMut(&Firsts)) -> bool {
    // A store behind conditions that a read is behind, too, has been done.
    if others.iter().any(|other| other.iter().all(|condition| path.contains(condition))) {
        return true;
    }
    let mut leaves: BTreeSet<Leaf> = BTreeSet::new();
    for condition in path.iter().chain(also).chain(others.iter().copied().flatten()) {
        condition.leaves(&mut leaves);
    }
    let leaves: Vec<Leaf> = leaves.into_iter().collect();
    if leaves.len() > MOST_LEAVES {
        return false;
    }
    let axes = leaves.iter().map(|leaf| if let Leaf::First(axis) = leaf { axis + 1 } else { 0 }).max().unwrap_or(0);
    for bits in 0..1usize << leaves.len() {
        let holds = |leaf: &Leaf| leaves.binary_search(leaf).is_ok_and(|place| bits >> place & 1 == 1);
        let all = |conditions: &[Condition]| conditions.iter().all(|condition| condition.holds(&holds));
        if all(path) && all(also) && !others.iter().any(|other| all(other)) {
            let known = |axis: usize| leaves.binary_search(&Leaf::First(axis)).ok().map(|place| bits >> place & 1 == 1);
            each(&(0..axes).map(known).collect());
        }
    }
    true
}
