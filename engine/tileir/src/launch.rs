//! The entry around a kernel: its parameters, the grid as blocks and loops, and where each operand's block begins.

use crate::access::Manner;
use crate::emit::Emitter;
use crate::lower::{Bound, Lower, State};
use crate::number::Number;
use crate::ops::arith;
use crate::types::{Tile, element, fits, pointers, stored, tile};
use crate::view::View;
use crate::{Refusal, kept, no, relay};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Attribute, DivBy, Module, OpId, ScalarType};
use pallas_ir::op::MemoryOp;
use pallas_ir::{
    BlockDim, BlockMap, IndexForm, IndexPattern, Interpretation, Launch, MemorySpace, OpKind, Operand, Role,
};
use pallas_simt::Initial;
use pallas_simt::lower::grid::{Bands, Plan};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::{BTreeSet, HashMap};

/// A lowered launch.
pub(crate) struct Lowered {
    pub(crate) module: Module,
    pub(crate) name: String,
    pub(crate) spans: HashMap<OpId, Span>,
    /// For each operand whether it is written.
    pub(crate) written: Vec<bool>,
    /// Inputs that are the same memory as an output.
    pub(crate) shared: Vec<(usize, usize)>,
    /// Bytes that each block has of its own, if there is a parameter for them.
    pub(crate) workspace: Option<usize>,
}

/// What is the same for all programs.
struct Around<'a> {
    plan: &'a Plan,
    /// The memory of each operand.
    memories: Vec<usize>,
    /// For each operand whether its Ref is kept, and not yet open.
    kept: Vec<bool>,
}

/// Lowers a launch.
pub(crate) fn lower(launch: &Launch, plan: &Plan) -> Result<Lowered, Refusal> {
    let shared = shared(launch);
    let mut written = written(launch);
    for &(input, output) in &shared {
        written[output] |= written[input];
    }
    let mut params = Vec::new();
    for (position, operand) in launch.operands.iter().enumerate() {
        let size = operand.array.shape.iter().try_fold(1usize, |size, &extent| size.checked_mul(extent));
        if size.is_none_or(|size| i32::try_from(size).is_err()) {
            return Err(no(format!("{} has more elements than a 32-bit index counts", operand.name)));
        }
        if !shared.iter().any(|pair| pair.0 == position) {
            params.push(pointers(element(stored(operand.array.dtype))?, &[]));
        }
    }
    let has_workspace = relay::is_needed(launch);
    if has_workspace {
        params.push(pointers(ScalarType::I8, &[]));
    }
    let name = sanitized(&launch.kernel.name);
    let (emitter, values) = Emitter::new(&name, &params);
    let mut lower = Lower::new(emitter, launch);
    lower.e.span = launch.spans.call;
    let mut arguments = values.iter().copied();
    let mut around = Around { plan, memories: vec![0; launch.operands.len()], kept: keepable(launch, &shared) };
    for (position, operand) in launch.operands.iter().enumerate() {
        if shared.iter().any(|pair| pair.0 == position) {
            continue;
        }
        let pointer = arguments.next().ok_or_else(|| no("a parameter is missing"))?;
        // What the host allocates is aligned to much more.
        let aligned = Attribute::DivBy(DivBy { divisor: 16, every: None, along: None });
        let ty = lower.e.module.value_type(pointer).clone();
        let pointer = lower.e.op(Opcode::Assume, &[pointer], vec![("predicate", aligned)], &[ty])[0];
        let array = &operand.array;
        around.memories[position] = lower.memory(pointer, array.dtype, &array.shape, written[position], true);
    }
    for &(input, output) in &shared {
        around.memories[input] = around.memories[output];
    }
    let i32s = tile(ScalarType::I32, &[]);
    let block = lower.e.op(Opcode::GetTileBlockId, &[], vec![], &[i32s.clone(), i32s.clone(), i32s])[0];
    let block = Tile::new(block, DType::I32, &[]);
    if let Some(pointer) = arguments.next() {
        lower.take_workspace(pointer, &block)?;
    }
    lower.block_ids(plan, block)?;
    let first = launch.kernel.params().len().saturating_sub(launch.scratch.len());
    for &param in &launch.kernel.params()[first..] {
        lower.allocate(param)?;
    }
    lower.looped(&mut around, 0)?;
    let workspace = has_workspace.then(|| lower.settle());
    let (module, spans) = lower.e.finish(&name, &params);
    Ok(Lowered { module, name, spans, written, shared, workspace })
}

