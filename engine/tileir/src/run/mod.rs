//! Computes what a module means, block after block, on the CPU: every op that the lowering writes, and nothing else. It is not
//! what runs kernels; it is how the lowering is tested where no compiler and no device is. Beside values it looks after the
//! order of accesses: what is done to memory that the kernel writes has to be on one chain of tokens.

mod elementwise;
mod memory;
pub(crate) mod value;

use crate::{Initial, ParamKind, Program};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Attribute, BlockId, Module, OpId, Operation, RegionId, Type, Value, ValueProducer};
use memory::Ram;
use pallas_ir::{Launch, Role};
use pallas_syntax::Span;
use pallas_tensor::ops::{self, DotDimensions};
use pallas_tensor::{Array, DType, Scalar, Shape};
use std::collections::HashMap;
use value::Held;

/// Why a module does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// The Pallas source.
    pub span: Span,
}

impl Fault {
    fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), span: Span::default() }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl From<pallas_tensor::OpError> for Fault {
    fn from(error: pallas_tensor::OpError) -> Fault {
        Fault::new(error.to_string())
    }
}

/// How a list of ops ends.
enum Flow {
    /// It has no end of its own: control goes on behind it.
    On,
    /// Values for the op around it.
    Values(Vec<Held>),
    /// The next round.
    Continue(Vec<Held>),
    /// The loop is done.
    Break(Vec<Held>),
    Return,
}

/// Runs a program that was compiled from a launch on the arrays of its prefetched scalars and inputs; gives its outputs. `fuel` is
/// how many ops it may take.
///
/// # Errors
/// What the module does that it should not, or that nothing here computes.
pub fn run(launch: &Launch, program: &Program, inputs: &[Array], fuel: u64) -> Result<Vec<Array>, Fault> {
    let given = |operand: usize| {
        let before = launch.operands.iter().take(operand).filter(|operand| operand.role != Role::Output);
        inputs.get(before.count()).cloned().ok_or_else(|| Fault::new("an input is missing"))
    };
    let mut memories = Vec::new();
    for param in &program.params {
        let array = match &param.kind {
            ParamKind::Operand { initial: Initial::Given | Initial::GivenInPairs, operand } => given(*operand)?,
            ParamKind::Operand { initial: Initial::CopyOf(other), .. } => given(*other)?,
            ParamKind::Operand { initial: Initial::Fill(value), .. } => {
                Array::full(param.dtype, Shape::from(vec![param.len]), *value)?
            }
            _ => Array::full(DType::U8, Shape::from(vec![param.len]), Scalar::Int(0xA5))?,
        };
        memories.push(value::encoded(&array));
    }
    let memories = run_on(program, memories, fuel)?;
    let mut outputs = Vec::new();
    for (number, operand) in launch.with_role(Role::Output) {
        let is_it =
            |param: &crate::Param| matches!(param.kind, ParamKind::Operand { operand, .. } if operand == number);
        let position = program.params.iter().position(is_it).ok_or_else(|| Fault::new("an output is missing"))?;
        let array = &operand.array;
        outputs.push(value::decoded(array.dtype, &array.shape, &memories[position])?);
    }
    Ok(outputs)
}

/// Runs a program on the bytes of its parameters, and gives them as they are afterwards.
///
/// # Errors
/// As [`run`].
pub fn run_on(program: &Program, memories: Vec<Vec<u8>>, fuel: u64) -> Result<Vec<Vec<u8>>, Fault> {
    let rams = memories.into_iter().zip(&program.params).map(|(bytes, param)| Ram::new(bytes, param.written)).collect();
    let mut machine = Machine {
        program,
        module: &program.module,
        rams,
        values: HashMap::new(),
        results: results(&program.module),
        block: 0,
        tokens: 0,
        fuel,
    };
    for block in 0..program.blocks {
        machine.one(block)?;
    }
    Ok(machine.rams.into_iter().map(Ram::into_bytes).collect())
}

