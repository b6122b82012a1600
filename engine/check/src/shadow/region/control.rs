//! Loops, branches and scoped allocations: run where what they ask for is known, otherwise what they write is taken for
//! fine.

use super::{ELEMENTS_PER_STEP, Machine, Run, Tile, Value};
use crate::shadow::Garbage;
use crate::shadow::labels;
use crate::shadow::memory::{Buffer, View};
use pallas_ir::op::ControlOp;
use pallas_ir::{MemorySpace, OpData, OpKind, RegionId};
use pallas_tensor::{Array, Scalar, Shape};
use smallvec::SmallVec;

/// Loops of more rounds are not run: what they write is taken for fine.
const MOST_ROUNDS: i64 = 64;

impl<'a> Machine<'a> {
    pub(super) fn control(&mut self, control: ControlOp, op: &'a OpData) -> Run<()> {
        match control {
            ControlOp::For => self.count(op),
            ControlOp::While => self.repeat(op),
            ControlOp::Cond => self.choose(op),
            ControlOp::Scoped => self.allocate(op),
            // Programs within the program: what they write is taken for fine.
            ControlOp::Pipeline => {
                self.skip(op);
                Ok(())
            }
            ControlOp::Call => {
                let operands: SmallVec<[Tile; 4]> = op.operands.iter().map(|&operand| self.tile(operand)).collect();
                let Some(&body) = op.regions.first() else { return Ok(()) };
                self.enter(body, operands);
                self.region(body)?;
                self.results(op, self.yields(body));
                Ok(())
            }
        }
    }

    fn enter(&mut self, region: RegionId, values: impl IntoIterator<Item = Tile>) {
        let function = self.function;
        for (&param, tile) in function.region(region).params.iter().zip(values) {
            self.put(param, Value::Tile(tile));
        }
    }

    fn yields(&self, region: RegionId) -> SmallVec<[Tile; 4]> {
        self.function.region(region).yields.iter().map(|&value| self.tile(value)).collect()
    }

    fn results(&mut self, op: &OpData, tiles: impl IntoIterator<Item = Tile>) {
        for (&result, tile) in op.results.iter().zip(tiles) {
            self.put(result, Value::Tile(tile));
        }
    }

    fn count(&mut self, op: &'a OpData) -> Run<()> {
        let (Some(&lower), Some(&upper), Some(&body)) = (op.operands.first(), op.operands.get(1), op.regions.first())
        else {
            return Ok(());
        };
        let dtype = self.function.ty(lower).dtype();
        let bounds = [lower, upper].map(|bound| integer(&self.tile(bound)));
        let [Some(lower), Some(upper)] = bounds else {
            self.skip(op);
            return Ok(());
        };
        if upper.saturating_sub(lower) > MOST_ROUNDS {
            return self.count_any(op, body);
        }
        let mut carries: SmallVec<[Tile; 4]> = op.operands.iter().skip(2).map(|&operand| self.tile(operand)).collect();
        for counter in lower..upper.max(lower) {
            let known = Some(Array::scalar(dtype, Scalar::Int(counter.into())));
            let counter = Tile { shape: Shape::default(), known, labels: None };
            self.enter(body, std::iter::once(counter).chain(carries));
            self.region(body)?;
            carries = self.yields(body);
        }
        self.results(op, carries);
        Ok(())
    }

    /// A loop of many rounds: what is so after any round, whichever it is. What comes to that is garbage after all of them, and
    /// everything else that the loop writes is taken for fine.
    fn count_any(&mut self, op: &'a OpData, body: RegionId) -> Run<()> {
        let before = self.memory.clone();
        self.effects.unsure += 1;
        let mut steady = None;
        for _ in 0..3 {
            let round = self.round_any(op, body);
            if round.is_err() {
                self.effects.unsure -= 1;
                return round;
            }
            let after = std::mem::take(&mut self.memory);
            let is_steady = steady.as_ref().is_some_and(|known: &Vec<Buffer>| {
                known.iter().zip(&after).all(|(known, after)| labels::same(&known.labels, &after.labels))
            });
            // What is garbage after one round and not after the next is fine sooner or later.
            self.memory = match steady.take() {
                Some(known) => merged(known, after),
                None => after,
            };
            if is_steady {
                self.effects.unsure -= 1;
                let held: Vec<_> = self.memory.iter().map(|buffer| buffer.labels.clone()).collect();
                self.skip(op);
                for (buffer, held) in self.memory.iter_mut().zip(held) {
                    buffer.labels = held;
                }
                return Ok(());
            }
            steady = Some(self.memory.clone());
        }
        self.effects.unsure -= 1;
        self.memory = before;
        self.skip(op);
        Ok(())
    }

    /// One round of which nothing is known.
    fn round_any(&mut self, op: &'a OpData, body: RegionId) -> Run<()> {
        for (position, &param) in self.function.region(body).params.iter().enumerate() {
            let unknown = self.unknown(param);
            self.charge(usize::from(position == 0) * op.regions.len())?;
            self.put(param, Value::Tile(unknown));
        }
        self.region(body)
    }

