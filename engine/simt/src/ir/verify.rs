//! Checks that a kernel is well formed: values defined before they are used, types as the instructions want them. Says nothing of
//! what a kernel computes, nor whether what control flow depends on is uniform: the simulator sees that.

use super::{
    Factor, Inst, Kernel, LeftFactor, MemoryId, Op, Places, Product, Region, Scales, Share, Space, TensorMap,
    TensorProduct, TensorSource, Ty, Value, WARP,
};
use pallas_ir::op::InferContext;
use pallas_ir::{Location, TensorType, Type};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashSet;
use std::fmt;

/// What is wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// In words.
    pub message: String,
    /// The source of the instruction.
    pub span: Span,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Checks a kernel.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(kernel: &Kernel) -> Result<(), Wrong> {
    if !kernel.threads.is_power_of_two() || !kernel.threads.is_multiple_of(WARP) {
        return Err(Wrong { message: format!("{} threads are no whole warps", kernel.threads), span: Span::default() });
    }
    let mut checker = Checker {
        kernel,
        defined: HashSet::new(),
        function: pallas_ir::Builder::new("", Location::default()).finish(Vec::new()),
    };
    checker.region(&kernel.body)
}

struct Checker<'a> {
    kernel: &'a Kernel,
    defined: HashSet<Value>,
    function: pallas_ir::Function,
}

