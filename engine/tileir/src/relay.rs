//! Memory of a block's own, in the device's: for Refs that cannot be kept as tiles, and for elements that change places in ways
//! for which Tile IR has no op. The host gives so many bytes for each block; how many is known at the end.

use crate::emit::{choice, groups};
use crate::lower::{Bound, Lower};
use crate::ops::{arith, convert, shape};
use crate::types::{Tile, element, pointers, stored, tile};
use crate::view::View;
use crate::{Refusal, kept, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Attribute, DivBy, OpId, ScalarType, Type, Value, ValueProducer};
use pallas_ir::{ControlOp, Function, Launch, OpData, OpKind, ValueId};
use pallas_tensor::{DType, Scalar, Shape};

/// Blocks, and Refs in them, begin at multiples of this.
const ALIGNED: usize = 128;

/// What is taken of it.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// A pointer to this block's first byte.
    base: Value,
    /// The constant that says how many bytes a block has.
    stride: OpId,
    bytes: usize,
}

/// The part in which elements change places.
#[derive(Clone, Debug)]
pub(crate) struct Relay {
    /// Its position among memories.
    pub(crate) memory: usize,
    offset: usize,
    bytes: usize,
}

/// Whether an op may have elements change places through memory.
pub(crate) fn may_need(op: &OpData) -> bool {
    matches!(op.op.name, "rev" | "gather" | "pad" | "dynamic_slice" | "dynamic_update_slice" | "slice" | "concatenate")
}

/// Refs of scratch memory and of scoped allocations.
fn allocations(launch: &Launch) -> Vec<ValueId> {
    let kernel = &launch.kernel;
    let first = kernel.params().len().saturating_sub(launch.scratch.len());
    let mut values = kernel.params()[first..].to_vec();
    for op in kernel.ops.iter().filter(|op| matches!(op.op.kind, OpKind::Control(ControlOp::Scoped))) {
        values.extend(op.regions.iter().flat_map(|&region| &kernel.region(region).params));
    }
    values
}

/// Whether a Ref has to be in memory.
fn in_memory(function: &Function, value: ValueId) -> bool {
    let ty = function.ty(value).as_ref_type();
    ty.is_some_and(|ty| !ty.space.is_semaphore() && ty.barrier.is_none()) && !kept::uses(function, value).all
}

/// Whether a launch may need memory of blocks' own.
pub(crate) fn is_needed(launch: &Launch) -> bool {
    launch.kernel.ops.iter().any(may_need)
        || allocations(launch).into_iter().any(|value| in_memory(&launch.kernel, value))
}

