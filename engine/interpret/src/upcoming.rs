//! Which blocks the next program has, found while this one runs: their memory is asked for meanwhile, wherever a table of pages or
//! an index map puts them. Whatever there is to be told of the way there is told when the program itself comes to it.

use crate::affine::IndexMap;
use crate::hooks::{Hooks, OutOfBounds};
use crate::launch::next;
use crate::machine::Value;
use crate::memory::{Memory, View};
use pallas_tensor::Array;

/// Block indices of the next program, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Upcoming {
    /// Its ids; none where it is not known, or there is none.
    ids: Vec<usize>,
    /// Per operand; empty where they are not known.
    indices: Vec<Vec<i64>>,
    /// The ids of the program behind the one that is set up.
    following: Vec<usize>,
}

impl Upcoming {
    /// Begins with a program: what is found from here on is about the one that follows it in the grid.
    pub(crate) fn begin(&mut self, ids: &[usize], grid: &[usize], operands: usize) {
        self.indices.resize(operands, Vec::new());
        self.following.clear();
        self.following.extend_from_slice(ids);
        next(&mut self.following, grid);
        if self.ids != ids {
            self.forget();
        }
    }

    /// Ends with it.
    pub(crate) fn end(&mut self) {
        std::mem::swap(&mut self.ids, &mut self.following);
    }

    /// The ids of the program that follows in the grid, where there is one.
    pub(crate) fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// Forgets what was found, as what it was found from has changed.
    pub(crate) fn forget(&mut self) {
        self.ids.clear();
        self.indices.iter_mut().for_each(Vec::clear);
    }

    /// The indices of an operand of this program, where they were found before.
    pub(crate) fn take(&mut self, position: usize, indices: &mut Vec<i64>) -> bool {
        match self.indices.get_mut(position) {
            Some(known) if !known.is_empty() => {
                std::mem::swap(indices, known);
                known.clear();
                true
            }
            _ => false,
        }
    }

    /// Finds those of the following program; those of a `twin` are the same.
    pub(crate) fn find(
        &mut self,
        (position, map, twin): (usize, &IndexMap, Option<usize>),
        grid: &[usize],
        prefetched: &[View],
        memory: &mut Memory,
        registers: &mut Vec<Value>,
    ) -> Option<&[i64]> {
        let (before, known) = self.indices.split_at_mut_checked(position)?;
        let known = known.first_mut()?;
        if let Some(found) = twin.and_then(|twin| before.get(twin)).filter(|found| !found.is_empty()) {
            known.clone_from(found);
            return Some(known);
        }
        let mut silent = Silent::default();
        let found = map.indices(&self.following, grid, prefetched, memory, &mut silent, registers, known);
        if found.is_err() || silent.spoke {
            known.clear();
        }
        (!known.is_empty()).then_some(&known[..])
    }
}

/// Hooks that nobody hears.
#[derive(Default)]
struct Silent {
    spoke: bool,
}

impl Hooks for Silent {
    fn debug_print(&mut self, _format: &str, _values: &[Array]) {
        self.spoke = true;
    }

    fn out_of_bounds(&mut self, _access: &OutOfBounds<'_>) {
        self.spoke = true;
    }
}