/// The results of each op.
fn results(module: &Module) -> HashMap<OpId, Vec<Value>> {
    let mut results: HashMap<OpId, Vec<Value>> = HashMap::new();
    for (value, data) in module.values_since(0) {
        if let ValueProducer::OpResult { op, .. } = data.producer {
            results.entry(op).or_default().push(value);
        }
    }
    results
}

struct Machine<'a> {
    program: &'a Program,
    module: &'a Module,
    rams: Vec<Ram>,
    values: HashMap<Value, Held>,
    results: HashMap<OpId, Vec<Value>>,
    block: usize,
    tokens: u64,
    fuel: u64,
}

/// An op's integer.
fn int(op: &Operation, name: &str) -> i64 {
    let found = op.attributes.iter().find(|(other, _)| other == name);
    if let Some((_, Attribute::Integer(value, _))) = found { *value } else { 0 }
}

fn flag(op: &Operation, name: &str) -> bool {
    op.attributes.iter().any(|(other, value)| other == name && *value == Attribute::Bool(true))
}

/// Sizes of groups of operands.
fn groups(op: &Operation) -> Vec<usize> {
    let found = op.attributes.iter().find(|(name, _)| name == "operandSegmentSizes");
    let Some((_, Attribute::Array(sizes))) = found else { return vec![1; op.operands.len()] };
    let size = |size: &Attribute| if let Attribute::Integer(size, _) = size { *size as usize } else { 0 };
    sizes.iter().map(size).collect()
}

