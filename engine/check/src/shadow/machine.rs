//! A launch: which blocks programs get, what of them lies past the end of the array, what outputs hold at the end.

use super::effects::{Held, Lost};
use super::labels::{self, Labels};
use super::memory::{Buffer, LARGEST};
use super::programs::{Programs, follows};
use super::region::{MOST_STEPS, Machine};
use super::{Found, Garbage, Leak, Unwritten};
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{
    AxisSemantics, BlockMap, DimIndex, IndexForm, Launch, MemorySpace, OpKind, Operand, Position, Role, Target,
};
use pallas_tensor::Array;
use std::collections::HashMap;

/// The garbage that the outputs of a launch hold, one leak for each read that took some in, and what is not written.
pub(crate) fn run(launch: &Launch) -> Found {
    // How many programs there are decides what the last one sees.
    // Programs that act on each other cannot be followed one by one.
    if !launch.dynamic.is_empty() || launch.programs() == 0 || launch.has_agents() {
        return Found::default();
    }
    let mut programs = Programs::of(&launch.grid);
    loop {
        match attempt(launch, &programs) {
            Ok(found) => return found,
            Err(most) => match programs.fewer(&launch.grid, most) {
                Some(fewer) => programs = fewer,
                None => return Found::default(),
            },
        }
    }
}

/// What these programs show; for how many there is time, if it is for fewer.
fn attempt(launch: &Launch, programs: &Programs) -> Result<Found, usize> {
    let mut run = Run::new(launch);
    let mut last: Option<Vec<usize>> = None;
    // What one program costs.
    let mut dearest = 0;
    for program in programs.iter() {
        if last.as_ref().is_some_and(|last| !follows(&launch.grid, last, &program)) {
            run.jump();
        }
        run.bring(&program, programs.is_all);
        if let Some(last) = &last {
            run.separate(last, &program);
        }
        let before = run.machine.steps;
        let is_done = run.machine.run(program.clone()).is_ok();
        dearest = dearest.max(before.saturating_sub(run.machine.steps)).max(1);
        // A run that ends early says nothing, as what is left undone may be what is needed; one that will is not gone on with.
        let is_too_much = last.is_none() && dearest.saturating_mul(programs.count()) > 2 * MOST_STEPS;
        if !is_done || is_too_much {
            return Err(if is_done || last.is_some() { MOST_STEPS / dearest } else { 0 });
        }
        last = Some(program);
    }
    run.put_back();
    let lanes = std::mem::take(&mut run.machine.lanes);
    Ok(Found { leaks: run.judge(), unwritten: run.unwritten(), lanes, lost: run.lost() })
}

/// A block of an output, by operand and block indices.
type Place = (usize, Vec<i64>);

struct Run<'a> {
    launch: &'a Launch,
    maps: Vec<BlockMap<'a>>,
    machine: Machine<'a>,
    /// The block of each operand that is in the kernel's Ref.
    current: Vec<Option<Vec<i64>>>,
    /// What blocks of outputs hold that are not in the kernel's Ref.
    blocks: HashMap<Place, Labels>,
    /// The programs whose stores they hold.
    stored: HashMap<Place, Held>,
}

impl<'a> Run<'a> {
    fn new(launch: &'a Launch) -> Self {
        let mut machine = Machine::new(&launch.kernel, &launch.grid);
        let is_kept = |operand: &Operand| !launch.has_peers() && operand.role == Role::Output && stays(operand);
        machine.kept = launch.operands.iter().map(is_kept).collect();
        machine.operands = &launch.operands;
        machine.parts_by_masks = launch.target == Target::Triton;
        machine.inputs = launch.operands.iter().map(|operand| operand.role == Role::Input).collect();
        for (index, operand) in launch.operands.iter().enumerate() {
            let shape = launch.kernel.params().get(index).map(|&param| launch.kernel.ty(param).shape().clone());
            machine.memory.push(Buffer {
                shape: shape.unwrap_or_default(),
                labels: None,
                name: operand.name.to_string(),
            });
        }
        for (index, scratch) in launch.scratch.iter().enumerate() {
            let buffer = launch.operands.len() + index;
            let param = launch.kernel.params().get(buffer);
            let name = param.and_then(|&param| launch.kernel.value(param).name.as_deref()).unwrap_or("the scratch Ref");
            machine.memory.push(Buffer { shape: scratch.shape.clone(), labels: None, name: name.to_string() });
            if scratch.space != MemorySpace::Semaphore {
                let label = machine.label(Garbage::Unwritten, buffer);
                machine.memory[buffer].fill(label);
            }
        }
        Run {
            launch,
            maps: launch.operands.iter().map(|operand| BlockMap::new(operand, launch.grid.len())).collect(),
            machine,
            current: vec![None; launch.operands.len()],
            blocks: HashMap::new(),
            stored: HashMap::new(),
        }
    }