impl Checker<'_> {
    fn region(&mut self, region: &Region) -> Result<(), Wrong> {
        for inst in &region.insts {
            self.inst(inst).map_err(|message| Wrong { message, span: inst.span })?;
            for inner in &inst.regions {
                self.defined.extend(&inner.params);
                self.region(inner)?;
            }
            self.defined.extend(&inst.results);
        }
        match region.yields.iter().find(|value| !self.defined.contains(value)) {
            Some(value) => {
                Err(Wrong { message: format!("{value} is yielded, but not defined"), span: Span::default() })
            }
            None => Ok(()),
        }
    }

    fn inst(&self, inst: &Inst) -> Result<(), String> {
        if let Some(value) = inst.operands.iter().find(|value| !self.defined.contains(value)) {
            return Err(format!("{value} is used before it is defined"));
        }
        let operands: Vec<Ty> = inst.operands.iter().map(|&value| self.kernel.ty(value)).collect();
        let results: Vec<Ty> = inst.results.iter().map(|&value| self.kernel.ty(value)).collect();
        let wants = |fits: bool, what: &str| if fits { Ok(()) } else { Err(format!("{:?}: {what}", inst.op)) };
        let int = |ty: &Ty| ty.dtype == DType::I32;
        let one = |ty: &Ty| *ty == Ty { dtype: DType::I32, regs: 1 };
        match &inst.op {
            Op::Const(_) | Op::Block | Op::Owner(_) | Op::Barrier => {}
            Op::Print { pieces, masked } => {
                let printed = operands.len().checked_sub(usize::from(*masked));
                wants(printed == pieces.len().checked_sub(1), "text around every operand")?;
                let fits = !masked || operands.last().is_some_and(|mask| mask.dtype == DType::Bool);
                wants(fits, "a mask")?;
            }
            Op::Mark(site) => {
                wants((*site as usize) < self.kernel.marks.len(), "a note that is in the table")?;
                wants(operands == [Ty { dtype: DType::I32, regs: 1 }; 2], "a number and a slot")?;
            }
            Op::Check(..) => {
                let number = Ty { dtype: DType::I32, regs: 1 };
                let fits = operands.len() == 2 && operands[0].dtype == DType::Bool && operands[1] == number;
                wants(fits, "a bool and the program's number")?;
            }
            Op::Owned { memory, masked, .. } => {
                wants(matches!(self.kernel.memory(*memory).space, Space::Operand { .. }), "an array of the launch")?;
                wants(operands.len() == 2 + usize::from(*masked) && int(&operands[0]), "its operands")?;
                wants(operands[1] == Ty { dtype: DType::I32, regs: 1 }, "the program's number")?;
                wants(operands.iter().skip(2).all(|ty| ty.regs == operands[0].regs), "a mask of its index")?;
            }
            Op::Witness { memory, masked, .. } => {
                wants(matches!(self.kernel.memory(*memory).space, Space::Operand { .. }), "an array of the launch")?;
                wants(operands.len() == 3 + usize::from(*masked) && int(&operands[0]), "its operands")?;
                wants(operands[2] == Ty { dtype: DType::I32, regs: 1 }, "the program's number")?;
                let regs = operands.iter().enumerate().all(|(n, ty)| n == 2 || ty.regs == operands[0].regs);
                wants(regs, "a value and a mask of its index")?;
            }
            Op::CommitAhead | Op::WaitAhead(_) | Op::CommitSent | Op::WaitSent { .. } | Op::Publish | Op::Team => {}
            Op::WaitProducts(_) | Op::SetRegisters(_) => {}
            Op::Take(memory) => {
                wants(operands.is_empty() && results == [self.registers(*memory)?], "its registers")?;
            }
            Op::Keep(memory) => wants(operands == [self.registers(*memory)?], "its registers")?,
            Op::Multiply(product) => self.product(product, &operands)?,
            Op::MultiplyTensor(product) => {
                let [rows, columns, terms] = product.extents;
                let half = rows == TensorProduct::HALF;
                let group = if product.pair || half { 32 } else { 16 };
                let is_shared = matches!(product.left, LeftFactor::Shared(_));
                let whole = (rows == TensorProduct::LANES || half && is_shared) && columns.is_multiple_of(group);
                let alone = !product.pair || self.kernel.cluster >= 2 && columns <= TensorProduct::COLUMNS;
                wants(alone, "a cluster, and columns of one instruction")?;
                let bits = product.dtype.bits();
                let taken = match product.dtype {
                    DType::F4E2M1Fn => is_shared && product.scales.is_some(),
                    dtype => dtype == DType::I8 || dtype.is_float() && matches!(bits, 8 | 16),
                };
                wants(whole && taken && terms.is_multiple_of(product.step()), "its extents")?;
                let acc = self.kernel.memory(product.acc);
                wants(acc.space == Space::Tensor && acc.dtype == product.sums(), "tensor memory")?;
                let flag = Ty { dtype: DType::Bool, regs: 1 };
                wants(operands.len() == 4 && operands[..3].iter().all(one) && operands[3] == flag, "its operands")?;
                let (_, stored) = product.stored();
                let in_rows = |factor: &Factor| bits >= 8 || factor.terms_last;
                let rows_fit =
                    in_rows(&product.right) && !matches!(&product.left, LeftFactor::Shared(left) if !in_rows(left));
                let lies = match &product.left {
                    LeftFactor::Shared(left) => self.lies(left, stored),
                    LeftFactor::Tensor(left) => {
                        let left = self.kernel.memory(*left);
                        left.space == Space::Tensor && left.dtype == product.dtype
                    }
                };
                wants(lies && rows_fit && self.lies(&product.right, stored), "factors in panels, or one in lanes")?;
                if let Some(of_factors) = product.scales {
                    let scaled =
                        rows == TensorProduct::LANES && is_shared && columns <= TensorProduct::COLUMNS && bits <= 8;
                    let dtypes = of_factors.map(|memory| self.kernel.memory(memory).dtype);
                    let block = TensorProduct::terms_of_scale(dtypes[0]).filter(|_| dtypes[0] == dtypes[1]);
                    let block = block.filter(|block| bits == 4 || *block == TensorProduct::SCALED);
                    let block = block.ok_or("scales of one dtype")?;
                    let count = terms / block;
                    let fits = of_factors.iter().zip([rows, columns]).all(|(&memory, rows)| {
                        let memory = self.kernel.memory(memory);
                        let tile = Scales { rows: rows.next_multiple_of(Scales::TILE[0]), count };
                        memory.space == Space::Tensor && memory.len >= tile.width()
                    });
                    wants(scaled && fits && terms.is_multiple_of(block), "scales of its factors")?;
                }
                if let Some(places) = product.places {
                    let memory = self.kernel.memory(places);
                    let has = memory.space == Space::Tensor && memory.dtype == DType::U32;
                    let thin = rows == TensorProduct::LANES && is_shared && !product.pair && product.scales.is_none();
                    let fits = terms == product.thin() * Places::WORD * memory.len && columns <= TensorProduct::COLUMNS;
                    wants(has && thin && fits, "words that say where the elements of its left factor stand")?;
                }
            }
            Op::CopyTensor(copy) => {
                let to = self.kernel.memory(copy.to);
                wants(operands.len() == 2 && operands.iter().all(one), "a column and a place")?;
                wants(to.space == Space::Tensor && (!copy.pair || self.kernel.cluster >= 2), "tensor memory")?;
                let lies = match &copy.from {
                    TensorSource::Rows(factor) => {
                        copy.extents[0] == TensorProduct::LANES && self.lies(factor, to.dtype)
                    }
                    TensorSource::Scales(memory) => {
                        let memory = self.kernel.memory(*memory);
                        matches!(memory.space, Space::Shared | Space::Team) && memory.dtype == to.dtype
                    }
                    TensorSource::Places(memory) => {
                        let memory = self.kernel.memory(*memory);
                        let [rows, words] = copy.extents;
                        let fits =
                            rows == TensorProduct::LANES && words == to.len && words.is_multiple_of(Places::WORDS);
                        let lies = matches!(memory.space, Space::Shared | Space::Team) && !copy.pair;
                        lies && fits && memory.dtype == DType::U32 && to.dtype == DType::U32
                    }
                };
                wants(lies, "a source in panels, scales, or words that say where elements stand")?;
            }
            Op::ArriveTensor { phases, pair } => {
                let fits = operands.len() == 1 + usize::from(*pair) && operands.iter().all(one);
                wants(fits, "which barrier, and which block")?;
                self.phases(*phases)?;
            }
            Op::LoadTensor(memory) | Op::StoreTensor(memory) => {
                let memory = self.kernel.memory(*memory);
                let columns = results.first().or(operands.get(1)).map_or(0, |ty| ty.regs as usize);
                wants(memory.space == Space::Tensor && columns <= memory.len, "tensor memory")?;
                wants(operands.first().is_some_and(one), "an i32 of one register")?;
            }
            Op::Arrive { phases, across, .. } => {
                let fits = operands.len() == 1 + usize::from(*across) && operands.iter().all(one);
                wants(fits, "which barrier, and which block")?;
                wants(!across || self.kernel.cluster > 1, "a cluster")?;
                self.phases(*phases)?;
            }
            Op::Await { phases } | Op::Arrived { phases } | Op::Expect { phases, .. } => {
                wants(operands.len() == 1 && one(&operands[0]), "which barrier")?;
                self.phases(*phases)?;
            }
            Op::Claim { memory, phases } => {
                self.phases(*phases)?;
                wants(operands.len() == 2 && operands.iter().all(one), "a place and a barrier")?;
                wants(self.answers(*memory), "bytes of shared memory")?;
            }
            Op::Claimed(memory) => {
                let flag = Ty { dtype: DType::Bool, regs: 1 };
                wants(operands.len() == 1 && one(&operands[0]) && self.answers(*memory), "an answer")?;
                wants(results.len() == 2 && one(&results[0]) && results[1] == flag, "a number and a bool")?;
            }
            Op::BringBox { map, memory, phases, share } => {
                let more = 2 + usize::from(*share != Share::Own);
                self.boxed(*map, *memory, operands.len().saturating_sub(more))?;
                self.phases(*phases)?;
                wants(operands.iter().all(one), "an i32 of one register each")?;
            }
            Op::SendBox { memory, map, .. } => {
                self.boxed(*map, *memory, operands.len().saturating_sub(1))?;
                wants(operands.iter().all(one), "an i32 of one register each")?;
            }
            Op::CopyAhead { from, memory, vector } => {
                let (from, to) = (self.kernel.memory(*from), self.kernel.memory(*memory));
                wants(from.dtype == to.dtype && matches!(to.space, Space::Shared), "shared memory of one dtype")?;
                wants(matches!(from.space, Space::Operand { .. }), "an array of the launch")?;
                wants(operands.len() == 3 && operands[..2].iter().all(int), "two i32 indices and a mask")?;
                wants(operands.iter().all(|ty| ty.regs == operands[0].regs), "one number of registers")?;
                let bytes = to.dtype.size_bytes() * *vector as usize;
                wants(whole(*vector, operands[0].regs) && matches!(bytes, 4 | 8 | 16), "copies of 4, 8 or 16 bytes")?;
            }
            Op::Coord { layout, .. } => {
                wants(results == [Ty { dtype: DType::I32, regs: layout.registers() }], "registers of its layout")?;
                wants(1 << layout.threads.len() == self.kernel.threads, "threads of its layout")?;
            }
            Op::Scalar(op, attributes) => {
                let types: Vec<Type> = operands
                    .iter()
                    .map(|ty| Type::Tensor(TensorType::new(ty.dtype, [ty.regs as usize].as_slice())))
                    .collect();
                let context = InferContext { operands: &types, attributes, function: &self.function, regions: &[] };
                let inferred = (op.infer)(&context).map_err(|error| format!("{}: {error}", op.name))?;
                let fits = inferred.iter().map(Type::dtype).eq(results.iter().map(|ty| ty.dtype));
                wants(fits && operands.iter().all(|ty| results.iter().all(|r| r.regs == ty.regs)), "its type rule")?;
            }
            Op::Pick(table) => {
                let fits = operands.len() == 1 && table.iter().all(|&from| from < operands[0].regs);
                wants(fits && results[0].regs as usize == table.len(), "registers that are there")?;
            }
            Op::ShuffleXor(mask) => {
                wants(operands == results && *mask < WARP, "one value, and lanes of a warp")?;
            }
            Op::Load { memory, masked, other, vector, .. } => {
                wants(results.len() == 1 && whole(*vector, results[0].regs), "a vector of its registers")?;
                let memory = self.kernel.memory(*memory);
                wants(operands.len() == 1 + usize::from(*masked) + usize::from(*other), "its operands")?;
                wants(int(&operands[0]) && operands.iter().all(|ty| ty.regs == results[0].regs), "an i32 index")?;
                wants(results[0].dtype == memory.dtype, "the dtype of the array")?;
            }
            Op::Store { memory, masked, vector, .. } => {
                wants(operands.first().is_some_and(|ty| whole(*vector, ty.regs)), "a vector of its registers")?;
                let memory = self.kernel.memory(*memory);
                wants(operands.len() == 2 + usize::from(*masked), "its operands")?;
                wants(int(&operands[0]) && operands[1].dtype == memory.dtype, "an i32 index, the dtype of the array")?;
                wants(operands.iter().all(|ty| ty.regs == operands[0].regs), "one number of registers")?;
                wants(!is_constant(&memory.space), "memory that can be written")?;
            }
            Op::Atomic { memory, masked, .. } => {
                let memory = self.kernel.memory(*memory);
                wants(operands.len() == 2 + usize::from(*masked), "its operands")?;
                wants(operands[1].dtype == memory.dtype && !is_constant(&memory.space), "memory that can be written")?;
            }
            Op::Mma(mma) => {
                let [a, b, c] = mma.registers();
                let registers = [a * mma.rows, b * mma.columns, c * mma.rows * mma.columns];
                wants(operands.iter().map(|ty| ty.regs).eq(registers), "registers of its tiles")?;
                wants(operands[..2].iter().all(|ty| ty.dtype == mma.dtype), "factors of its dtype")?;
                wants(operands[2].dtype == mma.sums() && results == operands[2..], "sums in f32 or i32")?;
            }
            Op::LoadMatrix { memory, trans, words } => {
                let memory = self.kernel.memory(*memory);
                let bytes = memory.dtype.size_bytes();
                let own = matches!(memory.space, Space::Shared | Space::Team | Space::Workspace);
                wants(own && (!trans || bytes == 2) && matches!(words, 2 | 4), "memory of a block, words of it")?;
                wants(operands.len() == 1 && int(&operands[0]), "an i32 index")?;
                let regs = operands[0].regs * words * (4 / bytes.clamp(1, 4)) as u32;
                wants(results == [Ty { dtype: memory.dtype, regs }], "its words")?;
            }
            Op::For => {
                wants(operands.len() >= 2 && operands[..2].iter().all(|ty| ty.regs == 1), "bounds of one register")?;
                self.loops(inst, 2)?;
            }
            Op::While => {
                self.loops(inst, 0)?;
            }
            Op::Warps => {
                let [body] = inst.regions.as_slice() else { return Err("warps without a body".to_string()) };
                let warp = body.params.len() == 1 && one(&self.kernel.ty(body.params[0]));
                wants(warp && operands.is_empty() && results.is_empty() && body.yields.is_empty(), "a warp's number")?;
                wants(self.of_warps(body), "scalars, and nothing that takes a whole team")?;
            }
            Op::Switch => {
                wants(operands.len() == 1 && int(&operands[0]) && operands[0].regs == 1, "an i32 of one register")?;
                let fits = |region: &Region| {
                    region.params.is_empty()
                        && region.yields.iter().map(|&value| self.kernel.ty(value)).eq(results.iter().copied())
                };
                wants(inst.regions.iter().all(fits), "regions that yield its results")?;
            }
        }
        Ok(())
    }

    /// Values of one register, and nothing that takes a whole team.
    fn of_warps(&self, region: &Region) -> bool {
        region.insts.iter().all(|inst| {
            let whole = |op: &Op| {
                matches!(
                    op,
                    Op::Warps | Op::Multiply(_) | Op::WaitProducts(_) | Op::Take(_) | Op::Keep(_) | Op::SetRegisters(_)
                ) || matches!(op, Op::LoadTensor(_) | Op::StoreTensor(_) | Op::ShuffleXor(_) | Op::LoadMatrix { .. })
            };
            let scalar = inst.operands.iter().chain(&inst.results).all(|&value| self.kernel.ty(value).regs == 1);
            scalar && !whole(&inst.op) && inst.regions.iter().all(|inner| self.of_warps(inner))
        })
    }

    /// Whether answers to claims may lie there.
    fn answers(&self, id: MemoryId) -> bool {
        let memory = self.kernel.memory(id);
        memory.space == Space::Shared && memory.dtype.size_bytes() == 1 && memory.align >= Op::CLAIM
    }

    fn phases(&self, id: MemoryId) -> Result<(), String> {
        match self.kernel.memory(id).space {
            Space::Phases { arrivals } if arrivals > 0 => Ok(()),
            _ => Err(format!("{} has no phases", self.kernel.memory(id).name)),
        }
    }

    /// What a thread has there.
    fn registers(&self, id: MemoryId) -> Result<Ty, String> {
        let memory = self.kernel.memory(id);
        match memory.space {
            Space::Registers => Ok(Ty { dtype: memory.dtype, regs: memory.len as u32 }),
            _ => Err(format!("{} is not in registers", memory.name)),
        }
    }

    /// Whether tensor cores can read a factor.
    fn lies(&self, factor: &Factor, dtype: DType) -> bool {
        let memory = self.kernel.memory(factor.memory);
        matches!(memory.space, Space::Shared | Space::Team)
            && memory.dtype == dtype
            && memory.align >= 1024
            && matches!(factor.swizzle, 32 | 64 | 128)
            && factor.rows.is_multiple_of(8)
    }

    /// A product that tensor cores take.
    fn product(&self, product: &Product, operands: &[Ty]) -> Result<(), String> {
        let [rows, columns, terms] = product.extents;
        let whole =
            rows.is_multiple_of(Product::ROWS) && columns.is_multiple_of(8) && terms.is_multiple_of(product.step());
        let groups = product.groups[0] * product.groups[1];
        let shared = groups * Product::THREADS == self.kernel.threads as usize
            && rows.is_multiple_of(Product::ROWS * product.groups[0])
            && columns.is_multiple_of(8 * product.groups[1]);
        let halves = product.dtype.is_float() && product.dtype.size_bytes() <= 2;
        let acc = Ty { dtype: DType::F32, regs: product.registers() as u32 };
        let index = Ty { dtype: DType::I32, regs: 1 };
        let left = match product.left {
            Some(_) => index,
            None => Ty { dtype: product.dtype, regs: product.left_registers() as u32 },
        };
        let in_rows = |factor: &Factor| factor.terms_last || product.dtype.size_bytes() == 2;
        let lies = |factor: &Factor| self.lies(factor, product.dtype) && in_rows(factor);
        let lie = product.left.as_ref().is_none_or(lies) && lies(&product.right);
        match whole && shared && halves && lie && self.registers(product.acc)? == acc && operands == [left, index] {
            true => Ok(()),
            false => Err(format!("tensor cores do not take {product:?}")),
        }
    }

    /// A box that engines can copy.
    fn boxed(&self, map: usize, shared: MemoryId, operands: usize) -> Result<(), String> {
        let map = self.kernel.maps.get(map).ok_or("a box that is not there")?;
        let (array, shared) = (self.kernel.memory(map.memory), self.kernel.memory(shared));
        let bytes = array.dtype.size_bytes();
        let fits = matches!(array.space, Space::Operand { .. })
            && matches!(shared.space, Space::Shared | Space::Team)
            && array.dtype == shared.dtype
            && map.extents.len() == map.boxed.len()
            && (1..=TensorMap::RANK).contains(&map.boxed.len())
            && operands == map.boxed.len()
            && map.boxed.iter().all(|extent| (1..=TensorMap::EXTENT).contains(extent));
        let row = map.boxed.last().map_or(0, |&extent| extent * bytes);
        let pitch = map.extents.last().map_or(0, |&extent| extent * bytes);
        let pieces = row.is_multiple_of(16) && (map.extents.len() == 1 || pitch.is_multiple_of(16));
        let swizzle = map.swizzle == 0 || (row <= map.swizzle && shared.align >= 1024);
        match fits && pieces && swizzle && shared.align >= 128 {
            true => Ok(()),
            false => Err(format!("engines cannot copy {map:?}")),
        }
    }

    /// Carries of one type all the way round.
    fn loops(&self, inst: &Inst, bounds: usize) -> Result<(), String> {
        let ty = |value: &Value| self.kernel.ty(*value);
        let carries: Vec<Ty> = inst.operands[bounds..].iter().map(ty).collect();
        let results: Vec<Ty> = inst.results.iter().map(ty).collect();
        let body = inst.regions.last().ok_or("a loop without a body")?;
        let yields: Vec<Ty> = body.yields.iter().map(ty).collect();
        if carries != results || carries != yields {
            return Err("a loop whose carries change their types".to_string());
        }
        Ok(())
    }
}

/// Whether so many registers at a time are all registers.
fn whole(vector: u32, regs: u32) -> bool {
    vector.is_power_of_two() && regs.is_multiple_of(vector)
}

fn is_constant(space: &Space) -> bool {
    matches!(space, Space::Constant(_) | Space::Operand { constant: true, .. })
}
