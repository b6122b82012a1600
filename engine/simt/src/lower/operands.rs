//! Operands of the launch: arrays in global memory, and in each program a Ref to the program's block, without a copy. What lies
//! outside of the array reads as memory that nobody wrote, and writes there are dropped. Blocks outside are moved inside as
//! interpret mode does it.

use super::bands::Bands;
use super::context::{Bound, Lower};
use super::grid::Plan;
use super::number::{Number, binary};
use super::random;
use super::refs::{RefDim, RefView, Shown};
use crate::Refusal;
use crate::ir::{MemoryId, Op, Space, Ty};
use crate::marks::Mark;
use pallas_ir::{BlockDim, BlockMap, IndexForm, Interpretation, MemorySpace, Operand, RefType, Role, ValueId, ops};
use pallas_tensor::DType;

impl Lower<'_> {
    /// Every program of a block: memories once, then loops around the kernel.
    pub(crate) fn programs(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let launch = self.launch;
        let mut memories = Vec::new();
        for (position, operand) in launch.operands.iter().enumerate() {
            let len = operand.array.shape.iter().try_fold(1usize, |len, &extent| len.checked_mul(extent));
            let Some(len) = len.filter(|&len| i32::try_from(len).is_ok()) else {
                return Err(Refusal::new(
                    format!("{} has more elements than a 32-bit index counts", operand.name),
                    operand.spans.spec.unwrap_or(launch.spans.call),
                ));
            };
            let space = Space::Operand { operand: position, constant: true };
            let name = name(&operand.name);
            memories.push(match self.is_array_of_pairs(position) {
                true => self.pairs(&name, len, space),
                false => self.b.memory(name, random::register(operand.array.dtype), len, space),
            });
        }
        for (input, output) in self.shared() {
            memories[input] = memories[output];
        }
        let mut scratch = Vec::new();
        let first = launch.kernel.params().len().saturating_sub(launch.scratch.len());
        for (ty, &param) in launch.scratch.iter().zip(&launch.kernel.params()[first..]) {
            scratch.push(self.allocate(ty, "scratch", param, true)?);
        }
        self.ids = self.block_ids(plan);
        self.looped(plan, 0, &memories, &scratch)
    }

    /// Loops along axes from this one on, then the kernel.
    fn looped(&mut self, plan: &Plan, axis: usize, memories: &[MemoryId], scratch: &[RefView]) -> Result<(), Refusal> {
        let Some(&looped) = plan.looped.get(axis) else { return self.program(memories, scratch) };
        let extent = self.grid[axis];
        if !looped || extent <= 1 {
            return self.looped(plan, axis + 1, memories, scratch);
        }
        let ty = Ty { dtype: DType::I32, regs: 1 };
        let (lower, upper) = (self.b.int(0), self.b.int(extent as i64));
        let params = self.b.open(&[ty]);
        self.ids[axis] = Number::Computed(params[0]);
        self.looped(plan, axis + 1, memories, scratch)?;
        let body = self.b.close(Vec::new());
        self.b.add(Op::For, &[lower, upper], &[], vec![body]);
        Ok(())
    }

    /// Ids along parallel axes from the number of the block; 0 along the others for now.
    fn block_ids(&mut self, plan: &Plan) -> Vec<Number> {
        let block = Number::Computed(self.b.block());
        self.ids_of(plan, block)
    }

    /// The same of the block with this number.
    pub(crate) fn ids_of(&mut self, plan: &Plan, block: Number) -> Vec<Number> {
        let mut rest = block;
        let mut ids = vec![Number::Known(0); self.grid.len()];
        if let Some(axis) = plan.teams
            && self.grid[axis] > 1
        {
            ids[axis] = Number::Computed(self.b.team());
        }
        let is_parallel = |axis: &usize| !plan.looped[*axis] && plan.teams != Some(*axis) && self.grid[*axis] > 1;
        let mut parallel: Vec<usize> = (0..ids.len()).filter(is_parallel).collect();
        if let Some(bands) = plan.bands {
            parallel.retain(|axis| !bands.axes.contains(axis));
            let extents = bands.axes.map(|axis| self.grid[axis]);
            let mut within = rest;
            if !parallel.is_empty() {
                let programs = Number::Known((extents[0] * extents[1]) as i64);
                within = binary(&mut self.b, &ops::REM, rest, programs);
                rest = binary(&mut self.b, &ops::DIV, rest, programs);
            }
            for (axis, id) in bands.axes.into_iter().zip(self.in_bands(bands, extents, within)) {
                ids[axis] = id;
            }
        }
        for (position, &axis) in parallel.iter().enumerate().rev() {
            let extent = Number::Known(self.grid[axis] as i64);
            if position == 0 {
                ids[axis] = rest;
                break;
            }
            ids[axis] = binary(&mut self.b, &ops::REM, rest, extent);
            rest = binary(&mut self.b, &ops::DIV, rest, extent);
        }
        ids
    }

    /// What [`Bands::ids`] says, of a number that threads compute.
    fn in_bands(&mut self, bands: Bands, [rows, columns]: [usize; 2], number: Number) -> [Number; 2] {
        let known = |number: usize| Number::Known(number as i64);
        let (mut first, mut within) = (known(0), number);
        if bands.height < rows {
            let size = known(bands.height * columns);
            first = binary(&mut self.b, &ops::DIV, number, size).times(&mut self.b, bands.height as i64);
            within = binary(&mut self.b, &ops::REM, number, size);
        }
        let height = match rows.is_multiple_of(bands.height) {
            true => known(bands.height),
            false => {
                let left = first.times(&mut self.b, -1).add(&mut self.b, known(rows));
                binary(&mut self.b, &ops::MIN, left, known(bands.height))
            }
        };
        let row = binary(&mut self.b, &ops::REM, within, height);
        [first.add(&mut self.b, row), binary(&mut self.b, &ops::DIV, within, height)]
    }

    /// The kernel for the program at hand.
    fn program(&mut self, memories: &[MemoryId], scratch: &[RefView]) -> Result<(), Refusal> {
        let launch = self.launch;
        self.note_program(Mark::Begin);
        let params = launch.kernel.params();
        let prefetched: Vec<RefView> = launch
            .with_role(Role::Prefetch)
            .map(|(position, operand)| RefView::whole(memories[position], &operand.array.shape, true))
            .collect();
        let mut refs = Vec::new();
        for (position, operand) in launch.operands.iter().enumerate() {
            refs.push(match operand.role {
                Role::Prefetch => RefView::whole(memories[position], &operand.array.shape, true),
                _ => self.block_ref(operand, memories[position], &prefetched)?,
            });
        }
        refs.extend_from_slice(scratch);
        if refs.len() != params.len() {
            return Err(Refusal::new("the kernel's parameters are not the Refs of its operands", launch.spans.call));
        }
        for (&param, view) in params.iter().zip(refs) {
            self.values.insert(param, Bound::Ref(view));
        }
        self.region(launch.kernel.body)?;
        self.note_program(Mark::End);
        Ok(())
    }

    /// The Ref to a program's block.
    fn block_ref(&mut self, operand: &Operand, memory: MemoryId, prefetched: &[RefView]) -> Result<RefView, Refusal> {
        let indices = self.block_indices(operand, prefetched)?;
        let map = BlockMap::new(operand, self.grid.len());
        let mut view = RefView::whole(memory, &operand.array.shape, true);
        for (axis, dim) in operand.block.iter().enumerate() {
            let extent = operand.array.shape[axis];
            let (low, high) = match dim {
                BlockDim::Element { low, high, .. } => (*low, *high),
                _ => (0, 0),
            };
            let size = dim.size();
            let padded = (extent + low + high).div_ceil(size.max(1)) * size;
            let start = match dim {
                BlockDim::Blocked(size) => indices[axis].times(&mut self.b, *size as i64),
                _ => indices[axis],
            };
            let last = (padded as i64 - size as i64).max(0);
            let range = map.dims.get(axis).and_then(|form| form.starts(&self.grid, *dim));
            let inside = range.is_some_and(|(first, end)| first >= 0 && end <= last);
            let start = match inside {
                true => start,
                false => start.wrapped(&mut self.b, padded as i64).clamp(&mut self.b, 0, last),
            };
            let offset = start.add(&mut self.b, Number::Known(-(low as i64)));
            let within = match (range, inside) {
                (Some((first, end)), true) => first >= low as i64 && end + size as i64 <= (extent + low) as i64,
                _ => padded == extent,
            };
            view.dims[axis] = RefDim {
                stride: view.dims[axis].stride,
                offset,
                shown: if *dim == BlockDim::Squeezed { Shown::At } else { Shown::Range { size, step: 1 } },
                extent: (!within).then_some(Number::Known(extent as i64)),
                pieces: 1,
            };
        }
        Ok(view)
    }

    /// The index map for the program at hand.
    pub(crate) fn block_indices(&mut self, operand: &Operand, prefetched: &[RefView]) -> Result<Vec<Number>, Refusal> {
        let Some(function) = &operand.index_map else { return Ok(vec![Number::Known(0); operand.block.len()]) };
        let map = BlockMap::new(operand, self.grid.len());
        if map.is_affine() {
            let forms = map.dims.clone();
            return Ok(forms.iter().map(|form| self.affine(form)).collect());
        }
        let ids = self.ids.clone();
        let layout = self.layout(&[]);
        let tile = |value| super::context::Tile { value, shape: Vec::new(), layout: layout.clone() };
        let numbers: Vec<Bound> = ids
            .iter()
            .map(|id| Bound::Tile(tile(id.value(&mut self.b))))
            .chain(prefetched.iter().cloned().map(Bound::Ref))
            .collect();
        self.call(function, numbers)
    }

    fn affine(&mut self, form: &IndexForm) -> Number {
        let IndexForm::Affine { constant, coefficients } = form else { return Number::Known(0) };
        let mut sum = Number::Known(i64::from(*constant as i32));
        for (axis, &factor) in coefficients.iter().enumerate() {
            let id = self.ids.get(axis).copied().unwrap_or(Number::Known(0));
            let term = id.times(&mut self.b, factor);
            sum = sum.add(&mut self.b, term);
        }
        sum
    }

    /// A function of scalars, in place.
    fn call(&mut self, function: &pallas_ir::Function, arguments: Vec<Bound>) -> Result<Vec<Number>, Refusal> {
        let mut inner = Lower {
            launch: self.launch,
            function,
            b: std::mem::replace(&mut self.b, crate::ir::Builder::new("", crate::ir::WARP)),
            log_threads: self.log_threads,
            deal: self.deal,
            anchors: Default::default(),
            values: function.params().iter().copied().zip(arguments).collect(),
            ids: self.ids.clone(),
            grid: self.grid.clone(),
            stages: std::mem::take(&mut self.stages),
            staged: std::mem::take(&mut self.staged),
            own_bytes: self.own_bytes,
            has_teams: self.has_teams,
            teams: self.teams.clone(),
            checked: self.checked,
            outside: Vec::new(),
            piece: None,
            traps_nan: self.traps_nan,
            garbage: self.garbage,
            begins: self.begins,
            watched: self.watched,
            timed: self.timed,
        };
        let yields = inner.region(function.body);
        let numbers = yields.and_then(|yields| yields.iter().map(|&value| inner.number(value)).collect());
        self.b = inner.b;
        self.stages = inner.stages;
        self.staged = inner.staged;
        self.own_bytes = inner.own_bytes;
        numbers
    }

    /// Memory of a block that nobody wrote, for a Ref.
    /// `together`: it is the same memory for all teams.
    pub(crate) fn allocate(
        &mut self,
        ty: &RefType,
        name: &str,
        param: ValueId,
        together: bool,
    ) -> Result<RefView, Refusal> {
        if self.has_teams && (ty.barrier.is_some() || !ty.space.is_semaphore()) {
            return self.allocate_of_teams(ty, name, param, together);
        }
        if ty.space.is_semaphore() || ty.barrier.is_some() {
            return self.semaphore(ty);
        }
        let len = ty.shape.checked_size().filter(|&len| i32::try_from(len).is_ok());
        let Some(len) = len else {
            return Err(Refusal::new(format!("{ty} has more elements than a 32-bit index counts"), self.b.span));
        };
        let number = self.b.kernel().memories.len();
        let dtype = random::register(ty.dtype);
        let memory = self.b.memory(format!("{name}_{number}"), dtype, len, Space::Shared);
        let view = RefView::whole(memory, &ty.shape, false);
        let element = random::number(self.garbage.memory(ty.dtype, self.launch.interpretation));
        let value = self.b.constant(dtype, element, 1);
        let layout = self.dealt(param);
        self.fill(&view, value, &layout)?;
        Ok(view)
    }

    /// Positions of aliased operands that are one place for the kernel: neither is copied to blocks. Under `interpret=True` they
    /// are two.
    fn shared(&self) -> Vec<(usize, usize)> {
        let launch = self.launch;
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
}

/// A parameter's name as C has names.
fn name(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.is_empty() { "operand".to_string() } else { name }
}
