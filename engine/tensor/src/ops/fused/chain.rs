//! A chain: what is read, which operations follow each other, and in which registers their results wait for the next.

use super::calm;
use super::code::Codes;
use super::known::{Located, Loops};
use super::lanes::{Register, lane_of};
use super::layout::{Place, Strides, View};
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::MultiplyAdd;
use crate::ops::binary::BinaryOp;
use crate::ops::compare::CompareOp;
use crate::ops::strided::signed_strides;
use crate::ops::unary::UnaryOp;
use crate::shape::Shape;
use smallvec::SmallVec;
use std::borrow::Cow;

/// An operation of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Of one operand.
    Unary(UnaryOp),
    /// Of two operands of one dtype.
    Binary(BinaryOp),
    /// Of two operands of one dtype, to `bool`.
    Compare(CompareOp),
    /// Of a `bool` and two cases: the first where it is false, the second where it is true.
    Select,
    /// To another dtype.
    Convert,
    /// `x ** y` for a constant.
    IntegerPow(i32),
    /// Of `x`, `y`, `z` of `float32`: see [`crate::ops::multiply_add`].
    MultiplyAdd {
        /// The signs.
        form: MultiplyAdd,
        /// Whether the product is with the reciprocal of `y`.
        divides: bool,
    },
    /// The same bits as another dtype of the same width; 16-bit floats have none.
    Bits,
    /// `x` with zeros in the place of subnormal numbers. Chains put it where several operations would do so.
    Flush,
    /// `x * (1 / y)` of `float32`: see [`crate::ops::multiply_by_reciprocal`].
    ByReciprocal,
    /// `x % y` of `float32`, where `x` is known to be neither below zero nor so many times `y` that its digits could not tell the
    /// integers around the quotient apart: see [`remains_near`](crate::ops::remains_near).
    NearRemainder,
    /// Of `x` and `y` of a dtype, and two cases of `float32`: the second where the comparison holds. Chains put it where a
    /// comparison is only there for a select.
    Choose {
        /// The comparison.
        op: CompareOp,
        /// What it compares.
        of: DType,
    },
}

const OP: &str = "chain";

impl Code {
    /// The dtype that it computes with (that of the cases of a select), for operands and a result of some dtypes.
    ///
    /// # Errors
    /// If the operation does not take such operands, or does not have such a result.
    pub(crate) fn dtype(self, operands: &[DType], result: DType) -> Result<DType, OpError> {
        let (count, cases) = match self {
            Code::Unary(_) | Code::Convert | Code::IntegerPow(_) | Code::Flush | Code::Bits => (1, operands),
            Code::Binary(_) | Code::Compare(_) | Code::ByReciprocal | Code::NearRemainder => (2, operands),
            Code::MultiplyAdd { .. } => (3, operands),
            Code::Select => (3, operands.get(1..).unwrap_or_default()),
            // Nobody but chains themselves makes one.
            Code::Choose { .. } => return Err(OpError::argument(OP, "a choice is a comparison and a select")),
        };
        let Some(&dtype) = cases.first().filter(|_| operands.len() == count) else {
            return Err(OpError::argument(OP, format!("{self:?} takes {count} operands, got {}", operands.len())));
        };
        let fits = match self {
            Code::Unary(UnaryOp::IsFinite) => dtype.is_float() && result == DType::Bool,
            Code::Unary(op) => op.accepts(dtype) && result == dtype,
            Code::Binary(BinaryOp::NextAfter) => (dtype == DType::F32 || dtype == DType::F64) && result == dtype,
            Code::Binary(op) => op.accepts(dtype) && result == dtype,
            Code::Compare(_) => result == DType::Bool,
            Code::Select => operands[0] == DType::Bool && result == dtype,
            Code::Convert => true,
            Code::Bits => {
                let stays = |dtype: DType| dtype != DType::Bool && lane_of(dtype) == Some(dtype);
                dtype.bits() == result.bits() && stays(dtype) && stays(result)
            }
            Code::IntegerPow(exponent) => (dtype.is_float() || dtype.is_integer() && exponent >= 0) && result == dtype,
            Code::MultiplyAdd { .. } | Code::ByReciprocal | Code::NearRemainder | Code::Flush | Code::Choose { .. } => {
                dtype == DType::F32 && result == dtype
            }
        };
        let known = operands.iter().chain([&result]).all(|&dtype| ChainBuilder::takes(dtype));
        if !fits || !known || cases.iter().any(|&other| other != dtype) {
            return Err(OpError::DType { op: OP, dtype });
        }
        Ok(dtype)
    }
}

