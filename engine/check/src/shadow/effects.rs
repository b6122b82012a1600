//! Which programs have an effect that lasts: what they store is in an output at the end, or is read by a program of which
//! that holds. A store that may be read, or may not be made, gets the benefit of the doubt; only a store of a whole Ref
//! that is certain to be made takes away what was there.

use pallas_ir::OpId;
use smallvec::SmallVec;

/// The programs, by their number in the order of the run, whose stores a Ref holds.
pub(super) type Held = SmallVec<[u32; 4]>;

#[derive(Debug, Default)]
struct Program {
    ids: Vec<usize>,
    /// Later programs that read what it stored.
    readers: Held,
    /// Where it stored last.
    store: Option<OpId>,
    reads_input: bool,
    lasts: bool,
}

/// What is known of the programs so far.
#[derive(Debug, Default)]
pub(super) struct Effects {
    programs: Vec<Program>,
    held: Vec<Held>,
    /// Branches around the running op of which it is not known whether they are taken.
    pub(super) unsure: usize,
}

/// A program that does nothing that lasts, and where it stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) program: Vec<usize>,
    pub(crate) store: OpId,
}

impl Effects {
    /// The next program begins.
    pub(super) fn begin(&mut self, ids: &[usize]) {
        self.programs.push(Program { ids: ids.to_vec(), ..Program::default() });
    }

    fn slot(&mut self, buffer: usize) -> &mut Held {
        if self.held.len() <= buffer {
            self.held.resize(buffer + 1, Held::new());
        }
        &mut self.held[buffer]
    }

    /// The running program reads a Ref.
    pub(super) fn load(&mut self, buffer: usize, is_input: bool) {
        let Some(current) = self.programs.len().checked_sub(1) else { return };
        self.programs[current].reads_input |= is_input;
        for writer in self.slot(buffer).clone() {
            if let Some(program) = self.programs.get_mut(writer as usize).filter(|_| writer as usize != current)
                && program.readers.last() != Some(&(current as u32))
            {
                program.readers.push(current as u32);
            }
        }
    }

    /// The running program stores to a Ref: to all of it, or to a part.
    pub(super) fn store(&mut self, buffer: usize, is_all: bool, op: OpId) {
        let Some(current) = self.programs.len().checked_sub(1) else { return };
        let is_certain = self.unsure == 0;
        let held = self.slot(buffer);
        if is_all && is_certain {
            held.clear();
        }
        if !held.contains(&(current as u32)) {
            held.push(current as u32);
        }
        self.programs[current].store = Some(op);
    }

    /// An op that is not followed has to do with a Ref.
    pub(super) fn touch(&mut self, buffer: usize) {
        let held = self.slot(buffer).clone();
        self.keep(&held);
    }

    /// The running program does something else that counts.
    pub(super) fn act(&mut self) {
        if let Some(current) = self.programs.last_mut() {
            current.lasts = true;
        }
    }

    /// What a Ref holds stays.
    pub(super) fn keep(&mut self, held: &Held) {
        for &writer in held {
            if let Some(program) = self.programs.get_mut(writer as usize) {
                program.lasts = true;
            }
        }
    }

    /// Programs in between are not run: they may have read all that there is.
    pub(super) fn jump(&mut self) {
        for held in std::mem::take(&mut self.held) {
            self.keep(&held);
        }
    }

    /// Another block comes into a Ref; what the last one held.
    pub(super) fn exchange(&mut self, buffer: usize, held: Held) -> Held {
        std::mem::replace(self.slot(buffer), held)
    }

    /// Allocations end.
    pub(super) fn truncate(&mut self, buffers: usize) {
        self.held.truncate(buffers);
    }

    /// The first program that read inputs and stored something, for nothing.
    pub(super) fn lost(&self) -> Option<Lost> {
        let mut lives = vec![false; self.programs.len()];
        // Readers come later.
        for (number, program) in self.programs.iter().enumerate().rev() {
            lives[number] = program.lasts || program.readers.iter().any(|&reader| lives[reader as usize]);
        }
        let mut programs = self.programs.iter().zip(lives);
        programs.find_map(|(program, lives)| {
            let store = program.store.filter(|_| program.reads_input && !lives)?;
            Some(Lost { program: program.ids.clone(), store })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OP: OpId = OpId(0);

    #[test]
    fn what_is_overwritten_is_lost_unless_it_was_read() {
        let mut effects = Effects::default();
        effects.begin(&[0]);
        effects.load(0, true);
        effects.store(1, true, OP);
        effects.begin(&[1]);
        effects.load(0, true);
        effects.store(1, true, OP);
        effects.touch(1);
        assert_eq!(effects.lost(), Some(Lost { program: vec![0], store: OP }));

        let mut effects = Effects::default();
        effects.begin(&[0]);
        effects.load(0, true);
        effects.store(1, true, OP);
        effects.begin(&[1]);
        effects.load(1, false);
        effects.store(1, true, OP);
        effects.touch(1);
        assert_eq!(effects.lost(), None);
    }

    #[test]
    fn a_store_to_a_part_or_under_a_condition_takes_nothing_away() {
        for (is_all, unsure) in [(false, 0), (true, 1)] {
            let mut effects = Effects::default();
            effects.begin(&[0]);
            effects.load(0, true);
            effects.store(1, true, OP);
            effects.begin(&[1]);
            effects.unsure = unsure;
            effects.store(1, is_all, OP);
            effects.touch(1);
            assert_eq!(effects.lost(), None);
        }
    }
}
