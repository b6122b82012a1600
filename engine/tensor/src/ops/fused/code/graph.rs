//! What is computed for several elements at a time, as values that follow from each other. The same value is there once.
//!
//! A value is a vector of numbers of 32 bits, or a mask of as many truths. Arithmetic of floats takes subnormal operands for
//! zeros, as the processor does while the code runs; it does not flush its results, so that what leaves without being an operand
//! of arithmetic is flushed by [`Op::Flush`].

use super::machine::Machine;

/// The number of a value.
pub(super) type Id = usize;

/// How numbers are compared, numbered as the instructions number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Relation {
    Equal = 0,
    Below = 1,
    AtMost = 2,
    NotEqual = 4,
    AtLeast = 5,
    Above = 6,
}

#[cfg(target_arch = "x86_64")]
impl Relation {
    /// How instructions number it for floats: quietly false for NaN, but for inequality.
    pub(super) fn of_floats(self) -> u8 {
        match self {
            Relation::Equal => 0,
            Relation::Below => 1,
            Relation::AtMost => 2,
            Relation::NotEqual => 4,
            Relation::AtLeast => 13,
            Relation::Above => 14,
        }
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// The same bits in all lanes.
    Constant(u32),
    /// What is read, as it is in memory: 16-bit and 8-bit numbers with zeros before them.
    Read(usize),
    /// What is read as `float16`, as `float32`.
    ReadHalf(usize),
    /// What is read as `bool`: a mask.
    ReadTruth(usize),

    Add,
    Sub,
    Mul,
    Div,
    /// `a * b + c`, rounded once.
    MultiplyAdd {
        negates_product: bool,
        subtracts: bool,
    },
    /// The second operand where either is NaN or both are zeros.
    Least,
    /// See [`Op::Least`].
    Most,
    /// The smaller by magnitude and sign, zeros apart. What it is where an operand is NaN is left open.
    LeastNumber,
    /// See [`Op::LeastNumber`].
    MostNumber,
    SquareRoot,
    /// To an integer: 0 to nearest even, 1 down, 2 up, 3 towards zero.
    Round(u8),
    /// A zero of the same sign in the place of subnormal numbers.
    Flush,
    FromSigned,
    FromUnsigned,
    /// Towards zero; `i32::MIN` where there is none.
    ToSigned,
    /// Towards zero; `u32::MAX` where there is none. Of numbers that are not negative.
    ToUnsigned,
    /// `float32` rounded to `float16`, as 16 bits in a register of half the width.
    ToHalf,
    /// And back.
    FromHalf,

    And,
    Or,
    Xor,
    AddInteger,
    SubInteger,
    MulInteger,
    LeastSigned,
    MostSigned,
    LeastUnsigned,
    MostUnsigned,
    AbsSigned,
    ShiftLeft(u8),
    /// With zeros.
    ShiftRight(u8),
    ShiftLeftBy,
    ShiftRightBy,
    /// With the sign.
    ShiftSignBy,

    /// Masks.
    CompareFloat(Relation),
    CompareSigned(Relation),
    CompareUnsigned(Relation),
    IsNotNumber,
    AndMask,
    OrMask,
    XorMask,
    NotMask,
    /// `!a & b`
    AndNotMask,

    /// Of a mask: the second operand where it holds, else the third.
    Choose,
}

impl Op {
    /// Whether the value is a mask.
    pub(super) fn is_mask(self) -> bool {
        use Op::*;
        matches!(
            self,
            ReadTruth(_)
                | CompareFloat(_)
                | CompareSigned(_)
                | CompareUnsigned(_)
                | IsNotNumber
                | AndMask
                | OrMask
                | XorMask
                | NotMask
                | AndNotMask
        )
    }

    /// Whether the value is a mask that follows from masks.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn is_mask_of_masks(self) -> bool {
        matches!(self, Op::AndMask | Op::OrMask | Op::XorMask | Op::NotMask | Op::AndNotMask)
    }

    /// Whether operands are taken as floats, subnormal ones for zeros.
    fn is_arithmetic(self) -> bool {
        use Op::*;
        matches!(
            self,
            Add | Sub
                | Mul
                | Div
                | MultiplyAdd { .. }
                | Least
                | Most
                | LeastNumber
                | MostNumber
                | SquareRoot
                | Round(_)
                | Flush
                | ToSigned
                | ToUnsigned
                | CompareFloat(_)
                | IsNotNumber
        )
    }

    /// Whether operands may change places.
    pub(super) fn commutes(self) -> bool {
        use Op::*;
        matches!(
            self,
            Add | Mul
                | And
                | Or
                | Xor
                | AddInteger
                | MulInteger
                | LeastSigned
                | MostSigned
                | LeastUnsigned
                | MostUnsigned
                | LeastNumber
                | MostNumber
                | IsNotNumber
        )
    }
}