/// An operand: something that is read, or the result of an operation before, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// What the chain reads.
    Read(usize),
    /// The result of an operation.
    Result(usize),
}

/// Something that a chain reads.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) dtype: DType,
    /// The lanes that it is computed in.
    pub(super) lane: DType,
    /// Where it waits if it cannot be taken from where it lies.
    pub(super) register: Register,
    /// The array's shape.
    pub(super) shape: Shape,
    pub(super) place: Place,
    /// Where the place is if the array's elements lie one behind the other.
    pub(super) lies: (usize, Strides),
    /// Where it is in arrays whose elements lie elsewhere.
    pub(super) located: Located,
    /// Whether the place is all of an array of the result's shape.
    pub(super) is_same: bool,
}

impl Read {
    /// Whether one element meets all.
    pub(super) fn is_scalar(&self) -> bool {
        self.place.dims.iter().all(Option::is_none)
    }

    /// What it costs to look at its elements, in halves of what it costs to flush one.
    pub(super) fn looks(&self) -> u32 {
        match self.place.dims.last() {
            _ if self.lane != DType::F32 => 0,
            // One for a row.
            None | Some(None) => 0,
            _ if self.is_same || self.place.starts.iter().all(|&start| start == 0) => 3,
            _ => 7,
        }
    }
}

/// An operation in its place.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) code: Code,
    /// The dtype that it computes with: that of its operands (of the cases of a select).
    pub(super) dtype: DType,
    pub(super) args: SmallVec<[Slot; 3]>,
    /// Its operands where nothing that is read needs to be flushed first.
    pub(super) calm_args: SmallVec<[Slot; 3]>,
    /// The dtype of its result.
    pub(super) result: DType,
    pub(super) out: Register,
    /// Whether no operand holds a subnormal number.
    pub(super) clean: bool,
}

/// Where an operand is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Read(usize),
    /// The result of the operation of this number.
    Register(Register, usize),
}

impl Slot {
    /// The same by number alone.
    pub(super) fn arg(&self) -> Arg {
        match *self {
            Slot::Read(read) => Arg::Read(read),
            Slot::Register(_, from) => Arg::Result(from),
        }
    }
}

/// Elementwise operations that are computed together: one result of one shape.
#[derive(Clone, Debug)]
pub struct Chain {
    pub(super) shape: Shape,
    /// Strides of a result whose elements lie one behind the other.
    pub(super) even: Strides,
    pub(super) reads: Vec<Read>,
    pub(super) steps: Vec<Step>,
    pub(super) result: DType,
    /// Where elements are between being read and being written if there is nothing to compute.
    pub(super) spare: Register,
    /// How many numbers are flushed for each element, at most.
    pub(super) spared: u32,
    /// The loops over its result, as far as they are known.
    pub(super) loops: Loops,
    /// Machine code, once it pays.
    #[cfg_attr(
        not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))),
        expect(dead_code, reason = "there is none")
    )]
    pub(super) codes: Codes,
}

impl Chain {
    /// The result's shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The result's dtype.
    pub fn dtype(&self) -> DType {
        self.result
    }

