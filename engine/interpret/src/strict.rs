//! A strict run: finds results that depend on memory which nobody has written, on what lies past the end of an array, or on lanes
//! that a mask leaves out, unless that was proved to be impossible ([`crate::proofs`]).
//!
//! Memory that nobody has written holds JAX's values (NaN, the smallest integer). The launch runs a second time with others: an
//! element of an output that differs depends on them, whatever way they took, and one that does not differ does not. Only then
//! are programs looked at one by one, to say which of them stored it, and where.

use crate::error::{RunError, RunErrorKind};
use crate::fill::{self, Fill};
use crate::hooks::{Hooks, ProgramEvent, StoreEvent, TileEvent};
use crate::launch::LaunchPlan;
use pallas_ir::function::Location;
use pallas_ir::{Interpretation, Role};
use pallas_tensor::{Array, Scalar};

/// Programs whose stores are looked at.
const MOST: usize = 256;

/// An element of an output that depends on memory that nobody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The output's name in the kernel.
    pub name: String,
    /// Where in the output.
    pub element: Vec<usize>,
    /// How many elements of the output there are like it.
    pub count: usize,
    /// On what it depends.
    pub cause: Cause,
    /// Whether it is what memory held, to the bit.
    pub kept: bool,
    /// The store that brought it there, and the ids of its program; none where no store has changed the element.
    pub store: Option<(Location, Vec<usize>)>,
}

/// What an undefined element depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Memory that nobody has written.
    Memory,
    /// What lies past the end of an array.
    Padding,
    /// What a load has where its mask is false.
    Lanes,
}

impl LaunchPlan {
    /// Whether a strict run has to look for memory that nobody has written.
    pub fn may_leak(&self) -> bool {
        let plain = matches!(self.interpretation, Interpretation::Unsaid | Interpretation::Plain);
        plain && !self.proofs.defined && self.peers.is_none() && self.topology.is_none()
    }

    /// Tells the hooks of elements of outputs that depend on memory which nobody has written.
    pub(crate) fn look_for_leaks(
        &self,
        inputs: &[Array],
        outputs: &[Array],
        hooks: &mut dyn Hooks,
    ) -> Result<(), RunError> {
        let others = match self.again(inputs, Fill::ALL, &mut Again { caller: &mut *hooks }) {
            // The launch itself did run: its outputs stay what they are.
            Err(error) if error.kind != RunErrorKind::Cancelled => return Ok(()),
            others => others?,
        };
        for (position, (output, other)) in outputs.iter().zip(&others).enumerate() {
            let Some((element, count)) = differing(output, other) else { continue };
            let mut depends_on = |fill: Fill| {
                let others = self.again(inputs, fill, &mut Again { caller: &mut *hooks })?;
                Ok::<_, RunError>(others.get(position).is_some_and(|other| differing(output, other).is_some()))
            };
            let cause = if depends_on(Fill { padding: true, ..Fill::default() })? {
                Cause::Padding
            } else if depends_on(Fill { lanes: true, ..Fill::default() })? {
                Cause::Lanes
            } else {
                Cause::Memory
            };
            let at = position_of(&element, other);
            let kept = other.get(at).is_some_and(|value| alike(value, fill::other(other.dtype())));
            let store = self.store_of(position, &element, inputs, hooks)?;
            let name = self.with_role(Role::Output).nth(position).map(|operand| operand.name.to_string());
            hooks.undefined(&Undefined { name: name.unwrap_or_default(), element, count, cause, kept, store });
        }
        Ok(())
    }

    fn again(&self, inputs: &[Array], fill: Fill, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        fill.during(|| self.run_all(inputs.to_vec(), hooks))
    }

    /// The first store to an element of an output that depends on the fill.
    fn store_of(
        &self,
        output: usize,
        element: &[usize],
        inputs: &[Array],
        hooks: &mut dyn Hooks,
    ) -> Result<Option<(Location, Vec<usize>)>, RunError> {
        let operand = self.operands.iter().position(|operand| operand.role == Role::Output).map(|first| first + output);
        let Some(operand) = operand else { return Ok(None) };
        let blocks = &self.operands[operand].blocks;
        let place = |indices: &[i64]| blocks.place(element, indices);
        let mut visitors = Visitors { caller: &mut *hooks, operand, found: Vec::new(), place: &place };
        self.again(inputs, Fill::default(), &mut visitors)?;
        let found = visitors.found;
        let mut watch = |fill: Fill| -> Result<Vec<Stored>, RunError> {
            let mut watching =
                Watching { caller: &mut *hooks, operand, found: &found, current: None, stores: Vec::new() };
            self.again(inputs, fill, &mut watching)?;
            Ok(watching.stores)
        };
        let (first, second) = (watch(Fill::default())?, watch(Fill::ALL)?);
        // Where what is stored is as undefined as what was there, it changes something where the two are not alike.
        let third = watch(Fill { outputs: false, ..Fill::ALL })?;
        // A store of other elements leaves this one as it was, in all runs.
        let brings = |((one, other), another): &((Stored, Stored), Stored)| {
            !alike(one.value, other.value) && (one.changes || other.changes || another.changes)
        };
        let differs = first.into_iter().zip(second).zip(third).find(brings);
        Ok(differs.map(|((stored, _), _)| (stored.location, stored.ids)))
    }
}