    /// Programs between the last and the next are not run. What was not written so far, they may have written.
    fn jump(&mut self) {
        let unread: Vec<bool> =
            (0..=self.machine.sources.len()).map(|label| self.machine.is_unread(label as i32)).collect();
        let forget = |held: &mut Labels| {
            *held = labels::without(held.take(), |label| unread[label as usize]);
        };
        let operands = &self.launch.operands;
        for (index, buffer) in self.machine.memory.iter_mut().enumerate() {
            if operands.get(index).is_none_or(|operand| operand.role == Role::Output) {
                forget(&mut buffer.labels);
            }
        }
        self.blocks.values_mut().for_each(forget);
        self.machine.effects.jump();
        for held in std::mem::take(&mut self.stored).into_values() {
            self.machine.effects.keep(&held);
        }
    }

    /// Brings a program's blocks into the kernel's Refs.
    fn bring(&mut self, program: &[usize], is_all: bool) {
        for (index, operand) in self.launch.operands.iter().enumerate() {
            let wanted = self.maps[index].indices(program);
            match operand.role {
                Role::Prefetch => {}
                Role::Input => {
                    self.machine.memory[index].labels = None;
                    if let Some(starts) = self.maps[index].starts(program) {
                        self.machine.memory[index].labels = self.padding(index, operand, &starts);
                    }
                }
                Role::Output => {
                    if wanted.is_some() && self.current[index] == wanted {
                        continue;
                    }
                    let held = self.machine.memory[index].labels.take();
                    let place = |indices: &Vec<i64>| (index, indices.clone());
                    let arriving = wanted.as_ref().and_then(|wanted| self.stored.remove(&place(wanted)));
                    let stored = self.machine.effects.exchange(index, arriving.unwrap_or_default());
                    match &self.current[index] {
                        Some(before) => {
                            self.stored.insert(place(before), stored);
                        }
                        // Which block it was is not known.
                        None => self.machine.effects.keep(&stored),
                    }
                    if let Some(before) = self.current[index].take() {
                        self.blocks.insert((index, before), held);
                    }
                    let Some(wanted) = wanted else { continue };
                    self.machine.memory[index].labels = match self.blocks.remove(&(index, wanted.clone())) {
                        Some(held) => held,
                        None if self.begins_unwritten(index, is_all) => {
                            let label = self.machine.label(Garbage::Unwritten, index);
                            self.machine.memory[index].fill(label);
                            self.machine.memory[index].labels.take()
                        }
                        None => None,
                    };
                    self.current[index] = Some(wanted);
                }
            }
        }
    }

    /// Programs with other ids along a parallel axis do not see each other's memory.
    fn separate(&mut self, last: &[usize], program: &[usize]) {
        let is_triton = self.launch.target == Target::Triton;
        // Programs that meet by atomics may have an order of their own: a lock, a counter of those that are done.
        if is_triton && self.has_atomics() {
            return;
        }
        // Mosaic GPU takes all axes for parallel where nothing is said.
        let is_unsaid = self.launch.target.is_mosaic_gpu() && self.launch.semantics.is_empty();
        for axis in 0..self.launch.grid.len() {
            let is_declared = self.launch.semantics.get(axis) == Some(&AxisSemantics::Parallel);
            if !(is_triton || is_unsaid || is_declared) || last.get(axis) == program.get(axis) {
                continue;
            }
            for buffer in 0..self.machine.memory.len() {
                let is_shared = match self.launch.operands.get(buffer) {
                    // Of an array in main memory each may have elements of its own.
                    Some(operand) if (is_triton || stays(operand)) && self.is_picked_from(buffer) => false,
                    Some(operand) => operand.role == Role::Output && self.maps[buffer].depends_on(axis) == Some(false),
                    None => self.launch.scratch.get(buffer - self.launch.operands.len()).is_some_and(|scratch| {
                        // Kernels that move data themselves may hand it on along an axis by copies and semaphores.
                        scratch.space != MemorySpace::Semaphore
                    }),
                };
                // What nobody has written yet is no other program's.
                let is_unwritten = self.machine.memory[buffer].labels.as_ref().is_some_and(|held| {
                    held.elements::<i32>().is_some_and(|held| held.iter().all(|&label| self.machine.is_unread(label)))
                });
                if is_shared && !is_unwritten {
                    let label = self.machine.label(Garbage::Shared(axis), buffer);
                    self.machine.memory[buffer].fill(label);
                }
            }
        }
    }