    /// What a read sees of an array whose elements lie one behind the other.
    pub fn view_of<'a>(&'a self, read: usize, buffer: &'a Buffer) -> View<'a> {
        let (base, strides) = &self.reads[read].lies;
        View { buffer, base: *base, strides: Cow::Borrowed(strides), next: None }
    }

    /// What a read sees of an array whose elements lie elsewhere: the position of the first, and strides.
    pub fn view_at<'a>(&'a self, read: usize, buffer: &'a Buffer, base: usize, strides: &'a [isize]) -> View<'a> {
        if self.reads[read].is_same {
            return View { buffer, base, strides: Cow::Borrowed(strides), next: None };
        }
        let Read { located, place, .. } = &self.reads[read];
        let (base, strides) = located.of(place, base, strides);
        View { buffer, base, strides, next: None }
    }

    /// The dtype and the shape of the array that a read takes part of.
    pub fn read_type(&self, read: usize) -> Option<(DType, &Shape)> {
        self.reads.get(read).map(|read| (read.dtype, &read.shape))
    }

    /// How many arrays are read.
    pub fn reads(&self) -> usize {
        self.reads.len()
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to compute, so that the result is what is read.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// A chain in the making.
#[derive(Clone, Debug)]
pub struct ChainBuilder {
    pub(super) shape: Shape,
    pub(super) reads: Vec<(DType, Shape, Place)>,
    /// Each with its operands, the dtype that it computes with, and that of its result.
    pub(super) steps: Vec<(Code, SmallVec<[Arg; 3]>, DType, DType)>,
}

impl ChainBuilder {
    /// Starts a chain whose result has this shape.
    pub fn new(shape: Shape) -> ChainBuilder {
        ChainBuilder { shape, reads: Vec::new(), steps: Vec::new() }
    }

    /// Whether chains compute with a dtype.
    pub fn takes(dtype: DType) -> bool {
        lane_of(dtype).is_some()
    }

    /// The result's shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Adds an array that is read, in part or stretched.
    ///
    /// # Errors
    /// If the place is not in the array, or chains do not compute with its dtype.
    pub fn read(&mut self, dtype: DType, shape: Shape, place: Place) -> Result<Arg, OpError> {
        if !place.is_inside(&shape, &self.shape) || !ChainBuilder::takes(dtype) {
            return Err(OpError::shapes("chain", &shape, &self.shape));
        }
        self.reads.push((dtype, shape, place));
        Ok(Arg::Read(self.reads.len() - 1))
    }

    /// The dtype of an operand.
    pub fn dtype(&self, arg: Arg) -> Option<DType> {
        match arg {
            Arg::Read(number) => self.reads.get(number).map(|read| read.0),
            Arg::Result(number) => self.steps.get(number).map(|step| step.3),
        }
    }

    /// Adds an operation whose result has this dtype.
    ///
    /// # Errors
    /// If the operation does not take such operands.
    pub fn step(&mut self, code: Code, args: &[Arg], result: DType) -> Result<Arg, OpError> {
        let dtypes: Option<SmallVec<[DType; 3]>> = args.iter().map(|&arg| self.dtype(arg)).collect();
        let dtypes = dtypes.ok_or_else(|| OpError::argument(OP, "an operand is not known yet"))?;
        let dtype = code.dtype(&dtypes, result)?;
        self.steps.push((code, args.into(), dtype, result));
        Ok(Arg::Result(self.steps.len() - 1))
    }

    /// What several operations read and would flush each for itself is flushed first.
    fn flush_once(&mut self) {
        let flushes = |code: &Code, dtype: DType| {
            let sums = matches!(code, Code::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul));
            dtype == DType::F32 && (sums || matches!(code, Code::MultiplyAdd { divides: false, .. }))
        };
        let mut uses = vec![0; self.reads.len()];
        for (code, args, dtype, _) in &self.steps {
            for arg in args.iter().filter(|_| flushes(code, *dtype)) {
                if let Arg::Read(read) = arg {
                    uses[*read] += 1;
                }
            }
        }
        let one = |read: usize| self.reads[read].2.dims.iter().all(Option::is_none);
        let often: Vec<usize> = (0..uses.len()).filter(|&read| uses[read] > 1 && !one(read)).collect();
        let count = often.len();
        for (code, args, dtype, _) in &mut self.steps {
            let flushes = flushes(code, *dtype);
            for arg in args {
                *arg = match *arg {
                    Arg::Result(from) => Arg::Result(from + count),
                    Arg::Read(read) => match often.iter().position(|&other| other == read).filter(|_| flushes) {
                        Some(place) => Arg::Result(place),
                        None => Arg::Read(read),
                    },
                };
            }
        }
        let flush = |read: usize| (Code::Flush, SmallVec::from_slice(&[Arg::Read(read)]), DType::F32, DType::F32);
        self.steps.splice(0..0, often.into_iter().map(flush));
    }

    /// Comparisons that are only there for a select of `float32` become part of it: what is compared is not written down as
    /// `bool`s then, to be read again.
    fn choose(&mut self) {
        let mut uses = vec![0; self.steps.len()];
        for (_, args, ..) in &self.steps {
            for arg in args {
                if let Arg::Result(from) = *arg {
                    uses[from] += 1;
                }
            }
        }
        let mut removed = vec![false; self.steps.len()];
        for number in 0..self.steps.len() {
            let (Code::Select, args, DType::F32, _) = &self.steps[number] else { continue };
            let &[Arg::Result(from), no, yes] = &args[..] else { continue };
            if let (Code::Compare(op), compared, of @ (DType::F32 | DType::I32), _) = &self.steps[from]
                && uses[from] == 1
            {
                let args = compared.iter().copied().chain([no, yes]).collect();
                removed[from] = true;
                self.steps[number] = (Code::Choose { op: *op, of: *of }, args, DType::F32, DType::F32);
            }
        }
        // Those that stay, by their number before.
        let place = |from: usize| from - removed[..from].iter().filter(|&&removed| removed).count();
        for (_, args, ..) in &mut self.steps {
            for arg in args {
                if let Arg::Result(from) = arg {
                    *from = place(*from);
                }
            }
        }
        let mut removed = removed.into_iter();
        self.steps.retain(|_| removed.next() != Some(true));
    }

    /// The chain whose result is that of the last operation, or what is read where there is none.
    ///
    /// # Errors
    /// If nothing is read or computed, or more registers are needed than there are.
    pub fn finish(mut self) -> Result<Chain, OpError> {
        self.choose();
        self.flush_once();
        let empty = || OpError::argument("chain", "there is nothing to compute");
        let result = match (self.steps.last(), self.reads.last()) {
            (Some(step), _) => step.3,
            (None, Some(read)) => read.0,
            (None, None) => return Err(empty()),
        };
        let mut registers = Registers::default();
        let lane = |dtype: DType| lane_of(dtype).unwrap_or(DType::F32);
        let mut reads = Vec::with_capacity(self.reads.len());
        for (dtype, shape, place) in self.reads {
            let lane = lane(dtype);
            let (lies, is_same) = (place.locate(0, &signed_strides(&shape)), place.is_same());
            let (register, located) = (registers.get(lane)?, Located::default());
            reads.push(Read { dtype, lane, register, shape, place, lies, located, is_same });
        }
        let spare = registers.get(lane(result))?;
        registers.free(lane(result), spare);
        // The last operation that takes a result.
        let mut last: Vec<usize> = (0..self.steps.len()).collect();
        for (number, (_, args, ..)) in self.steps.iter().enumerate() {
            for arg in args {
                if let Arg::Result(from) = arg {
                    last[*from] = number;
                }
            }
        }
        let mut steps: Vec<Step> = Vec::with_capacity(self.steps.len());
        let mut clean: Vec<bool> = Vec::with_capacity(self.steps.len());
        for (number, (code, args, dtype, result)) in self.steps.into_iter().enumerate() {
            let out = registers.get(lane(result))?;
            let is_clean = |arg: &Arg| match arg {
                Arg::Result(from) => clean[*from],
                // The one element for all is flushed by the loops that ask.
                Arg::Read(read) => reads[*read].is_scalar(),
            };
            let operands_clean = args.iter().all(is_clean);
            clean.push(gives_clean(code, result, &args, &clean));
            let slots = args.iter().map(|&arg| match arg {
                Arg::Read(number) => Slot::Read(number),
                Arg::Result(from) => Slot::Register(steps[from].out, from),
            });
            let slots = slots.collect();
            let calm_args = args.iter().map(|&arg| match arg {
                Arg::Read(number) => Slot::Read(number),
                Arg::Result(from) => match (steps[from].code, steps[from].args.first()) {
                    (Code::Flush, Some(&read @ Slot::Read(_))) => read,
                    _ => Slot::Register(steps[from].out, from),
                },
            });
            let calm_args = calm_args.collect();
            for (position, arg) in args.iter().enumerate() {
                if let Arg::Result(from) = *arg
                    && last[from] == number
                    && !args[..position].contains(arg)
                {
                    registers.free(lane(steps[from].result), steps[from].out);
                }
            }
            steps.push(Step { code, dtype, args: slots, calm_args, result, out, clean: operands_clean });
        }
        let (even, loops, codes) = (signed_strides(&self.shape), Loops::default(), Codes::default());
        let mut chain = Chain { shape: self.shape, even, reads, steps, result, spare, spared: 0, loops, codes };
        chain.spared = calm::most(&chain);
        Ok(chain)
    }
}