    fn repeat(&mut self, op: &'a OpData) -> Run<()> {
        let [condition, body] = op.regions[..] else { return Ok(()) };
        let mut carries: SmallVec<[Tile; 4]> = op.operands.iter().map(|&operand| self.tile(operand)).collect();
        let before = self.memory.clone();
        // How often it runs may not be known.
        self.effects.unsure += 1;
        let ended = self.rounds(condition, body, &mut carries);
        self.effects.unsure -= 1;
        if ended? {
            self.results(op, carries);
            return Ok(());
        }
        // As if it had not begun, and had done whatever is needed.
        self.memory = before;
        self.skip(op);
        Ok(())
    }

    /// Runs a loop as long as it is known to go on: whether its end was reached.
    fn rounds(&mut self, condition: RegionId, body: RegionId, carries: &mut SmallVec<[Tile; 4]>) -> Run<bool> {
        for _ in 0..MOST_ROUNDS {
            self.enter(condition, carries.iter().cloned());
            self.region(condition)?;
            let goes_on = self.yields(condition).first().and_then(|flag| flag.known.as_ref()?.item()?.as_bool());
            match goes_on {
                Some(true) => {}
                Some(false) => return Ok(true),
                None => break,
            }
            self.enter(body, std::mem::take(carries));
            self.region(body)?;
            *carries = self.yields(body);
        }
        Ok(false)
    }

    fn choose(&mut self, op: &'a OpData) -> Run<()> {
        let Some(&which) = op.operands.first() else { return Ok(()) };
        let which = self.tile(which);
        let last = op.regions.len().saturating_sub(1) as i64;
        let chosen = which.known.as_ref().and_then(Array::item).and_then(|which| match which {
            Scalar::Bool(which) => Some(i64::from(which)),
            which => which.as_int().and_then(|which| i64::try_from(which).ok()),
        });
        if let Some(chosen) = chosen
            && let Some(&region) = op.regions.get(chosen.clamp(0, last) as usize)
        {
            self.region(region)?;
            let yields = self.yields(region);
            self.results(op, yields);
            return Ok(());
        }
        let before = self.memory.clone();
        let mut after: Option<(Vec<Buffer>, SmallVec<[Tile; 4]>)> = None;
        self.effects.unsure += 1;
        for &region in &op.regions {
            self.memory = before.clone();
            self.region(region)?;
            let yields = self.yields(region);
            let memory = std::mem::take(&mut self.memory);
            after = Some(match after {
                None => (memory, yields),
                Some((others, other_yields)) => {
                    let pairs = others.iter().zip(&memory);
                    let elements: usize = pairs.map(|(a, b)| labels::compared(&a.labels, &b.labels)).sum();
                    self.charge(elements / ELEMENTS_PER_STEP)?;
                    (merged(others, memory), joined(other_yields, yields))
                }
            });
        }
        self.effects.unsure -= 1;
        match after {
            Some((memory, yields)) => {
                self.memory = memory;
                self.results(op, yields);
            }
            None => self.memory = before,
        }
        Ok(())
    }

    fn allocate(&mut self, op: &'a OpData) -> Run<()> {
        let Some(&body) = op.regions.first() else { return Ok(()) };
        let first = self.memory.len();
        let function = self.function;
        for &param in &function.region(body).params {
            let Some(ty) = function.ty(param).as_ref_type() else { continue };
            let name = function.value(param).name.as_deref().unwrap_or("the allocation").to_string();
            let buffer = self.memory.len();
            self.memory.push(Buffer { shape: ty.shape.clone(), labels: None, name });
            // Accumulators in registers begin as zeros.
            if !matches!(ty.space, MemorySpace::Semaphore | MemorySpace::Registers) {
                let label = self.label(Garbage::Unwritten, buffer);
                self.memory[buffer].fill(label);
            }
            self.put(param, Value::Ref(View::whole(buffer, &ty.shape)));
        }
        self.region(body)?;
        let yields = self.yields(body);
        self.memory.truncate(first);
        self.effects.truncate(first);
        self.results(op, yields);
        Ok(())
    }

    /// A loop that is not run: every Ref that it mentions is taken for fine, and so are its results.
    fn skip(&mut self, op: &OpData) {
        self.trust(op);
        let mut regions: SmallVec<[RegionId; 4]> = op.regions.iter().copied().collect();
        while let Some(region) = regions.pop() {
            for &id in &self.function.region(region).ops {
                let inner = self.function.op(id);
                regions.extend(inner.regions.iter().copied());
                if !matches!(inner.op.kind, OpKind::Pure { .. }) {
                    self.trust(inner);
                }
            }
        }
    }
}

/// Memory after one of two ways: garbage is what is garbage both ways.
fn merged(mut left: Vec<Buffer>, right: Vec<Buffer>) -> Vec<Buffer> {
    for (left, right) in left.iter_mut().zip(right) {
        left.labels = labels::both(left.labels.take(), right.labels);
    }
    left
}

fn joined(left: SmallVec<[Tile; 4]>, right: SmallVec<[Tile; 4]>) -> SmallVec<[Tile; 4]> {
    let join = |(left, right): (Tile, Tile)| {
        let same = matches!((&left.known, &right.known), (Some(a), Some(b)) if a.same_bits(b));
        Tile { shape: left.shape, known: left.known.filter(|_| same), labels: labels::both(left.labels, right.labels) }
    };
    left.into_iter().zip(right).map(join).collect()
}

fn integer(tile: &Tile) -> Option<i64> {
    i64::try_from(tile.known.as_ref()?.item()?.as_int()?).ok()
}
