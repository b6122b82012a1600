//! Chains as values: each operation as the loops compute it, so that the same bits come out. What is not here is computed by
//! the loops.

use super::super::chain::{Chain, Code, Slot};
use super::graph::{Graph, Id, Op, Relation};
use super::machine::Machine;
use super::noted::Noted;
use crate::dtype::DType;
use crate::math::formulas;
use crate::ops::MultiplyAdd;
use crate::ops::binary::BinaryOp;
use crate::ops::compare::CompareOp;
use crate::ops::unary::{self, UnaryOp};
use std::cell::RefCell;

/// The values of a chain, and the one that is its result.
pub(super) struct Translated {
    pub(super) graph: Graph,
    pub(super) result: Id,
    /// Where two chains go side by side: the result of the first one, and the number of its operand.
    pub(super) beside: Option<(Id, usize)>,
}

impl Translated {
    /// All results with the numbers of their operands, of so many; the result comes last.
    pub(super) fn results(&self, operands: usize) -> impl Iterator<Item = (Id, usize)> + Clone + use<> {
        self.beside.into_iter().chain([(self.result, operands - 1)])
    }
}

const SIGN: u32 = 0x8000_0000;
const SIZE: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// Whether there is code for reading and writing numbers of a dtype.
pub(super) fn is_known(dtype: DType) -> bool {
    use DType::{BF16, Bool, F16, F32, I32, U32};
    matches!(dtype, Bool | I32 | U32 | F32 | BF16 | F16)
}

/// The values of a chain; none where it has operations that are left to the loops.
pub(super) fn translated<M: Machine>(chain: &Chain) -> Option<Translated> {
    let mut translator = Translator { graph: RefCell::new(Graph::of::<M>()) };
    let result = translator.chain(chain, 0)?;
    Some(Translated { graph: translator.graph.into_inner(), result, beside: None })
}

/// The values of two chains that go side by side; operands are those of the first one, its result, and then those of the second.
#[cfg(target_arch = "x86_64")]
pub(super) fn both<M: Machine>(first: &Chain, second: &Chain) -> Option<Translated> {
    let mut translator = Translator { graph: RefCell::new(Graph::of::<M>()) };
    let place = first.reads.len();
    let beside = translator.chain(first, 0)?;
    let result = translator.chain(second, place + 1)?;
    Some(Translated { graph: translator.graph.into_inner(), result, beside: Some((beside, place)) })
}

fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
}

/// A graph in the making.
pub(super) struct Translator {
    graph: RefCell<Graph>,
}

impl Translator {
    /// The result of a chain whose operands are those from a number on.
    fn chain(&mut self, chain: &Chain, first: usize) -> Option<Id> {
        if chain.is_empty() || !is_known(chain.result) || chain.reads.iter().any(|read| !is_known(read.dtype)) {
            return None;
        }
        let mut reads = Vec::with_capacity(chain.reads.len());
        for (number, read) in chain.reads.iter().enumerate() {
            reads.push(self.read(first + number, read.dtype));
        }
        let mut results: Vec<Id> = Vec::with_capacity(chain.steps.len());
        for step in &chain.steps {
            let of = |slot: &Slot| match *slot {
                Slot::Read(read) => reads[read],
                Slot::Register(_, from) => results[from],
            };
            let args: Vec<Id> = step.args.iter().map(of).collect();
            if !is_known(step.dtype) || !is_known(step.result) {
                return None;
            }
            results.push(self.step(step.code, step.dtype, step.result, &args)?);
        }
        Some(self.stored(*results.last()?, chain.result))
    }

    pub(super) fn value(&mut self, op: Op, operands: &[Id]) -> Id {
        self.graph.get_mut().of_flushed(op, operands)
    }

    pub(super) fn constant(&mut self, bits: u32) -> Id {
        self.graph.get_mut().constant(bits)
    }

    fn flushed(&mut self, x: Id) -> Id {
        self.value(Op::Flush, &[x])
    }

    /// What is read, in the lanes that it is computed in.
    fn read(&mut self, number: usize, dtype: DType) -> Id {
        match dtype {
            DType::Bool => self.value(Op::ReadTruth(number), &[]),
            DType::F16 => self.value(Op::ReadHalf(number), &[]),
            DType::BF16 => {
                let bits = self.value(Op::Read(number), &[]);
                self.value(Op::ShiftLeft(16), &[bits])
            }
            _ => self.value(Op::Read(number), &[]),
        }
    }

    /// What is written of a result.
    fn stored(&mut self, result: Id, dtype: DType) -> Id {
        match dtype {
            DType::BF16 => self.value(Op::ShiftRight(16), &[result]),
            DType::F16 => self.value(Op::ToHalf, &[result]),
            _ => result,
        }
    }