/// A value with the values that it follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) op: Op,
    args: [Id; 3],
    count: u8,
}

impl Node {
    pub(super) fn args(&self) -> &[Id] {
        &self.args[..usize::from(self.count)]
    }
}

/// Values in an order in which each comes after those that it follows from.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// See [`Machine::lowered`].
    lowered: fn(&mut Graph, Op, &[Id]) -> Option<Id>,
    /// See [`Machine::FLUSHES`].
    flushes: bool,
}

const SIGN: u32 = 0x8000_0000;

impl Graph {
    /// A graph of what there are instructions for.
    pub(super) fn of<M: Machine>() -> Graph {
        Graph { nodes: Vec::new(), lowered: M::lowered, flushes: M::FLUSHES }
    }

    pub(super) fn constant(&mut self, bits: u32) -> Id {
        self.value(Op::Constant(bits), &[])
    }

    /// The value of an operation.
    pub(super) fn value(&mut self, op: Op, operands: &[Id]) -> Id {
        if let Some(lowered) = (self.lowered)(self, op, operands) {
            return lowered;
        }
        let mut node = Node { op, args: [0; 3], count: operands.len() as u8 };
        node.args[..operands.len()].copy_from_slice(operands);
        if self.flushes && op.is_arithmetic() {
            // They are flushed on the way in.
            for arg in &mut node.args[..operands.len()] {
                if self.nodes[*arg].op == Op::Flush {
                    *arg = self.nodes[*arg].args[0];
                }
            }
        }
        if let Op::MultiplyAdd { .. } = op {
            node = self.without_signs(node);
        }
        // Chains are short, and what is the same mostly is near.
        match self.nodes.iter().rposition(|known| *known == node) {
            Some(known) => known,
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    /// An operation that takes subnormal operands for zeros.
    pub(super) fn of_flushed(&mut self, op: Op, operands: &[Id]) -> Id {
        // (What is compared with itself, or flushed, may be what it is.)
        if self.flushes || !op.is_arithmetic() || matches!(op, Op::Flush | Op::IsNotNumber) {
            return self.value(op, operands);
        }
        let mut flushed = [0; 3];
        for (flushed, &operand) in flushed.iter_mut().zip(operands) {
            *flushed = match self.nodes[operand].op {
                Op::Flush | Op::Constant(_) | Op::FromSigned | Op::FromUnsigned => operand,
                _ => self.value(Op::Flush, &[operand]),
            };
        }
        self.value(op, &flushed[..operands.len()])
    }

    /// The same values once more, of operands whose numbers are so many more.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn again(&mut self, values: &[Id], operands: usize) -> Vec<Id> {
        let mut copies = vec![None; self.nodes.len()];
        let copy = |&id: &Id| {
            let mut node = self.nodes[id];
            node.op = match node.op {
                Op::Read(read) => Op::Read(read + operands),
                Op::ReadHalf(read) => Op::ReadHalf(read + operands),
                Op::ReadTruth(read) => Op::ReadTruth(read + operands),
                op => op,
            };
            node.args = node.args.map(|arg| copies[arg].unwrap_or(arg));
            self.nodes.push(node);
            copies[id] = Some(self.nodes.len() - 1);
            self.nodes.len() - 1
        };
        values.iter().map(copy).collect()
    }

    pub(super) fn negated(&mut self, x: Id) -> Id {
        let sign = self.constant(SIGN);
        self.value(Op::Xor, &[x, sign])
    }

    /// What a value is the negative of.
    fn is_negative_of(&self, id: Id) -> Option<Id> {
        let node = &self.nodes[id];
        match (node.op, node.args()) {
            (Op::Xor, &[x, sign]) if self.nodes[sign].op == Op::Constant(SIGN) => Some(x),
            _ => None,
        }
    }

    /// Signs of operands are signs of the instruction.
    fn without_signs(&self, mut node: Node) -> Node {
        let Op::MultiplyAdd { mut negates_product, mut subtracts } = node.op else { return node };
        for place in 0..3 {
            if let Some(x) = self.is_negative_of(node.args[place]) {
                node.args[place] = match self.nodes[x].op {
                    Op::Flush if self.flushes => self.nodes[x].args[0],
                    _ => x,
                };
                if place < 2 {
                    negates_product = !negates_product;
                } else {
                    subtracts = !subtracts;
                }
            }
        }
        node.op = Op::MultiplyAdd { negates_product, subtracts };
        node
    }
}
