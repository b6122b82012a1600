//! Builds a kernel instruction by instruction. Types follow from the ops; what was computed before in a region that is still
//! open is not computed again.

use super::{Inst, Kernel, Memory, MemoryId, Note, Op, Region, Space, Ty, Value};
use crate::layout::Layout;
use crate::marks::{Mark, Site};
use pallas_ir::op::InferContext;
use pallas_ir::{Attribute, Attributes, Function, Location, TensorType, Type};
use pallas_syntax::Span;
use pallas_tensor::{DType, Scalar};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

/// A kernel under construction.
#[derive(Debug)]
pub struct Builder {
    kernel: Kernel,
    open: Vec<Region>,
    /// What was computed in each open region.
    known: Vec<HashMap<Key, Value>>,
    /// How many regions are open around the place where a value is defined.
    depths: Vec<usize>,
    /// Numbers that are known, by value.
    constants: HashMap<Value, Scalar>,
    /// The source of what is added next.
    pub span: Span,
    /// For type rules, which want a function to look at.
    nothing: Function,
}

/// What makes two computations the same.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    op: String,
    operands: SmallVec<[Value; 4]>,
    ty: Ty,
}

impl Builder {
    /// Starts a kernel of one block of so many threads.
    pub fn new(name: impl Into<String>, threads: u32) -> Builder {
        Builder {
            kernel: Kernel {
                name: name.into(),
                threads,
                teams: 1,
                cluster: 1,
                blocks: 1,
                values: Vec::new(),
                memories: Vec::new(),
                maps: Vec::new(),
                body: Region::default(),
                marks: Vec::new(),
                notes: Vec::new(),
            },
            open: vec![Region::default()],
            known: vec![HashMap::new()],
            depths: Vec::new(),
            constants: HashMap::new(),
            span: Span::default(),
            nothing: pallas_ir::Builder::new("", Location::default()).finish(Vec::new()),
        }
    }

    /// The kernel so far; its body is that of [`Builder::finish`].
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Says how many blocks there are.
    pub fn set_blocks(&mut self, blocks: usize) {
        self.kernel.blocks = blocks;
    }

    /// Says how many blocks a cluster has.
    pub fn set_cluster(&mut self, blocks: u32) {
        self.kernel.cluster = blocks;
    }

    /// Says how many teams a block has.
    pub fn set_teams(&mut self, teams: u32) {
        self.kernel.teams = teams;
    }

    /// Makes an array begin at a multiple of at least so many bytes.
    pub fn align(&mut self, id: MemoryId, bytes: usize) {
        let memory = &mut self.kernel.memories[id.0 as usize];
        memory.align = memory.align.max(bytes);
    }

    /// Says what an array's elements are when a block begins.
    pub fn begins(&mut self, id: MemoryId, element: Scalar) {
        self.kernel.memories[id.0 as usize].begins = Some(element);
    }

    /// The number of a box that engines copy.
    pub fn tensor_map(&mut self, map: super::TensorMap) -> usize {
        let known = self.kernel.maps.iter().position(|known| *known == map);
        known.unwrap_or_else(|| {
            self.kernel.maps.push(map);
            self.kernel.maps.len() - 1
        })
    }