    /// Rounds a float to a dtype that is computed in lanes of `float32`.
    fn rounded(&mut self, x: Id, dtype: DType) -> Id {
        match dtype {
            DType::BF16 => {
                let high = self.value(Op::ShiftRight(16), &[x]);
                let (one, half) = (self.constant(1), self.constant(0x7fff));
                let odd = self.value(Op::And, &[high, one]);
                let more = self.value(Op::AddInteger, &[odd, half]);
                let sum = self.value(Op::AddInteger, &[x, more]);
                let quiet = self.constant(0x0040_0000);
                let quiet = self.value(Op::Or, &[x, quiet]);
                let is_nan = self.value(Op::IsNotNumber, &[x, x]);
                let bits = self.value(Op::Choose, &[is_nan, quiet, sum]);
                let mask = self.constant(0xffff_0000);
                self.value(Op::And, &[bits, mask])
            }
            DType::F16 => {
                let half = self.value(Op::ToHalf, &[x]);
                self.value(Op::FromHalf, &[half])
            }
            _ => x,
        }
    }

    fn step(&mut self, code: Code, dtype: DType, result: DType, args: &[Id]) -> Option<Id> {
        match (code, args) {
            (Code::Unary(UnaryOp::IsFinite), &[x]) => {
                let (size, infinity) = (self.constant(SIZE), self.constant(INFINITY));
                let size = self.value(Op::And, &[x, size]);
                Some(self.value(Op::CompareSigned(Relation::Below), &[size, infinity]))
            }
            (Code::Unary(op), &[x]) if is_float(dtype) => {
                let value = self.float_function(op, dtype, x)?;
                Some(self.rounded(value, dtype))
            }
            (Code::Unary(op), &[x]) => self.integer_function(op, dtype, x),
            (Code::Binary(op), &[x, y]) if is_float(dtype) => {
                let value = self.float_operation(op, x, y)?;
                Some(self.rounded(value, dtype))
            }
            (Code::Binary(op), &[x, y]) => self.integer_operation(op, dtype, x, y),
            (Code::Compare(op), &[x, y]) => Some(self.comparison(op, dtype, x, y)),
            (Code::Select, &[which, no, yes]) => Some(self.chosen(which, yes, no, dtype)),
            (Code::Choose { op, of }, &[x, y, no, yes]) => {
                let which = self.comparison(op, of, x, y);
                Some(self.chosen(which, yes, no, DType::F32))
            }
            (Code::Convert, &[x]) => self.conversion(dtype, result, x),
            (Code::Bits, &[x]) => Some(x),
            (Code::Flush, &[x]) => Some(self.flushed(x)),
            (Code::IntegerPow(exponent), &[x]) if is_float(dtype) => Some(self.power(exponent, dtype, x)),
            (Code::IntegerPow(exponent @ 1..), &[x]) => Some(self.integer_power(exponent.unsigned_abs(), x)),
            (Code::MultiplyAdd { form, divides }, &[x, y, z]) => {
                let y = if divides { self.reciprocal(y) } else { y };
                let op = Op::MultiplyAdd {
                    negates_product: form == MultiplyAdd::SubtractProduct,
                    subtracts: form == MultiplyAdd::SubtractAddend,
                };
                let sum = self.value(op, &[x, y, z]);
                Some(self.flushed(sum))
            }
            (Code::ByReciprocal, &[x, y]) => {
                let y = self.reciprocal(y);
                let product = self.value(Op::Mul, &[x, y]);
                Some(self.flushed(product))
            }
            (Code::NearRemainder, &[x, y]) => Some(self.near_remainder(x, y)),
            _ => None,
        }
    }

    fn reciprocal(&mut self, x: Id) -> Id {
        let one = self.constant(ONE);
        let quotient = self.value(Op::Div, &[one, x]);
        self.flushed(quotient)
    }

