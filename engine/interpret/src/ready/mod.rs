//! Kernels made ready: what does not change from program to program is worked out once.
//! Tiles have places of their own for the whole run, what a Ref shows is where a buffer begins, chains know their strides, loops and
//! code, and whoever reads a tile knows where it lies. A step is then to add up where its operands begin, and to compute.
//!
//! What is here has no say in what a step means. A kernel that has a step of another kind, or tiles that are too large, runs on its tape,
//! as does every program that somebody looks at, and every one whose blocks lie in another way.

mod motion;
mod place;
mod prepare;
#[cfg(test)]
mod tests;

use crate::error::RunError;
use crate::hooks::Hooks;
use crate::later::Later;
use crate::launch::LaunchPlan;
use crate::machine::Value;
use crate::memory::Memory;
use crate::numbers::Number;
use crate::tape::{NumberOp, Pure};
use pallas_tensor::ops::Scatter;
use pallas_tensor::ops::fused::{Pair, Ready, Reduction, Target};
use pallas_tensor::{Array, Buffer, DType, Shape};
use place::Place;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// Programs that are worth it.
const PROGRAMS: usize = 16;
/// Ways in which blocks lie that a kernel is made ready for.
const WAYS: usize = 3;

/// Elements of an operand that lie apart, by dimension.
type Strides = SmallVec<[isize; 6]>;

/// What a launch's kernel was made, once for all its threads: none where that cannot be.
#[derive(Debug, Default)]
pub(crate) struct Kernels([OnceLock<Option<Kernel>>; WAYS]);

/// A kernel ready to run, for blocks that lie in one way.
#[derive(Debug)]
pub(crate) struct Kernel {
    acts: Vec<Act>,
    inputs: Vec<Input>,
    /// Memory that it writes. Theirs are the first slots.
    owned: Vec<Owned>,
    /// The dtype and the size of what has a place of its own.
    slots: Vec<(DType, usize)>,
    constants: Vec<Array>,
    /// For each number in which slot it is one element, where a chain reads it so.
    numbers: Vec<Option<usize>>,
    /// How many places of parts are found while it runs.
    bases: usize,
}

/// A Ref that is only read.
#[derive(Debug)]
struct Input {
    buffer: usize,
    shape: Shape,
    /// Of a window; none where the buffer holds an array of its own.
    strides: Option<Strides>,
}

/// A Ref that is written.
#[derive(Debug)]
struct Owned {
    buffer: usize,
    shape: Shape,
    /// Whether what it holds before matters: else all of it is written at once, or nothing.
    is_read: bool,
    /// The operand that it is.
    operand: usize,
    /// Whether it is so large that it has no place of its own: nobody reads it, and it is computed once, where it belongs.
    is_apart: bool,
}

/// Where an operand's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Slot(usize),
    Input(usize),
    Constant(usize),
}

/// What a chain reads: from an element on, or from one that was found before.
#[derive(Clone, Copy, Debug)]
struct Read {
    from: From,
    base: usize,
    moves: Option<usize>,
}

type Reads = SmallVec<[Read; 4]>;

/// A scalar that a step takes.
#[derive(Clone, Copy, Debug)]
enum Scalar {
    Number(usize),
    Constant(Number),
    /// The element that a read begins with.
    Element(Read),
}

/// A step.
#[derive(Debug)]
enum Act {
    Number {
        op: NumberOp,
        args: SmallVec<[Scalar; 3]>,
        out: usize,
    },
    /// Loads an integer.
    Element {
        place: Box<Place>,
        from: From,
        out: usize,
    },
    /// Finds where a part begins.
    Find {
        place: Box<Place>,
        moves: usize,
    },
    /// Computes a tile, or part of what a Ref holds from an element on.
    Tile {
        ready: Box<Ready>,
        reads: Reads,
        out: usize,
        base: usize,
        moves: Option<usize>,
    },
    /// Computes all of what a Ref holds, beside what it held before.
    Whole {
        ready: Box<Ready>,
        reads: Reads,
        spare: usize,
        out: usize,
        skips: bool,
    },
    /// Computes all of what a Ref holds that has no place of its own.
    Apart {
        ready: Box<Ready>,
        reads: Reads,
        out: usize,
    },
    Reduce {
        ready: Box<Ready>,
        reduction: Reduction,
        reads: Reads,
        keep: Option<usize>,
        out: usize,
    },
    /// A reduction that keeps its rows, and what is computed of them apart, of which nobody else knows: side by side where they can be.
    Pair {
        reduce: Box<Act>,
        apart: Box<Act>,
        pair: Box<Pair>,
    },
    /// Multiplies matrices that begin somewhere, with their strides; adds the product to what is there, if it says so.
    Product {
        factors: [(Read, [isize; 2]); 2],
        sizes: (usize, usize, usize),
        out: usize,
        adds: bool,
    },
    /// Adds updates to a vector at so many positions, all of which lie in one piece.
    ScatterAdd {
        scatter: Scatter,
        onto: Read,
        updates: From,
        positions: (Read, usize),
        out: usize,
    },
    /// Any other function of tiles, all of which lie in one piece.
    Pure {
        pure: Box<Pure>,
        operands: Vec<(From, DType, Shape)>,
        outs: Vec<usize>,
    },
    Cond {
        which: Scalar,
        branches: Vec<Vec<Act>>,
    },
    For {
        bounds: [Scalar; 2],
        counter: usize,
        begin: Vec<Carry>,
        body: Vec<Act>,
        next: Vec<Carry>,
    },
}

/// What goes from one round of a loop to the next.
#[derive(Debug)]
enum Carry {
    Number { from: Scalar, to: usize },
    Tile { ready: Box<Ready>, reads: Reads, room: usize, to: usize },
}