impl Machine<'_> {
    /// Runs one block.
    fn one(&mut self, block: usize) -> Result<(), Fault> {
        self.block = block;
        self.values.clear();
        self.rams.iter_mut().for_each(Ram::begin);
        let module = self.module;
        for &entry in &module.functions {
            for &region in &module.op(entry).regions {
                let pointers = (0..self.rams.len())
                    .map(|memory| Held::Pointers { memory, bytes: vec![0], shape: Vec::new() })
                    .collect();
                self.region(region, pointers)?;
            }
        }
        Ok(())
    }

    fn region(&mut self, region: RegionId, arguments: Vec<Held>) -> Result<Flow, Fault> {
        let module = self.module;
        let Some(&block) = module.region(region).blocks.first() else { return Ok(Flow::On) };
        for (&(value, _), argument) in module.block(block).args.iter().zip(arguments) {
            self.values.insert(value, argument);
        }
        self.ops(block)
    }

    fn ops(&mut self, block: BlockId) -> Result<Flow, Fault> {
        let module = self.module;
        for &id in &module.block(block).ops {
            self.fuel = self.fuel.checked_sub(1).ok_or_else(|| Fault::new("it takes too long"))?;
            let flow = self.op(id).map_err(|mut fault| {
                if fault.span == Span::default() {
                    fault.message = format!("{}: {}", module.op(id).opcode.name(), fault.message);
                    fault.span = self.program.spans.get(&id).copied().unwrap_or_default();
                }
                fault
            })?;
            if !matches!(flow, Flow::On) {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn held(&self, op: &Operation, number: usize) -> Result<Held, Fault> {
        let value = op.operands.get(number).ok_or_else(|| Fault::new("an operand is missing"))?;
        self.values.get(value).cloned().ok_or_else(|| Fault::new("an operand has no value yet"))
    }

    fn tile(&self, op: &Operation, number: usize) -> Result<Array, Fault> {
        match self.held(op, number)? {
            Held::Tile(array) => Ok(array),
            _ => Err(Fault::new("an operand is no tile")),
        }
    }

    /// A scalar integer.
    fn number(&self, op: &Operation, number: usize) -> Result<i64, Fault> {
        let item = self.tile(op, number)?.item().and_then(Scalar::as_int);
        item.and_then(|value| i64::try_from(value).ok()).ok_or_else(|| Fault::new("an operand is no number"))
    }

    fn all(&self, op: &Operation, from: usize) -> Result<Vec<Held>, Fault> {
        (from..op.operands.len()).map(|number| self.held(op, number)).collect()
    }

    fn bind(&mut self, id: OpId, values: Vec<Held>) -> Result<Flow, Fault> {
        let results = self.results.get(&id).cloned().unwrap_or_default();
        if results.len() != values.len() {
            return Err(Fault::new(format!("{} results, should be {}", values.len(), results.len())));
        }
        for (&result, held) in results.iter().zip(&values) {
            if let (Held::Tile(array), Type::Tile(_)) = (held, self.module.value_type(result)) {
                let (dtype, shape) = value::tile(self.module.value_type(result))?;
                // Regions of reductions run for many elements at once.
                if array.dtype() != dtype || (!shape.is_empty() && array.shape()[..] != shape[..]) {
                    let message = format!("gives {}{}, should be {dtype}{shape:?}", array.dtype(), array.shape());
                    return Err(Fault::new(message));
                }
            }
        }
        self.values.extend(results.into_iter().zip(values));
        Ok(Flow::On)
    }

    fn op(&mut self, id: OpId) -> Result<Flow, Fault> {
        let module = self.module;
        let op = module.op(id);
        let values = match op.opcode {
            Opcode::Return => return Ok(Flow::Return),
            Opcode::Yield => return Ok(Flow::Values(self.all(op, 0)?)),
            Opcode::Continue => return Ok(Flow::Continue(self.all(op, 0)?)),
            Opcode::Break => return Ok(Flow::Break(self.all(op, 0)?)),
            Opcode::If => match self.branch(op)? {
                Flow::Values(values) => values,
                Flow::On => Vec::new(),
                other => return Ok(other),
            },
            Opcode::For => self.counted(op)?,
            Opcode::Loop => self.repeated(op)?,
            Opcode::Reduce => self.reduce(op)?,
            Opcode::Scan => self.scan(op)?,
            Opcode::GetTileBlockId => [self.block as i64, 0, 0].map(scalar).to_vec(),
            Opcode::MmaF | Opcode::MmaI => vec![Held::Tile(self.product(op)?)],
            _ => match self.access(op)? {
                Some(values) => values,
                None => vec![self.pure(op)?],
            },
        };
        self.bind(id, values)
    }

    fn branch(&mut self, op: &Operation) -> Result<Flow, Fault> {
        let holds = self.tile(op, 0)?.item().and_then(Scalar::as_bool) == Some(true);
        match op.regions.get(usize::from(!holds)) {
            Some(&region) => self.region(region, Vec::new()),
            None => Ok(Flow::On),
        }
    }

    fn counted(&mut self, op: &Operation) -> Result<Vec<Held>, Fault> {
        let (mut at, end, step) = (self.number(op, 0)?, self.number(op, 1)?, self.number(op, 2)?);
        let dtype = self.tile(op, 0)?.dtype();
        let mut carried = self.all(op, 3)?;
        while at < end {
            let mut arguments = vec![Held::Tile(Array::scalar(dtype, Scalar::Int(at.into())))];
            arguments.append(&mut carried);
            carried = match self.region(op.regions[0], arguments)? {
                Flow::Continue(values) => values,
                _ => return Err(Fault::new("a round does not end with `continue`")),
            };
            at += step.max(1);
        }
        Ok(carried)
    }

    fn repeated(&mut self, op: &Operation) -> Result<Vec<Held>, Fault> {
        let mut carried = self.all(op, 0)?;
        loop {
            carried = match self.region(op.regions[0], carried)? {
                Flow::Continue(values) => values,
                Flow::Break(values) => return Ok(values),
                _ => return Err(Fault::new("a round ends with neither `continue` nor `break`")),
            };
        }
    }

    /// The function of a reduction, on many pairs of elements at once.
    fn combined(&mut self, op: &Operation, a: &[Array], b: &[Array]) -> Result<Vec<Array>, Fault> {
        let pairs = a.iter().zip(b).flat_map(|(a, b)| [Held::Tile(a.clone()), Held::Tile(b.clone())]);
        let Flow::Values(values) = self.region(op.regions[0], pairs.collect())? else {
            return Err(Fault::new("its function yields nothing"));
        };
        let arrays = values.into_iter().zip(a).map(|(value, like)| match value {
            // A constant, or what is the same for all.
            Held::Tile(array) if array.rank() == 0 => Ok(ops::broadcast_in_dim(&array, like.shape().clone(), &[])?),
            Held::Tile(array) => Ok(array),
            _ => Err(Fault::new("its function yields no tile")),
        });
        arrays.collect()
    }

    fn operands(&self, op: &Operation) -> Result<Vec<Array>, Fault> {
        (0..op.operands.len()).map(|number| self.tile(op, number)).collect()
    }

    fn reduce(&mut self, op: &Operation) -> Result<Vec<Held>, Fault> {
        let dim = int(op, "dim") as usize;
        let mut arrays = self.operands(op)?;
        loop {
            let extent = arrays.first().map_or(1, |array| array.shape()[dim]);
            if extent <= 1 {
                break;
            }
            let half = |range: std::ops::Range<usize>| -> Result<Vec<Array>, Fault> {
                arrays.iter().map(|array| part(array, dim, range.clone())).collect()
            };
            let (a, b) = (half(0..extent / 2)?, half(extent / 2..extent)?);
            arrays = self.combined(op, &a, &b)?;
        }
        let squeezed =
            arrays.iter().map(|array| Ok(Held::Tile(ops::reshape(array, array.shape().without_axes(&[dim]))?)));
        squeezed.collect()
    }

    fn scan(&mut self, op: &Operation) -> Result<Vec<Held>, Fault> {
        let dim = int(op, "dim") as usize;
        let arrays = self.operands(op)?;
        let extent = arrays.first().map_or(1, |array| array.shape()[dim]);
        let reverse = flag(op, "reverse");
        let mut sums: Vec<Vec<Array>> = Vec::new();
        for step in 0..extent {
            let at = if reverse { extent - 1 - step } else { step };
            let here: Vec<Array> = arrays.iter().map(|array| part(array, dim, at..at + 1)).collect::<Result<_, _>>()?;
            let next = match sums.last().cloned() {
                Some(sum) => self.combined(op, &here, &sum)?,
                None => here,
            };
            sums.push(next);
        }
        if reverse {
            sums.reverse();
        }
        let joined = (0..arrays.len()).map(|number| {
            let column: Vec<&Array> = sums.iter().map(|sums| &sums[number]).collect();
            Ok(Held::Tile(ops::concatenate(&column, dim)?))
        });
        joined.collect()
    }

    fn product(&self, op: &Operation) -> Result<Array, Fault> {
        let (mut a, mut b, onto) = (self.tile(op, 0)?, self.tile(op, 1)?, self.tile(op, 2)?);
        if op.opcode == Opcode::MmaI {
            let wide = |array: &Array, signed: bool| -> Result<Array, Fault> {
                let array = if signed { array.clone() } else { ops::bitcast_convert(array, DType::U8)? };
                Ok(ops::convert(&array, DType::I32)?)
            };
            a = wide(&a, int(op, "signedness_lhs") == 1)?;
            b = wide(&b, int(op, "signedness_rhs") == 1)?;
        }
        let mut dimensions = DotDimensions::matrix_product();
        if a.rank() == 3 {
            dimensions.left_contracting = vec![2];
            dimensions.right_contracting = vec![1];
            dimensions.left_batch = vec![0];
            dimensions.right_batch = vec![0];
        }
        let product = ops::dot_general(&a, &b, &dimensions, onto.dtype())?;
        Ok(ops::binary(ops::BinaryOp::Add, onto, product)?)
    }
}

fn scalar(value: i64) -> Held {
    Held::Tile(Array::scalar(DType::I32, Scalar::Int(value.into())))
}

/// Part of an array along one dimension.
fn part(array: &Array, dim: usize, range: std::ops::Range<usize>) -> Result<Array, Fault> {
    let mut start = vec![0; array.rank()];
    let mut limit = array.shape().to_vec();
    (start[dim], limit[dim]) = (range.start, range.end);
    Ok(ops::slice(array, &start, &limit, None)?)
}
