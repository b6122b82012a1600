//! The schedule of a software pipeline with N slots per operand: which copy starts and which wait stands where, as the
//! guide derives it ("Deriving a Double-Buffered Pipeline"). With S slots an input's copy is started S - 1 programs
//! ahead; an output's copy is waited for right before its slot is written again. Copies are left out where the block does
//! not move. A program's part is computed from its number, never from the programs before it.
//!
//! Knows no machine and no time: that is `timing`.

use crate::moves::{Moves, Order};
use std::sync::Arc;

/// Which way blocks of an operand go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Brought on chip before the program runs.
    In,
    /// Written back after it.
    Out,
}

/// The blocks of one operand as they come and go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The kernel's parameter.
    pub name: Arc<str>,
    /// Position among the launch's operands.
    pub operand: usize,
    /// Which way they go.
    pub direction: Direction,
    /// Bytes of one block.
    pub bytes: u128,
    /// Buffer slots; at least 1.
    pub slots: usize,
    /// When the block moves.
    pub moves: Moves,
}

/// One line of the pipelined loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Starts a copy between the block of a program and a slot.
    Start {
        /// Position in [`Schedule::streams`].
        stream: usize,
        /// The program whose block it is; of several that share the block, the first for inputs and the last for outputs.
        program: usize,
        /// Number of the copy among those of its stream.
        copy: usize,
        /// The slot.
        slot: usize,
    },
    /// Waits until a copy is done.
    Wait {
        /// Position in [`Schedule::streams`].
        stream: usize,
        /// Number of the copy among those of its stream.
        copy: usize,
        /// The slot.
        slot: usize,
    },
    /// Runs the kernel.
    Compute {
        /// The program.
        program: usize,
    },
}

/// The pipelined loop of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The programs.
    pub order: Order,
    /// Their operands, inputs and outputs, in the order of the kernel's parameters.
    pub streams: Vec<Stream>,
}

impl Stream {
    /// The slot of a copy.
    pub fn slot(&self, copy: usize) -> usize {
        copy % self.slots.max(1)
    }

    /// How many programs ahead copies are started.
    pub fn ahead(&self) -> usize {
        match self.direction {
            Direction::In => self.slots.max(1) - 1,
            Direction::Out => 0,
        }
    }
}

impl Schedule {
    /// How many programs there are.
    pub fn programs(&self) -> usize {
        self.order.programs()
    }

    fn inputs(&self) -> impl Iterator<Item = (usize, &Stream)> {
        self.streams.iter().enumerate().filter(|(_, stream)| stream.direction == Direction::In)
    }

    fn outputs(&self) -> impl Iterator<Item = (usize, &Stream)> {
        self.streams.iter().enumerate().filter(|(_, stream)| stream.direction == Direction::Out)
    }

    fn start(&self, at: usize, program: usize) -> Instruction {
        let stream = &self.streams[at];
        let copy = stream.moves.until(&self.order, program);
        Instruction::Start { stream: at, program, copy, slot: stream.slot(copy) }
    }

    fn wait(&self, at: usize, copy: usize) -> Instruction {
        Instruction::Wait { stream: at, copy, slot: self.streams[at].slot(copy) }
    }

    /// Whether a program needs another block of a stream than the one before it. The first one does.
    fn is_new(&self, stream: &Stream, program: usize) -> bool {
        program == 0 || stream.moves.into_program(&self.order, program)
    }

    /// What stands before the loop: the copies that fill the slots.
    pub fn prologue(&self) -> Vec<Instruction> {
        let mut lines = Vec::new();
        let deepest = self.inputs().map(|(_, stream)| stream.ahead()).max().unwrap_or(0);
        for program in 0..deepest.min(self.programs()) {
            for (at, stream) in self.inputs() {
                if program < stream.ahead() && self.is_new(stream, program) {
                    lines.push(self.start(at, program));
                }
            }
        }
        lines
    }

    /// What the loop does in the iteration of a program.
    pub fn iteration(&self, program: usize) -> Vec<Instruction> {
        let mut lines = Vec::new();
        let programs = self.programs();
        for (at, stream) in self.inputs() {
            let target = program.saturating_add(stream.ahead());
            if target < programs && self.is_new(stream, target) {
                lines.push(self.start(at, target));
            }
        }
        for (at, stream) in self.inputs() {
            if self.is_new(stream, program) {
                lines.push(self.wait(at, stream.moves.until(&self.order, program)));
            }
        }
        lines.push(Instruction::Compute { program });
        let mut started = Vec::new();
        for (at, stream) in self.outputs() {
            if program + 1 == programs || self.is_new(stream, program + 1) {
                let line = self.start(at, program);
                if let Instruction::Start { copy, .. } = line {
                    started.push((at, copy));
                }
                lines.push(line);
            }
        }
        for (at, copy) in started {
            // The copy that last used the slot that is written next.
            if let Some(earlier) = (copy + 1).checked_sub(self.streams[at].slots.max(1)) {
                lines.push(self.wait(at, earlier));
            }
        }
        lines
    }

    /// What stands behind the loop: the copies of the last blocks come to their end.
    pub fn epilogue(&self) -> Vec<Instruction> {
        let mut lines = Vec::new();
        if self.programs() == 0 {
            return lines;
        }
        for (at, stream) in self.outputs() {
            let copies = stream.moves.copies(&self.order);
            let open = stream.slots.max(1) - 1;
            for copy in copies.saturating_sub(open)..copies {
                lines.push(self.wait(at, copy));
            }
        }
        lines
    }

    /// Bytes that are copied for the whole grid, in and out.
    pub fn bytes(&self) -> u128 {
        self.streams.iter().map(|stream| stream.bytes.saturating_mul(stream.moves.copies(&self.order) as u128)).sum()
    }

    /// Bytes of all slots.
    pub fn slot_bytes(&self) -> u128 {
        self.streams.iter().map(|stream| stream.bytes.saturating_mul(stream.slots.max(1) as u128)).sum()
    }
}