    fn float_function(&mut self, op: UnaryOp, dtype: DType, x: Id) -> Option<Id> {
        // The narrow types have functions of their own, in several rounded steps.
        if dtype != DType::F32 && matches!(op, UnaryOp::Exp2 | UnaryOp::Expm1 | UnaryOp::Logistic) {
            return None;
        }
        let noted = Noted::Value(&self.graph, x);
        let function = match op {
            UnaryOp::Exp => Some(formulas::exp(noted)),
            UnaryOp::Exp2 => Some(formulas::exp2(noted)),
            UnaryOp::Expm1 => Some(formulas::expm1(noted)),
            UnaryOp::Log => Some(formulas::log(noted)),
            UnaryOp::Log2 => Some(formulas::log(noted) / Noted::from(std::f32::consts::LN_2)),
            UnaryOp::Log1p => Some(formulas::log1p(noted)),
            UnaryOp::Tanh => Some(formulas::tanh(noted)),
            UnaryOp::Logistic => Some(formulas::logistic(noted)),
            UnaryOp::Erf => Some(formulas::erf(noted)),
            UnaryOp::Erfc => Some(formulas::erfc(noted)),
            UnaryOp::ErfInv => Some(formulas::erf_inv(noted)),
            UnaryOp::Sinh => Some(formulas::sinh(noted)),
            UnaryOp::Cosh => Some(formulas::cosh(noted)),
            _ => None,
        };
        if let Some(function) = function {
            return Some(function.id(&self.graph));
        }
        Some(match op {
            UnaryOp::Neg => self.graph.get_mut().negated(x),
            UnaryOp::Abs => {
                let size = self.constant(SIZE);
                self.value(Op::And, &[x, size])
            }
            UnaryOp::Sign => {
                let flushed = self.flushed(x);
                let (sign, one, zero) = (self.constant(SIGN), self.constant(ONE), self.constant(0));
                let sign = self.value(Op::And, &[x, sign]);
                let signed = self.value(Op::Or, &[sign, one]);
                let is_zero = self.value(Op::CompareFloat(Relation::Equal), &[x, zero]);
                let is_nan = self.value(Op::IsNotNumber, &[x, x]);
                let stays = self.value(Op::OrMask, &[is_zero, is_nan]);
                self.value(Op::Choose, &[stays, flushed, signed])
            }
            UnaryOp::RoundEven => self.value(Op::Round(0), &[x]),
            UnaryOp::Floor => self.value(Op::Round(1), &[x]),
            UnaryOp::Ceil => self.value(Op::Round(2), &[x]),
            UnaryOp::Sqrt => self.value(Op::SquareRoot, &[x]),
            UnaryOp::Square => {
                let product = self.value(Op::Mul, &[x, x]);
                self.flushed(product)
            }
            UnaryOp::Reciprocal => self.reciprocal(x),
            _ => return None,
        })
    }

    fn float_operation(&mut self, op: BinaryOp, x: Id, y: Id) -> Option<Id> {
        let value = match op {
            BinaryOp::Add => self.value(Op::Add, &[x, y]),
            BinaryOp::Sub => self.value(Op::Sub, &[x, y]),
            BinaryOp::Mul => self.value(Op::Mul, &[x, y]),
            BinaryOp::Div => self.value(Op::Div, &[x, y]),
            BinaryOp::Max => self.extreme(Op::MostNumber, x, y),
            BinaryOp::Min => self.extreme(Op::LeastNumber, x, y),
            _ => return None,
        };
        Some(self.flushed(value))
    }

    /// NaN where either is.
    fn extreme(&mut self, op: Op, x: Id, y: Id) -> Id {
        let number = self.value(op, &[x, y]);
        let is_nan = self.value(Op::IsNotNumber, &[x, y]);
        let nan = self.value(Op::Add, &[x, y]);
        self.value(Op::Choose, &[is_nan, nan, number])
    }

    fn integer_function(&mut self, op: UnaryOp, dtype: DType, x: Id) -> Option<Id> {
        if dtype == DType::Bool {
            return Some(self.value(Op::NotMask, &[x]));
        }
        Some(match op {
            UnaryOp::Neg => {
                let zero = self.constant(0);
                self.value(Op::SubInteger, &[zero, x])
            }
            UnaryOp::Abs if dtype == DType::I32 => self.value(Op::AbsSigned, &[x]),
            UnaryOp::Abs => x,
            UnaryOp::Sign => self.sign(dtype, x),
            UnaryOp::Not => {
                let ones = self.constant(u32::MAX);
                self.value(Op::Xor, &[x, ones])
            }
            UnaryOp::Square => self.value(Op::MulInteger, &[x, x]),
            _ => return None,
        })
    }

    fn integer_operation(&mut self, op: BinaryOp, dtype: DType, x: Id, y: Id) -> Option<Id> {
        let op = match (op, dtype) {
            (BinaryOp::Max | BinaryOp::Or, DType::Bool) => Op::OrMask,
            (BinaryOp::Min | BinaryOp::And, DType::Bool) => Op::AndMask,
            (_, DType::Bool) => Op::XorMask,
            (BinaryOp::Div, _) => return Some(self.quotient(dtype, x, y)),
            (BinaryOp::Rem, _) => return Some(self.remainder(dtype, x, y)),
            (BinaryOp::Add, _) => Op::AddInteger,
            (BinaryOp::Sub, _) => Op::SubInteger,
            (BinaryOp::Mul, _) => Op::MulInteger,
            (BinaryOp::Max, DType::I32) => Op::MostSigned,
            (BinaryOp::Min, DType::I32) => Op::LeastSigned,
            (BinaryOp::Max, _) => Op::MostUnsigned,
            (BinaryOp::Min, _) => Op::LeastUnsigned,
            (BinaryOp::And, _) => Op::And,
            (BinaryOp::Or, _) => Op::Or,
            (BinaryOp::Xor, _) => Op::Xor,
            (BinaryOp::ShiftLeft, _) => Op::ShiftLeftBy,
            (BinaryOp::ShiftRightLogical, _) => Op::ShiftRightBy,
            (BinaryOp::ShiftRightArithmetic, _) => Op::ShiftSignBy,
            _ => return None,
        };
        Some(self.value(op, &[x, y]))
    }