    fn has_atomics(&self) -> bool {
        self.launch.kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Memory(MemoryOp::Atomic)))
    }

    /// Whether the kernel computes which elements of an operand it takes.
    fn is_picked_from(&self, operand: usize) -> bool {
        let kernel = &self.launch.kernel;
        let Some(param) = kernel.params().get(operand) else { return false };
        let computed = |dim: &DimIndex| match dim {
            DimIndex::At(start) | DimIndex::Slice { start, .. } => *start == Position::Dynamic,
            DimIndex::Part { .. } | DimIndex::Array => true,
        };
        kernel.ops.iter().any(|op| {
            op.operands.first() == Some(param)
                && op.attributes.index().is_some_and(|pattern| pattern.0.iter().any(computed))
        })
    }

    /// Whether nobody has written a block of an output that no program had before.
    fn begins_unwritten(&self, index: usize, is_all: bool) -> bool {
        let outputs = || self.launch.with_role(Role::Output).map(|(operand, _)| operand);
        let number = outputs().position(|operand| operand == index);
        if self.launch.aliases.iter().any(|(_, output)| Some(*output) == number) {
            return false;
        }
        // If some programs are not run, the first that has a block must be among those that are: it is where each index
        // follows one axis, for axes that the map does not mention begin at 0.
        let follows_one_axis = |form: &IndexForm| match form {
            IndexForm::Affine { coefficients, .. } => coefficients.iter().filter(|&&c| c != 0).count() <= 1,
            _ => false,
        };
        is_all || self.maps[index].dims.iter().all(follows_one_axis)
    }

    /// The labels of a block of an input: what lies past the end of the array.
    fn padding(&mut self, index: usize, operand: &Operand, starts: &[i64]) -> Labels {
        let dims = || starts.iter().zip(&operand.block).zip(operand.array.shape.iter());
        // Blocks that lie outside altogether are said by their own rule, and moved inside when they are run.
        if dims().any(|((&start, dim), &extent)| start >= extent as i64 || start + dim.size() as i64 <= 0) {
            return None;
        }
        let inside = |((&start, dim), &extent): ((&i64, &pallas_ir::BlockDim), &usize)| {
            start >= 0 && start + dim.size() as i64 <= extent as i64
        };
        if dims().all(inside) {
            return None;
        }
        let label = self.machine.label(Garbage::Padding(index), index);
        // Offsets along each dimension of the block, squeezed ones included: they have one element.
        let sizes: Vec<usize> = operand.block.iter().map(|dim| dim.size()).collect();
        let is_past: Vec<Vec<bool>> = dims()
            .map(|((&start, dim), &extent)| {
                (0..dim.size() as i64).map(|offset| !(0..extent as i64).contains(&(start + offset))).collect()
            })
            .collect();
        let count: usize = sizes.iter().product();
        if count > LARGEST {
            return None;
        }
        let marks: Vec<i32> = (0..count)
            .map(|mut flat| {
                let mut past = false;
                for (size, is_past) in sizes.iter().zip(&is_past).rev() {
                    past |= is_past[flat % size];
                    flat /= size;
                }
                if past { label } else { 0 }
            })
            .collect();
        labels::tidy(Array::from_i32s(self.machine.memory[index].shape.clone(), &marks).ok()?)
    }

    /// Puts the last blocks of outputs where they belong.
    fn put_back(&mut self) {
        for index in 0..self.launch.operands.len() {
            if let Some(place) = self.current[index].take() {
                let held = self.machine.memory[index].labels.take();
                self.blocks.insert((index, place), held);
            }
            if self.launch.operands[index].role == Role::Output {
                self.machine.effects.touch(index);
            }
        }
    }

    /// A program all of whose stores are lost.
    fn lost(&mut self) -> Option<Lost> {
        for held in std::mem::take(&mut self.stored).into_values() {
            self.machine.effects.keep(&held);
        }
        self.machine.effects.lost()
    }

    /// What of the outputs is in the block of a program, and not written by any: the first block of each.
    fn unwritten(&self) -> Vec<Unwritten> {
        let mut blocks: Vec<(&Place, &Labels)> = self.blocks.iter().collect();
        blocks.sort_by_key(|(place, _)| *place);
        let mut found: Vec<Unwritten> = Vec::new();
        for ((output, indices), held) in blocks {
            let operand = self.launch.operands.get(*output).filter(|operand| operand.role == Role::Output);
            let held = held.as_ref().and_then(|held| held.elements::<i32>());
            let (Some(operand), Some(held)) = (operand, held) else { continue };
            if found.iter().any(|known| known.output == *output) {
                continue;
            }
            let mut ranges: Option<Vec<(usize, usize)>> = None;
            let mut count = 0;
            for (flat, _) in held.iter().enumerate().filter(|&(_, &label)| label != 0 && self.machine.is_unread(label))
            {
                let Some(element) = element(operand, indices, flat) else { continue };
                count += 1;
                let ranges = ranges.get_or_insert_with(|| element.iter().map(|&at| (at, at + 1)).collect());
                for (range, at) in ranges.iter_mut().zip(element) {
                    *range = (range.0.min(at), range.1.max(at + 1));
                }
            }
            found.extend(ranges.map(|ranges| Unwritten { output: *output, ranges, count }));
        }
        found
    }

    /// What arrived inside the arrays.
    fn judge(&self) -> Vec<Leak> {
        let mut blocks: Vec<(&Place, &Labels)> = self.blocks.iter().collect();
        blocks.sort_by_key(|(place, _)| *place);
        let mut leaks: Vec<Leak> = Vec::new();
        for ((output, indices), held) in blocks {
            let Some(operand) = self.launch.operands.get(*output).filter(|operand| operand.role == Role::Output) else {
                continue;
            };
            let Some(held) = held.as_ref().and_then(|held| held.elements::<i32>()) else { continue };
            for (flat, &label) in held.iter().enumerate() {
                if label == 0 || self.machine.is_unread(label) {
                    continue;
                }
                if let Some(element) = element(operand, indices, flat)
                    && let Some(leak) = self.leak(label, *output, element)
                    && !leaks.iter().any(|known| known.read == leak.read && known.kind == leak.kind)
                {
                    leaks.push(leak);
                }
            }
        }
        leaks
    }

    fn leak(&self, label: i32, output: usize, element: Vec<usize>) -> Option<Leak> {
        let source = self.machine.source(label)?;
        let (op, program) = source.read.clone()?;
        let location = self.launch.kernel.location(op);
        Some(Leak {
            kind: source.kind,
            read: location.span,
            calls: location.calls.clone(),
            part: self.part(source.kind, &program),
            name: source.name.clone(),
            program,
            output,
            element: (!source.somewhere).then_some(element),
        })
    }

    /// Which part of an array's block lies past its end.
    fn part(&self, kind: Garbage, program: &[usize]) -> String {
        let Garbage::Padding(index) = kind else { return String::new() };
        let Some((operand, starts)) =
            self.launch.operands.get(index).zip(self.maps.get(index).and_then(|map| map.starts(program)))
        else {
            return String::new();
        };
        let shape = &operand.array.shape;
        for (axis, ((&start, dim), &extent)) in starts.iter().zip(&operand.block).zip(shape.iter()).enumerate() {
            let end = start + dim.size() as i64;
            if start < 0 {
                return words::part_of(axis, shape.len(), (start, 0), &operand.name, extent);
            }
            if end > extent as i64 {
                return words::part_of(axis, shape.len(), (extent as i64, end), &operand.name, extent);
            }
        }
        String::new()
    }
}

/// Where an element of an output's block lies in the array; `None` past its end.
fn element(operand: &Operand, indices: &[i64], mut flat: usize) -> Option<Vec<usize>> {
    let mut element = vec![0; operand.block.len()];
    for (axis, dim) in operand.block.iter().enumerate().rev() {
        let offset = (flat % dim.size().max(1)) as i64;
        flat /= dim.size().max(1);
        let position = dim.start(*indices.get(axis)?) + offset;
        element[axis] =
            usize::try_from(position).ok().filter(|&p| operand.array.shape.get(axis).is_some_and(|&n| p < n))?;
    }
    Some(element)
}

/// Whether the kernel gets the array where it is, and no block of it.
fn stays(operand: &Operand) -> bool {
    let in_main = matches!(operand.space, MemorySpace::Any | MemorySpace::Hbm | MemorySpace::Gmem);
    in_main && operand.index_map.is_none()
}