/// Operands that the kernel may write.
fn written(launch: &Launch) -> Vec<bool> {
    let mut roots: HashMap<pallas_ir::ValueId, usize> =
        launch.kernel.params().iter().take(launch.operands.len()).copied().zip(0..).collect();
    let mut written: Vec<bool> = launch.operands.iter().map(|operand| operand.role == Role::Output).collect();
    for op in &launch.kernel.ops {
        let root = op.operands.first().and_then(|value| roots.get(value)).copied();
        match (&op.op.kind, root) {
            (OpKind::Memory(MemoryOp::View | MemoryOp::Reinterpret), Some(root)) => {
                roots.extend(op.results.iter().map(|&value| (value, root)));
            }
            (OpKind::Memory(MemoryOp::Load), _) | (OpKind::Pure { .. }, _) => {}
            (OpKind::Memory(_), Some(root)) => written[root] = true,
            _ => op.operands.iter().filter_map(|value| roots.get(value)).for_each(|&root| written[root] = true),
        }
    }
    written
}

/// Aliased operands that are one place for the kernel: neither is copied to blocks. Under `interpret=True` they are two.
fn shared(launch: &Launch) -> Vec<(usize, usize)> {
    if launch.interpretation == Interpretation::Plain {
        return Vec::new();
    }
    let stays = |position: &usize| matches!(launch.operands[*position].space, MemorySpace::Any | MemorySpace::Hbm);
    let positions = |output: bool| -> Vec<usize> {
        (0..launch.operands.len()).filter(|&n| (launch.operands[n].role == Role::Output) == output).collect()
    };
    let (inputs, outputs) = (positions(false), positions(true));
    let pairs = launch.aliases.iter().filter_map(|&(i, o)| Some((*inputs.get(i)?, *outputs.get(o)?)));
    pairs.filter(|(input, output)| stays(input) && stays(output)).collect()
}

/// Outputs whose block is kept as a tile: those that are read again, and only as a whole.
fn keepable(launch: &Launch, shared: &[(usize, usize)]) -> Vec<bool> {
    let operands = launch.operands.iter().zip(launch.kernel.params()).enumerate();
    operands
        .map(|(position, (operand, &param))| {
            let uses = kept::uses(&launch.kernel, param);
            operand.role == Role::Output && uses.all && uses.read && !shared.iter().any(|pair| pair.1 == position)
        })
        .collect()
}