impl Lower<'_> {
    /// Takes possession of it: for this block of so many, from a pointer to bytes.
    pub(crate) fn take_workspace(&mut self, pointer: Value, block: &Tile) -> Result<(), Refusal> {
        let zero = Attribute::DenseElements(cutile_ir::ir::DenseElements {
            element_type: tile(ScalarType::I64, &[]),
            shape: Vec::new(),
            data: vec![0; 8],
        });
        let wide = tile(ScalarType::I64, &[]);
        let stride = self.e.op(Opcode::Constant, &[], vec![("value", zero)], std::slice::from_ref(&wide))[0];
        let ValueProducer::OpResult { op, .. } = self.e.module.value_data(stride).producer else {
            return Err(no("a constant comes from nowhere"));
        };
        let block = convert::cast(&mut self.e, block, DType::I64)?;
        let far = arith::binary(&mut self.e, "mul", &block, &Tile::new(stride, DType::I64, &[]))?;
        let bytes = pointers(ScalarType::I8, &[]);
        let base = self.e.op(Opcode::Offset, &[pointer, far.value], vec![], &[bytes])[0];
        self.workspace = Some(Workspace { base, stride: op, bytes: 0 });
        let launch = self.launch;
        for value in allocations(launch) {
            if in_memory(&launch.kernel, value)
                && let Some(ty) = launch.kernel.ty(value).as_ref_type()
            {
                let view = self.own(ty.dtype, &ty.shape)?;
                self.bind(value, Bound::View(view));
            }
        }
        if launch.kernel.ops.iter().any(may_need) {
            let offset = self.reserve(0);
            let memory = self.memory(pointer, DType::U8, &[0], true, false);
            self.relay = Some(Relay { memory, offset, bytes: 0 });
        }
        Ok(())
    }

    /// Where the next bytes are.
    fn reserve(&mut self, bytes: usize) -> usize {
        let Some(workspace) = &mut self.workspace else { return 0 };
        let offset = workspace.bytes;
        workspace.bytes = offset.saturating_add(bytes).next_multiple_of(ALIGNED);
        offset
    }

    /// A pointer to elements of a dtype so many bytes into the block's memory.
    fn at(&mut self, offset: usize, dtype: DType) -> Result<Value, Refusal> {
        let base = self.workspace.as_ref().ok_or_else(|| no("there is no memory of the block's own"))?.base;
        let mut value = base;
        if offset > 0 {
            let far = self.e.index(offset as i64)?;
            value = self.e.early(Opcode::Offset, &[value, far.value], vec![], &[pointers(ScalarType::I8, &[])])[0];
        }
        let ty = pointers(element(stored(dtype))?, &[]);
        if element(stored(dtype))? != ScalarType::I8 {
            value = self.e.early(Opcode::PtrToPtr, &[value], vec![], std::slice::from_ref(&ty))[0];
        }
        let aligned = Attribute::DivBy(DivBy { divisor: 16, every: None, along: None });
        Ok(self.e.early(Opcode::Assume, &[value], vec![("predicate", aligned)], &[ty])[0])
    }

    /// A Ref to memory of the block's own.
    fn own(&mut self, dtype: DType, shape: &[usize]) -> Result<View, Refusal> {
        element(dtype)?;
        let bytes = shape.iter().try_fold(stored(dtype).size_bytes(), |bytes, &extent| bytes.checked_mul(extent));
        let bytes = bytes.filter(|&bytes| i32::try_from(bytes).is_ok());
        let offset = self.reserve(bytes.ok_or_else(|| no("scratch memory of more than 2 GB has no Tile IR"))?);
        let pointer = self.at(offset, dtype)?;
        let memory = self.memory(pointer, dtype, shape, true, true);
        Ok(View::whole(memory, shape))
    }

    /// The same element everywhere in a Ref, by tiles of one row of powers of two.
    pub(crate) fn fill(&mut self, view: &View, value: Scalar) -> Result<(), Refusal> {
        let shape = self.memories[view.memory].shape.clone();
        let size: usize = shape.iter().product();
        let room = size.next_power_of_two();
        let (dtype, _) = self.stored(view.memory)?;
        let line = shape::range(&mut self.e, room)?;
        let mask = match room == size {
            true => None,
            false => {
                let end = self.e.like(&line, size as f64)?;
                Some(arith::compare(&mut self.e, "lt", &line, &end)?)
            }
        };
        let value = self.e.constant(dtype, &[room], value)?;
        let pointer = self.memories[view.memory].pointer;
        self.put(view.memory, pointer, &line, &value, mask.as_ref())
    }

    /// Elements at positions from a pointer on.
    fn addresses(&mut self, pointer: Value, dtype: DType, positions: &Tile) -> Result<Value, Refusal> {
        let scalar = element(stored(dtype))?;
        let mut value = pointer;
        if !positions.is_scalar() {
            let ones = vec![1; positions.shape.len()];
            value = self.e.op(Opcode::Reshape, &[value], vec![], &[pointers(scalar, &ones)])[0];
            value = self.e.op(Opcode::Broadcast, &[value], vec![], &[pointers(scalar, &positions.shape)])[0];
        }
        let ty = pointers(scalar, &positions.shape);
        Ok(self.e.op(Opcode::Offset, &[value, positions.value], vec![], &[ty])[0])
    }

    fn put(
        &mut self,
        memory: usize,
        pointer: Value,
        positions: &Tile,
        value: &Tile,
        mask: Option<&Tile>,
    ) -> Result<(), Refusal> {
        let addresses = self.addresses(pointer, value.dtype, positions)?;
        let token = self.memories[memory].token.ok_or_else(|| no("a memory lacks its token"))?;
        let mut operands = vec![addresses, value.value];
        operands.extend(mask.map(|mask| mask.value));
        operands.push(token);
        let attributes = vec![choice("memory_ordering_semantics", 0), groups(&[1, 1, usize::from(mask.is_some()), 1])];
        let token = self.e.op(Opcode::StorePtrTko, &operands, attributes, &[Type::Token])[0];
        self.advance(memory, token);
        Ok(())
    }

    /// Elements that change places: those of `parts`, each put at positions of its own in the order given, read at `positions`.
    /// Positions count elements of one array in row-major order.
    pub(crate) fn relayed(&mut self, parts: &[(Tile, Tile)], size: usize, positions: &Tile) -> Result<Tile, Refusal> {
        let dtype = parts.first().map_or(DType::F32, |(tile, _)| tile.dtype);
        let held = stored(dtype);
        let Some(relay) = &mut self.relay else { return Err(no("there is no memory in which elements change places")) };
        let (memory, offset) = (relay.memory, relay.offset);
        relay.bytes = relay.bytes.max(size.saturating_mul(held.size_bytes()));
        let pointer = self.at(offset, dtype)?;
        for (tile, at) in parts {
            let tile = if dtype == DType::Bool { convert::cast(&mut self.e, tile, held)? } else { tile.clone() };
            self.put(memory, pointer, at, &tile, None)?;
        }
        let addresses = self.addresses(pointer, dtype, positions)?;
        let token = self.memories[memory].token.ok_or_else(|| no("a memory lacks its token"))?;
        let attributes = vec![choice("memory_ordering_semantics", 0), groups(&[1, 0, 0, 1])];
        let ty = tile(element(held)?, &positions.shape);
        let values = self.e.op(Opcode::LoadPtrTko, &[addresses, token], attributes, &[ty, Type::Token]);
        self.advance(memory, values[1]);
        let loaded = Tile::new(values[0], held, &positions.shape);
        if dtype == DType::Bool {
            convert::cast(&mut self.e, &loaded, DType::Bool)
        } else {
            Ok(Tile { dtype, ..loaded })
        }
    }

    /// Positions `base + sum of strides[dim] * i[dim]` of a tile of this shape.
    pub(crate) fn positions(&mut self, base: &Tile, shape: &[usize], strides: &[i64]) -> Result<Tile, Refusal> {
        let mut sum = shape::spread(&mut self.e, base, shape)?;
        for (dim, &stride) in strides.iter().enumerate() {
            if shape[dim] == 1 || stride == 0 {
                continue;
            }
            let line = shape::range(&mut self.e, shape[dim])?;
            let by = self.e.like(&line, stride as f64)?;
            let line = arith::binary(&mut self.e, "mul", &line, &by)?;
            let line = shape::aligned(&mut self.e, &line, dim, shape)?;
            sum = arith::binary(&mut self.e, "add", &sum, &line)?;
        }
        Ok(sum)
    }

    /// Positions of a whole tile in row-major order.
    pub(crate) fn row_major(&mut self, shape: &[usize]) -> Result<Tile, Refusal> {
        let strides: Vec<i64> = Shape::from(shape).strides().iter().map(|&stride| stride as i64).collect();
        let zero = self.e.index(0)?;
        self.positions(&zero, shape, &strides)
    }

    /// Says how many bytes a block has.
    pub(crate) fn settle(&mut self) -> usize {
        let relay = self.relay.as_ref().map_or(0, |relay| relay.bytes);
        self.reserve(relay);
        let Some(workspace) = &self.workspace else { return 0 };
        for (name, value) in &mut self.e.module.op_mut(workspace.stride).attributes {
            if let ("value", Attribute::DenseElements(elements)) = (name.as_str(), value) {
                elements.data = (workspace.bytes as i64).to_le_bytes().to_vec();
            }
        }
        workspace.bytes
    }
}