/// Whether a result holds no subnormal number. What is not known to be flushed counts as not flushed.
fn gives_clean(code: Code, result: DType, args: &[Arg], clean: &[bool]) -> bool {
    let all = |args: &[Arg]| args.iter().all(|arg| matches!(arg, Arg::Result(from) if clean[*from]));
    if result != DType::F32 {
        return false;
    }
    match code {
        Code::Binary(op) => {
            use BinaryOp::{Add, Div, Max, Min, Mul, Sub};
            matches!(op, Add | Sub | Mul | Div | Max | Min)
        }
        Code::Unary(op) => match op {
            UnaryOp::Exp | UnaryOp::Logistic | UnaryOp::Square => true,
            UnaryOp::Neg | UnaryOp::Abs => all(args),
            _ => false,
        },
        Code::Select => all(&args[1..]),
        Code::Choose { .. } => all(&args[2..]),
        Code::MultiplyAdd { .. } | Code::ByReciprocal | Code::Flush => true,
        Code::Compare(_) | Code::Convert | Code::Bits | Code::IntegerPow(_) | Code::NearRemainder => false,
    }
}

/// Registers that are free, by lane.
#[derive(Default)]
struct Registers {
    lanes: Vec<(DType, Register, Vec<Register>)>,
}

impl Registers {
    fn lane(&mut self, lane: DType) -> &mut (DType, Register, Vec<Register>) {
        let place = match self.lanes.iter().position(|known| known.0 == lane) {
            Some(place) => place,
            None => {
                self.lanes.push((lane, 0, Vec::new()));
                self.lanes.len() - 1
            }
        };
        &mut self.lanes[place]
    }

    fn get(&mut self, lane: DType) -> Result<Register, OpError> {
        let (_, next, free) = self.lane(lane);
        if let Some(register) = free.pop() {
            return Ok(register);
        }
        let register = *next;
        *next = next.checked_add(1).ok_or_else(|| OpError::argument("chain", "a chain is too long"))?;
        Ok(register)
    }

    fn free(&mut self, lane: DType, register: Register) {
        self.lane(lane).2.push(register);
    }
}