/// Computes the block of an operand where it belongs; gives whether it has such a place.
pub(crate) type Belongs<'a> = &'a mut dyn FnMut(usize, &mut dyn FnMut(&mut Target<'_>)) -> Result<bool, RunError>;

/// What becomes of the outputs of a program.
pub(crate) struct Outputs<'a> {
    /// Of each operand whether it is written once more before anybody looks.
    pub(crate) skips: &'a [bool],
    /// Where those go that are too large to have a place here.
    pub(crate) belongs: Belongs<'a>,
}

impl Outputs<'_> {
    /// Whether an operand is written once more before anybody looks.
    fn skips(&self, operand: usize) -> bool {
        self.skips.get(operand) == Some(&true)
    }
}

/// Of a run of programs: the kernel that fits them, and its tiles.
#[derive(Debug, Default)]
pub(crate) struct Stage<'a> {
    kernel: Option<&'a Kernel>,
    is_refused: bool,
    frame: Frame,
}

/// The tiles and numbers of a kernel that runs.
#[derive(Debug, Default)]
struct Frame {
    slots: Vec<Buffer>,
    numbers: Vec<Number>,
    bases: Vec<usize>,
    /// Which of the Refs that are written have been.
    stored: Vec<bool>,
    /// What was computed for Refs that have a place neither here nor where they belong.
    apart: Vec<(usize, Array)>,
}

impl Frame {
    fn new(kernel: &Kernel) -> Result<Frame, RunError> {
        let room = |&(dtype, size): &(DType, usize)| -> Result<Buffer, RunError> {
            let mut zeros = Array::zeros(dtype, [size])?;
            Ok(std::mem::replace(zeros.make_mut(), Buffer::U8(Vec::new())))
        };
        Ok(Frame {
            slots: kernel.slots.iter().map(room).collect::<Result<_, _>>()?,
            numbers: vec![Number::Integer(0); kernel.numbers.len()],
            bases: vec![0; kernel.bases],
            stored: vec![false; kernel.owned.len()],
            apart: Vec::new(),
        })
    }
}

impl<'a> Stage<'a> {
    /// Finds the kernel for programs whose blocks lie as they do now.
    pub(crate) fn find(
        &mut self,
        plan: &'a LaunchPlan,
        programs: usize,
        registers: &[Value],
        memory: &Memory,
    ) -> Result<bool, RunError> {
        if self.is_refused || !memory.unknown.is_empty() {
            return Ok(false);
        }
        if self.kernel.is_some_and(|kernel| kernel.fits(memory)) {
            return Ok(true);
        }
        if programs < PROGRAMS {
            self.is_refused = true;
            return Ok(false);
        }
        for kernel in &plan.ready.0 {
            let Some(kernel) = kernel.get_or_init(|| prepare::kernel(plan, registers, memory)) else {
                self.is_refused = true;
                return Ok(false);
            };
            if kernel.fits(memory) {
                self.frame = Frame::new(kernel)?;
                self.kernel = Some(kernel);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs the program with these ids on the kernel that was found.
    pub(crate) fn run(
        &mut self,
        memory: &mut Memory,
        hooks: &mut dyn Hooks,
        plan: &LaunchPlan,
        (ids, grid): (&[usize], &[usize]),
        outputs: Outputs<'_>,
    ) -> Result<(), RunError> {
        let Some(kernel) = self.kernel else { return Err(RunError::malformed("a kernel is not ready")) };
        let frame = &mut self.frame;
        frame.stored.fill(false);
        for (slot, owned) in kernel.owned.iter().enumerate().filter(|(_, owned)| owned.is_read) {
            memory.settle(owned.buffer)?;
            std::mem::swap(&mut frame.slots[slot], memory.buffers[owned.buffer].array.make_mut());
        }
        let ran = motion::run(kernel, frame, memory, (hooks, &plan.tape.locations), (ids, grid), outputs);
        for (buffer, tile) in frame.apart.drain(..) {
            memory.put(buffer, tile);
            memory.buffers[buffer].written = true;
        }
        for (slot, owned) in kernel.owned.iter().enumerate() {
            let (elements, written) = (&mut frame.slots[slot], frame.stored[slot]);
            if owned.is_read {
                let buffer = &mut memory.buffers[owned.buffer];
                std::mem::swap(elements, buffer.array.make_mut());
                buffer.written |= written;
            } else if written {
                let (dtype, _) = kernel.slots[slot];
                let buffer = &mut memory.buffers[owned.buffer];
                if buffer.later.is_some() || *buffer.array.shape() != owned.shape || !buffer.array.is_unique() {
                    let tile = memory.workshop.tiles.take(dtype, &owned.shape)?;
                    memory.workshop.tiles.keep(&tile);
                    memory.put(owned.buffer, tile);
                }
                let buffer = &mut memory.buffers[owned.buffer];
                std::mem::swap(elements, buffer.array.make_mut());
                buffer.written = true;
            }
        }
        ran
    }
}

impl Kernel {
    /// Whether blocks lie as it takes them.
    fn fits(&self, memory: &Memory) -> bool {
        let inputs = self.inputs.iter().all(|input| {
            let buffer = &memory.buffers[input.buffer];
            match (&buffer.later, &input.strides) {
                (Some(Later::Block(window)), Some(strides)) => window.layout.strides == *strides,
                (None, None) => *buffer.array.shape() == input.shape,
                _ => false,
            }
        });
        inputs && self.owned.iter().all(|owned| !owned.is_read || memory.shape(owned.buffer) == Some(&owned.shape))
    }
}