    fn comparison(&mut self, op: CompareOp, dtype: DType, x: Id, y: Id) -> Id {
        let relation = match op {
            CompareOp::Eq => Relation::Equal,
            CompareOp::Ne => Relation::NotEqual,
            CompareOp::Lt => Relation::Below,
            CompareOp::Le => Relation::AtMost,
            CompareOp::Gt => Relation::Above,
            CompareOp::Ge => Relation::AtLeast,
        };
        match dtype {
            DType::Bool => {
                let (op, operands) = match relation {
                    Relation::Equal | Relation::NotEqual => (Op::XorMask, [x, y]),
                    Relation::Below | Relation::AtLeast => (Op::AndNotMask, [x, y]),
                    Relation::Above | Relation::AtMost => (Op::AndNotMask, [y, x]),
                };
                let mask = self.value(op, &operands);
                match relation {
                    Relation::Equal | Relation::AtLeast | Relation::AtMost => self.value(Op::NotMask, &[mask]),
                    _ => mask,
                }
            }
            DType::I32 => self.value(Op::CompareSigned(relation), &[x, y]),
            DType::U32 => self.value(Op::CompareUnsigned(relation), &[x, y]),
            _ => self.value(Op::CompareFloat(relation), &[x, y]),
        }
    }

    fn chosen(&mut self, which: Id, yes: Id, no: Id, dtype: DType) -> Id {
        if dtype != DType::Bool {
            return self.value(Op::Choose, &[which, yes, no]);
        }
        let yes = self.value(Op::AndMask, &[which, yes]);
        let no = self.value(Op::AndNotMask, &[which, no]);
        self.value(Op::OrMask, &[yes, no])
    }

    fn conversion(&mut self, from: DType, to: DType, x: Id) -> Option<Id> {
        use DType::{BF16, Bool, I32, U32};
        Some(match (from, to) {
            (Bool, Bool) => x,
            (Bool, _) => {
                let one = self.constant(if is_float(to) { ONE } else { 1 });
                let zero = self.constant(0);
                self.value(Op::Choose, &[x, one, zero])
            }
            // Subnormal 16-bit numbers are not zero here.
            (BF16, Bool) => {
                let (size, zero) = (self.constant(SIZE), self.constant(0));
                let size = self.value(Op::And, &[x, size]);
                self.value(Op::CompareSigned(Relation::NotEqual), &[size, zero])
            }
            (I32 | U32, Bool) => {
                let zero = self.constant(0);
                self.value(Op::CompareSigned(Relation::NotEqual), &[x, zero])
            }
            (_, Bool) => {
                let zero = self.constant(0);
                self.value(Op::CompareFloat(Relation::NotEqual), &[x, zero])
            }
            (I32 | U32, I32 | U32) => x,
            (I32 | U32, _) => {
                let op = if from == I32 { Op::FromSigned } else { Op::FromUnsigned };
                let number = self.value(op, &[x]);
                self.rounded(number, to)
            }
            (_, I32) => {
                // (What is too small gives the smallest.)
                let number = self.value(Op::ToSigned, &[x]);
                let (limit, most, zero) =
                    (self.constant(2_147_483_648f32.to_bits()), self.constant(SIZE), self.constant(0));
                let is_large = self.value(Op::CompareFloat(Relation::AtLeast), &[x, limit]);
                let number = self.value(Op::Choose, &[is_large, most, number]);
                let is_nan = self.value(Op::IsNotNumber, &[x, x]);
                self.value(Op::Choose, &[is_nan, zero, number])
            }
            (_, U32) => {
                // NaN gives the second operand.
                let zero = self.constant(0);
                let number = self.value(Op::Most, &[x, zero]);
                self.value(Op::ToUnsigned, &[number])
            }
            _ => self.rounded(x, to),
        })
    }

    /// Products in the order of the loops.
    fn power(&mut self, exponent: i32, dtype: DType, x: Id) -> Id {
        let one = self.constant(ONE);
        let this = RefCell::new(&mut *self);
        let product = |x: Id, y: Id| {
            let mut this = this.borrow_mut();
            let product = this.value(Op::Mul, &[x, y]);
            let product = this.flushed(product);
            this.rounded(product, dtype)
        };
        let power = unary::power(x, exponent.unsigned_abs(), one, product);
        let result = if exponent < 0 { self.reciprocal(power) } else { power };
        self.rounded(result, dtype)
    }
}
