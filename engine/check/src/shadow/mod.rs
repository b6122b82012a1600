//! Runs kernels on what is known without data, and follows what must not matter: elements of a block that lie past the end
//! of its array, memory that nothing was written to, lanes that a mask leaves out, and what programs leave to each other along axes that are declared
//! parallel. Each such element carries a label; labels go where values go,
//! and a label that arrives inside an output array is a leak: the output holds garbage.
//!
//! This is MemorySanitizer's idea (Stepanov and Serebryany, CGO 2015) with a label an element, as JAX's NaN filling cannot
//! do it: integers have no NaN. Values that follow from program ids, loop counters and constants are computed exactly;
//! others are unknown. Wherever something unknown decides, the kernel gets the benefit of the doubt: nothing is reported
//! that another value could make right. Of large grids only first, second and last programs along each axis are run.

mod access;
mod effects;
mod labels;
mod lanes;
mod machine;
mod memory;
mod programs;
mod pure;
mod region;

pub(crate) use effects::Lost;
pub(crate) use lanes::Lane;
pub(crate) use machine::run;

use pallas_syntax::Span;
use pallas_tensor::Shape;

/// What a run shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The garbage that outputs hold because of a read.
    pub(crate) leaks: Vec<Leak>,
    /// What of the outputs nobody writes.
    pub(crate) unwritten: Vec<Unwritten>,
    /// Lanes of masked accesses that lie outside of their Ref, one of each access.
    pub(crate) lanes: Vec<Lane>,
    /// A program that reads inputs and stores something, of which nothing reaches an output.
    pub(crate) lost: Option<Lost>,
}

/// A part of an output that is in a program's block, and that no program writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwritten {
    /// The output, by its place among the operands.
    pub(crate) output: usize,
    /// From where to where along each dimension of the array: all that is not written of one block lies within.
    pub(crate) ranges: Vec<(usize, usize)>,
    /// How many elements that are.
    pub(crate) count: usize,
}

/// Garbage that an output holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leak {
    /// What kind of garbage.
    pub(crate) kind: Garbage,
    /// The read that took it in.
    pub(crate) read: Span,
    /// The calls that led to the read, innermost first.
    pub(crate) calls: Vec<Span>,
    /// The Ref that was read: its name in the kernel.
    pub(crate) name: String,
    /// The program that read it.
    pub(crate) program: Vec<usize>,
    /// What was read: `rows 4..32 of the block`.
    pub(crate) part: String,
    /// The output, by its place among the operands.
    pub(crate) output: usize,
    /// The first element of it that depends on the garbage, in coordinates of the array; `None` where data says which it is.
    pub(crate) element: Option<Vec<usize>>,
}

impl Leak {
    /// `element (3, 0) of o_ref`
    pub(crate) fn place(&self, output: &str) -> String {
        match &self.element {
            Some(element) => format!("element {} of {output}", Shape::from(&element[..])),
            None => format!("an element of {output} that data says"),
        }
    }
}

/// Kinds of garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Garbage {
    /// Past the end of an input: which operand.
    Padding(usize),
    /// Never written.
    Unwritten,
    /// What a load has where its mask is false, and nobody said what to put there.
    Lanes,
    /// Left by programs with other ids along this axis, which is declared parallel.
    Shared(usize),
}