    /// Ends it.
    pub fn finish(mut self) -> Kernel {
        self.kernel.body = self.open.pop().unwrap_or_default();
        self.kernel
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Ty {
        self.kernel.ty(value)
    }

    /// A value's number, if every register is known to hold it.
    pub fn constant_of(&self, value: Value) -> Option<Scalar> {
        self.constants.get(&value).copied()
    }

    /// Adds an array.
    pub fn memory(&mut self, name: impl Into<String>, dtype: DType, len: usize, space: Space) -> MemoryId {
        let align = super::ALIGNMENT;
        let (at, scopes, begins) = (None, Vec::new(), None);
        self.kernel.memories.push(Memory { name: name.into(), dtype, len, space, align, at, scopes, begins });
        MemoryId(self.kernel.memories.len() as u32 - 1)
    }

    /// Says in which scopes an array is allocated.
    pub fn scoped(&mut self, id: MemoryId, scopes: &[u32]) {
        self.kernel.memories[id.0 as usize].scopes = scopes.to_vec();
    }

    /// Makes an array at least so long.
    pub fn lengthen(&mut self, id: MemoryId, len: usize) {
        let memory = &mut self.kernel.memories[id.0 as usize];
        memory.len = memory.len.max(len);
    }

    /// Says that an operand is written.
    pub fn written(&mut self, id: MemoryId) {
        if let Space::Operand { constant, .. } = &mut self.kernel.memories[id.0 as usize].space {
            *constant = false;
        }
    }

    /// Opens a region with parameters of these types.
    pub fn open(&mut self, params: &[Ty]) -> Vec<Value> {
        let depth = self.open.len();
        let params: Vec<Value> = params.iter().map(|&ty| self.value(ty, depth)).collect();
        self.open.push(Region { params: params.clone(), ..Region::default() });
        self.known.push(HashMap::new());
        params
    }

    /// Closes the innermost region.
    pub fn close(&mut self, yields: Vec<Value>) -> Region {
        self.known.pop();
        let mut region = self.open.pop().unwrap_or_default();
        region.yields = yields;
        region
    }

    /// Adds an instruction to the innermost region.
    pub fn add(&mut self, op: Op, operands: &[Value], results: &[Ty], regions: Vec<Region>) -> SmallVec<[Value; 1]> {
        let depth = self.open.len() - 1;
        self.add_to(depth, op, operands, results, regions)
    }

    fn add_to(
        &mut self,
        depth: usize,
        op: Op,
        operands: &[Value],
        results: &[Ty],
        regions: Vec<Region>,
    ) -> SmallVec<[Value; 1]> {
        let results: SmallVec<[Value; 1]> = results.iter().map(|&ty| self.value(ty, depth)).collect();
        let inst = Inst { op, operands: operands.into(), results: results.clone(), regions, span: self.span };
        if let Some(region) = self.open.get_mut(depth) {
            region.insts.push(inst);
        }
        results
    }

    /// Adds an instruction that gives one value and does nothing else, unless its value is known: to the outermost region in
    /// which its operands are, so that what does not change in a loop is computed before it, and known after it.
    fn pure(&mut self, op: Op, operands: &[Value], ty: Ty) -> Value {
        let key = Key { op: format!("{op:?}"), operands: operands.into(), ty };
        if let Some(&value) = self.known.iter().rev().find_map(|known| known.get(&key)) {
            return value;
        }
        let depth = operands.iter().map(|value| self.depths[value.0 as usize]).max().unwrap_or(0);
        let value = self.add_to(depth, op, operands, &[ty], Vec::new())[0];
        if let Some(known) = self.known.get_mut(depth) {
            known.insert(key, value);
        }
        value
    }

    /// A number in so many registers.
    pub fn constant(&mut self, dtype: DType, value: Scalar, regs: u32) -> Value {
        let result = self.pure(Op::Const(value), &[], Ty { dtype, regs });
        self.constants.insert(result, value);
        result
    }

    /// An `i32` in one register.
    pub fn int(&mut self, value: i64) -> Value {
        self.constant(DType::I32, Scalar::Int(value.into()), 1)
    }

    /// The number of the block.
    pub fn block(&mut self) -> Value {
        self.pure(Op::Block, &[], Ty { dtype: DType::I32, regs: 1 })
    }

    /// The number of the team.
    pub fn team(&mut self) -> Value {
        self.pure(Op::Team, &[], Ty { dtype: DType::I32, regs: 1 })
    }

    /// A coordinate of each register.
    pub fn coord(&mut self, layout: &Layout, dim: usize) -> Value {
        let regs = layout.registers();
        if layout.shape[dim] <= 1 {
            return self.constant(DType::I32, Scalar::Int(0), regs);
        }
        self.pure(Op::Coord { layout: layout.clone(), dim }, &[], Ty { dtype: DType::I32, regs })
    }

    /// Whether the thread is the one that stores.
    pub fn owner(&mut self, layout: &Layout) -> Value {
        self.pure(Op::Owner(layout.clone()), &[], Ty { dtype: DType::Bool, regs: 1 })
    }

    /// An elementwise op. `None` if the type rule refuses.
    pub fn try_scalar(&mut self, op: pallas_ir::Op, attributes: Attributes, operands: &[Value]) -> Option<Value> {
        let regs = operands.first().map_or(1, |&value| self.ty(value).regs);
        let types: Vec<Type> = operands
            .iter()
            .map(|&value| self.ty(value))
            .map(|ty| Type::Tensor(TensorType::new(ty.dtype, [ty.regs as usize].as_slice())))
            .collect();
        let context = InferContext { operands: &types, attributes: &attributes, function: &self.nothing, regions: &[] };
        let dtype = (op.infer)(&context).ok()?.first()?.dtype();
        Some(self.pure(Op::Scalar(op, attributes), operands, Ty { dtype, regs }))
    }

    /// An op of two operands of one dtype, of which either may have one register.
    pub fn binary(&mut self, op: &'static pallas_ir::OpDef, left: Value, right: Value) -> Value {
        let regs = self.ty(left).regs.max(self.ty(right).regs);
        let operands = [self.splat(left, regs), self.splat(right, regs)];
        // Callers give operands of one dtype that the op takes; the verifier sees it if not.
        self.try_scalar(pallas_ir::Op(op), Attributes::none(), &operands).unwrap_or(left)
    }

    /// `which ? on_true : on_false`, either of which may have one register.
    pub fn select(&mut self, which: Value, on_true: Value, on_false: Value) -> Value {
        let regs = [which, on_true, on_false].map(|value| self.ty(value).regs).into_iter().max().unwrap_or(1);
        let operands = [which, on_false, on_true].map(|value| self.splat(value, regs));
        self.try_scalar(pallas_ir::Op(&pallas_ir::ops::SELECT_N), Attributes::none(), &operands).unwrap_or(on_true)
    }

    /// Converted to a dtype.
    pub fn convert(&mut self, value: Value, dtype: DType) -> Value {
        if self.ty(value).dtype == dtype {
            return value;
        }
        if let Some(number) = self.constant_of(value) {
            return self.constant(dtype, number.cast(dtype), self.ty(value).regs);
        }
        let attributes = Attributes::none().with("dtype", Attribute::DType(dtype));
        let op = pallas_ir::Op(&pallas_ir::ops::CONVERT_ELEMENT_TYPE);
        self.try_scalar(op, attributes, &[value]).unwrap_or(value)
    }

    /// Registers by number.
    pub fn pick(&mut self, value: Value, table: Vec<u32>) -> Value {
        let ty = self.ty(value);
        if table.len() == ty.regs as usize && table.iter().enumerate().all(|(to, &from)| to as u32 == from) {
            return value;
        }
        let regs = table.len() as u32;
        if let Some(number) = self.constant_of(value) {
            return self.constant(ty.dtype, number, regs);
        }
        self.pure(Op::Pick(table), &[value], Ty { regs, ..ty })
    }

    /// One register in the place of many.
    pub fn splat(&mut self, value: Value, regs: u32) -> Value {
        if self.ty(value).regs == 1 { self.pick(value, vec![0; regs as usize]) } else { value }
    }

    /// What another lane holds.
    pub fn shuffle_xor(&mut self, value: Value, mask: u32) -> Value {
        let ty = self.ty(value);
        self.pure(Op::ShuffleXor(mask), &[value], ty)
    }

    /// A load.
    pub fn load(
        &mut self,
        memory: MemoryId,
        index: Value,
        mask: Option<Value>,
        other: Option<Value>,
        private: bool,
    ) -> Value {
        let regs = self.ty(index).regs;
        let dtype = self.kernel.memory(memory).dtype;
        let mask = mask.map(|mask| self.splat(mask, regs));
        let other = mask.and(other).map(|other| self.splat(other, regs));
        let op = Op::Load { memory, masked: mask.is_some(), other: other.is_some(), private, vector: 1 };
        let operands: SmallVec<[Value; 4]> = std::iter::once(index).chain(mask).chain(other).collect();
        self.add(op, &operands, &[Ty { dtype, regs }], Vec::new())[0]
    }

    /// How many regions are open around what is added next.
    pub fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// How many regions are open around the place where a value is defined.
    pub fn depth_of(&self, value: Value) -> usize {
        self.depths[value.0 as usize]
    }

    /// Says something of how the kernel is made.
    pub fn note(&mut self, message: String) {
        self.kernel.notes.push(Note { message, span: self.span });
    }

    /// Notes the time.
    pub fn mark(&mut self, mark: Mark, number: Value, slot: Value) {
        let site = self.kernel.marks.len() as u32;
        self.kernel.marks.push(Site { mark, span: self.span });
        self.add(Op::Mark(site), &[number, slot], &[], Vec::new());
    }

    /// A store.
    pub fn store(&mut self, memory: MemoryId, index: Value, value: Value, mask: Option<Value>, private: bool) {
        self.store_at(self.depth(), memory, index, value, mask, private);
    }

    /// A store in a region that is open around this place, and in which the operands are.
    pub fn store_at(
        &mut self,
        depth: usize,
        memory: MemoryId,
        index: Value,
        value: Value,
        mask: Option<Value>,
        private: bool,
    ) {
        let regs = self.ty(index).regs;
        self.written(memory);
        let value = self.splat(value, regs);
        let mask = mask.map(|mask| self.splat(mask, regs));
        let op = Op::Store { memory, masked: mask.is_some(), private, vector: 1 };
        let mut operands: SmallVec<[Value; 4]> = smallvec![index, value];
        operands.extend(mask);
        self.add_to(depth, op, &operands, &[], Vec::new());
    }

    /// Tells engines what was written, in a region that is open around this place.
    pub fn publish_at(&mut self, depth: usize) {
        self.add_to(depth, Op::Publish, &[], &[], Vec::new());
    }

    fn value(&mut self, ty: Ty, depth: usize) -> Value {
        self.kernel.values.push(ty);
        self.depths.push(depth);
        Value(self.kernel.values.len() as u32 - 1)
    }
}