/// The first element in which two arrays differ, and how many do; all NaN are alike.
pub fn differing(left: &Array, right: &Array) -> Option<(Vec<usize>, usize)> {
    if left.same_bits(right) {
        return None;
    }
    let differs =
        left.iter_scalars().zip(right.iter_scalars()).enumerate().filter(|(_, (one, other))| !alike(*one, *other));
    let (mut first, mut count) = (None, 0);
    for (number, _) in differs {
        first.get_or_insert(number);
        count += 1;
    }
    let mut rest = first?;
    let mut element = vec![0; left.rank()];
    for (place, &size) in element.iter_mut().zip(left.shape()).rev() {
        *place = rest % size;
        rest /= size;
    }
    Some((element, count))
}

/// Where an element is in row-major order.
fn position_of(element: &[usize], array: &Array) -> usize {
    element.iter().zip(&array.shape().strides()).map(|(place, stride)| place * stride).sum()
}

/// Whether two elements are alike: the same to the bit, or NaN.
pub fn alike(left: Scalar, right: Scalar) -> bool {
    match (left, right) {
        (Scalar::Float(left), Scalar::Float(right)) => {
            left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
        }
        (left, right) => left == right,
    }
}

/// A run that is only done for its outputs: what it says was said before.
struct Again<'a> {
    caller: &'a mut dyn Hooks,
}

impl Hooks for Again<'_> {
    fn cancelled(&mut self) -> bool {
        self.caller.cancelled()
    }

    fn threads(&self) -> usize {
        self.caller.threads()
    }
}

/// Where in a program's Ref an element is, by the indices of its block; none where the block has another part of the array.
type Place<'a> = &'a dyn Fn(&[i64]) -> Option<Vec<usize>>;

/// Finds the programs whose block of an operand has an element.
struct Visitors<'a> {
    caller: &'a mut dyn Hooks,
    operand: usize,
    place: Place<'a>,
    /// Their numbers, and where in the Ref the element is.
    found: Vec<(usize, Vec<usize>)>,
}

impl Hooks for Visitors<'_> {
    fn cancelled(&mut self) -> bool {
        self.caller.cancelled()
    }

    fn wants_programs(&self) -> bool {
        true
    }

    fn program(&mut self, event: &ProgramEvent<'_>) {
        if self.found.len() < MOST
            && let Some(place) = event.blocks.get(self.operand).and_then(|indices| (self.place)(indices))
        {
            self.found.push((event.number, place));
        }
    }
}

/// What a store left at an element.
struct Stored {
    location: Location,
    ids: Vec<usize>,
    value: Scalar,
    /// Whether something else was there before.
    changes: bool,
}

/// Keeps what programs store to an element.
struct Watching<'a> {
    caller: &'a mut dyn Hooks,
    operand: usize,
    found: &'a [(usize, Vec<usize>)],
    /// The ids of the program that runs, its memory of the operand and the place in it, if it has the element.
    current: Option<(Vec<usize>, usize, &'a [usize])>,
    stores: Vec<Stored>,
}

impl Hooks for Watching<'_> {
    fn cancelled(&mut self) -> bool {
        self.caller.cancelled()
    }

    fn looks_at_programs(&self) -> bool {
        true
    }

    fn wants_tiles(&self, number: usize) -> bool {
        self.found.binary_search_by_key(&number, |(number, _)| *number).is_ok()
    }

    fn tiles(&mut self, event: TileEvent<'_>) {
        let found = self.found.binary_search_by_key(&event.number, |(number, _)| *number).ok();
        let place = found.filter(|_| !event.after).and_then(|at| self.found.get(at)).map(|(_, place)| place.as_slice());
        self.current = place.and_then(|place| Some((event.ids.to_vec(), *event.buffers.get(self.operand)?, place)));
    }

    fn wants_stores(&self) -> bool {
        self.current.is_some()
    }

    fn stored(&mut self, event: StoreEvent<'_>) {
        let Some((ids, buffer, place)) = &self.current else { return };
        if event.buffer != *buffer {
            return;
        }
        let at = position_of(place, &event.after);
        if let (Some(before), Some(value)) = (event.before.iter_scalars().nth(at), event.after.iter_scalars().nth(at)) {
            let changes = !alike(before, value);
            self.stores.push(Stored { location: event.location.clone(), ids: ids.clone(), value, changes });
        }
    }
}