impl Lower<'_> {
    /// Ids along parallel axes from the number of the block; 0 along the others for now.
    fn block_ids(&mut self, plan: &Plan, block: Tile) -> Result<(), Refusal> {
        let grid = &self.launch.grid;
        let mut parallel: Vec<usize> = (0..grid.len()).filter(|&axis| !plan.looped[axis] && grid[axis] > 1).collect();
        let mut rest = block;
        if let Some(bands) = plan.bands {
            parallel.retain(|axis| !bands.axes.contains(axis));
            let extents = bands.axes.map(|axis| grid[axis]);
            let mut within = rest.clone();
            if !parallel.is_empty() {
                let programs = self.e.index((extents[0] * extents[1]) as i64)?;
                within = arith::binary(&mut self.e, "rem", &rest, &programs)?;
                rest = arith::binary(&mut self.e, "div", &rest, &programs)?;
            }
            for (axis, id) in bands.axes.into_iter().zip(self.in_bands(&bands, extents, &within)?) {
                self.ids[axis] = Number::Times(id, 1);
            }
        }
        for (position, &axis) in parallel.iter().enumerate().rev() {
            if position == 0 {
                self.ids[axis] = Number::Times(rest, 1);
                break;
            }
            let extent = self.e.index(grid[axis] as i64)?;
            self.ids[axis] = Number::Times(arith::binary(&mut self.e, "rem", &rest, &extent)?, 1);
            rest = arith::binary(&mut self.e, "div", &rest, &extent)?;
        }
        Ok(())
    }

    /// What [`Bands::ids`] says, of a number that is computed.
    fn in_bands(&mut self, bands: &Bands, [rows, columns]: [usize; 2], number: &Tile) -> Result<[Tile; 2], Refusal> {
        let e = &mut self.e;
        let (size, most) = (e.index((bands.height * columns) as i64)?, e.index(bands.height as i64)?);
        let band = arith::binary(e, "div", number, &size)?;
        let within = arith::binary(e, "rem", number, &size)?;
        let first = arith::binary(e, "mul", &band, &most)?;
        let height = match rows.is_multiple_of(bands.height) {
            true => most,
            false => {
                let end = e.index(rows as i64)?;
                let left = arith::binary(e, "sub", &end, &first)?;
                arith::binary(e, "min", &left, &most)?
            }
        };
        let row = arith::binary(e, "rem", &within, &height)?;
        Ok([arith::binary(e, "add", &first, &row)?, arith::binary(e, "div", &within, &height)?])
    }

    /// Loops along axes from this one on, then the kernel. Blocks that stay where they are from here on are opened.
    fn looped(&mut self, around: &mut Around<'_>, axis: usize) -> Result<(), Refusal> {
        let opened = self.open_blocks(around, axis)?;
        match around.plan.looped.get(axis) {
            None => self.program(around)?,
            Some(true) if self.launch.grid[axis] > 1 => self.axis_loop(around, axis)?,
            Some(_) => self.looped(around, axis + 1)?,
        }
        for (operand, view, position) in opened {
            let pattern = IndexPattern::full(&view.shape());
            let manner = Manner { padded: false, writes: true, elements: false };
            let place = self.place(&view, &pattern, &[], manner)?;
            let content = self.kept[position].clone();
            self.write(view.memory, &place, &content, None)?;
            around.kept[operand] = true;
        }
        Ok(())
    }

    fn axis_loop(&mut self, around: &mut Around<'_>, axis: usize) -> Result<(), Refusal> {
        let written = (0..self.memories.len()).filter(|&memory| self.memories[memory].written).map(State::Token);
        let states: BTreeSet<State> = written.chain((0..self.kept.len()).map(State::Kept)).collect();
        let (first, types) = self.states(&states)?;
        let zero = self.e.index(0)?;
        let extent = self.e.index(self.launch.grid[axis] as i64)?;
        let one = self.e.index(1)?;
        let mut params = vec![tile(ScalarType::I32, &[])];
        params.extend(types.iter().cloned());
        let values = self.e.begin(&params);
        self.ids[axis] = Number::Times(Tile::new(values[0], DType::I32, &[]), 1);
        self.change(&states, &values[1..]);
        self.looped(around, axis + 1)?;
        let (last, _) = self.states(&states)?;
        let region = self.e.end(Opcode::Continue, &last);
        let mut operands = vec![zero.value, extent.value, one.value];
        operands.extend(first);
        let results = self.e.control(Opcode::For, &operands, vec![], &types, vec![region]);
        self.change(&states, &results);
        self.ids[axis] = Number::Known(0);
        Ok(())
    }

    /// Opens the blocks of kept outputs that no axis moves which is looped from here on.
    fn open_blocks(&mut self, around: &mut Around<'_>, axis: usize) -> Result<Vec<(usize, View, usize)>, Refusal> {
        let launch = self.launch;
        let mut opened = Vec::new();
        for (number, operand) in launch.operands.iter().enumerate() {
            let map = BlockMap::new(operand, launch.grid.len());
            let moves = |axis: usize| launch.grid[axis] > 1 && map.depends_on(axis) != Some(false);
            let looped = |axis: &usize| around.plan.looped[*axis];
            if !around.kept[number] || (axis..launch.grid.len()).filter(looped).any(moves) {
                continue;
            }
            let view = self.block_ref(operand, around.memories[number], around)?;
            let never_left = !(0..axis).filter(looped).any(moves);
            let initial = pallas_simt::initial(launch, number);
            let shape = view.shape();
            fits(&shape)?;
            let content = match initial {
                // Nobody has been here before.
                Initial::Fill(value) if never_left => self.e.constant(operand.array.dtype, &shape, value)?,
                _ => {
                    let manner = Manner { padded: false, writes: false, elements: false };
                    let place = self.place(&view, &IndexPattern::full(&shape), &[], manner)?;
                    let fresh = self.fresh(operand.array.dtype);
                    self.read(view.memory, &place, None, fresh)?
                }
            };
            let position = self.keep(launch.kernel.params()[number], Tile { known: None, ..content });
            around.kept[number] = false;
            opened.push((number, view, position));
        }
        Ok(opened)
    }

    /// The kernel for the program at hand.
    fn program(&mut self, around: &Around<'_>) -> Result<(), Refusal> {
        let launch = self.launch;
        for (number, (operand, &param)) in launch.operands.iter().zip(launch.kernel.params()).enumerate() {
            if matches!(self.values.get(&param), Some(Bound::Kept(_))) {
                continue;
            }
            let view = match operand.role {
                Role::Prefetch => View::whole(around.memories[number], &operand.array.shape),
                _ => self.block_ref(operand, around.memories[number], around)?,
            };
            self.bind(param, Bound::View(view));
        }
        self.region(launch.kernel.body)?;
        Ok(())
    }

    /// The Ref to a program's block. Blocks outside of the array are moved inside, as interpret mode does it.
    fn block_ref(&mut self, operand: &Operand, memory: usize, around: &Around<'_>) -> Result<View, Refusal> {
        let indices = self.block_indices(operand, around)?;
        let map = BlockMap::new(operand, self.launch.grid.len());
        let mut view = View::whole(memory, &operand.array.shape);
        for (axis, dim) in operand.block.iter().enumerate() {
            let extent = operand.array.shape[axis];
            let (low, high) = match dim {
                BlockDim::Element { low, high, .. } => (*low, *high),
                _ => (0, 0),
            };
            let size = dim.size();
            let padded = (extent + low + high).div_ceil(size.max(1)) * size;
            let index = indices.get(axis).ok_or_else(|| no("an index map gives too few indices"))?;
            let start = match dim {
                BlockDim::Blocked(size) => index.times(&mut self.e, *size as i64)?,
                _ => index.clone(),
            };
            let last = (padded as i64 - size as i64).max(0);
            let range = map.dims.get(axis).and_then(|form| form.starts(&self.launch.grid, *dim));
            let inside = range.is_some_and(|(first, end)| first >= 0 && end <= last);
            let start = match inside {
                true => start,
                false => start.wrapped(&mut self.e, padded as i64)?.clamp(&mut self.e, 0, last)?,
            };
            let within = match (range, inside) {
                (Some((first, end)), true) => first >= low as i64 && end + size as i64 <= (extent + low) as i64,
                _ => padded == extent,
            };
            view.dims[axis].offset = start.add(&mut self.e, &Number::Known(-(low as i64)))?;
            view.dims[axis].shown = (*dim != BlockDim::Squeezed).then_some((size, 1));
            view.dims[axis].extent = (!within).then_some(extent as i64);
            view.dims[axis].is_before = !within && low > 0;
        }
        Ok(view)
    }

    /// The index map for the program at hand.
    fn block_indices(&mut self, operand: &Operand, around: &Around<'_>) -> Result<Vec<Number>, Refusal> {
        let launch = self.launch;
        let position = launch.operands.iter().position(|other| std::ptr::eq(other, operand));
        let Some(function) = position.and_then(|position| launch.operands[position].index_map.as_ref()) else {
            return Ok(vec![Number::Known(0); operand.block.len()]);
        };
        let map = BlockMap::new(operand, launch.grid.len());
        if map.is_affine() {
            let forms = map.dims.clone();
            return forms.iter().map(|form| self.affine(form)).collect();
        }
        let mut arguments = Vec::new();
        for id in self.ids.clone() {
            arguments.push(Bound::Tile(id.tile(&mut self.e)?));
        }
        for (number, operand) in launch.with_role(Role::Prefetch) {
            arguments.push(Bound::View(View::whole(around.memories[number], &operand.array.shape)));
        }
        let tiles = self.call(function, arguments)?;
        tiles.iter().map(|tile| Number::of(&mut self.e, tile)).collect()
    }

    fn affine(&mut self, form: &IndexForm) -> Result<Number, Refusal> {
        let IndexForm::Affine { constant, coefficients } = form else { return Ok(Number::Known(0)) };
        let mut sum = Number::Known(i64::from(*constant as i32));
        for (axis, &factor) in coefficients.iter().enumerate() {
            let id = self.ids.get(axis).cloned().unwrap_or(Number::Known(0));
            let term = match factor {
                0 => continue,
                factor if factor > 0 => id.times(&mut self.e, factor)?,
                factor => {
                    let (id, by) = (id.tile(&mut self.e)?, self.e.index(factor)?);
                    let term = arith::binary(&mut self.e, "mul", &id, &by)?;
                    Number::of(&mut self.e, &Tile { multiple: None, ..term })?
                }
            };
            sum = sum.add(&mut self.e, &term)?;
        }
        Ok(sum)
    }
}

/// A name that an object file takes.
fn sanitized(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}
