//! Types of operands and state spaces (PTX ISA 5.1, 5.2).

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Param,
    Const,
}

impl Space {
    /// `shared::cta`
    pub(crate) fn named(name: &str) -> Option<Space> {
        Some(match name {
            "global" => Space::Global,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "param" | "param::entry" | "param::func" => Space::Param,
            "const" => Space::Const,
            _ => return None,
        })
    }
}

/// What the bits of an operand are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// bfloat16
    Brain,
    Tf32,
    E4m3,
    E5m2,
    E2m1,
    Pred,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    /// Bits of all of it.
    pub(crate) bits: u32,
    /// How many values are packed in it.
    pub(crate) packed: u32,
}

const NAMES: &[(&str, Kind, u32, u32)] = &[
    ("pred", Kind::Pred, 1, 1),
    ("b8", Kind::Bits, 8, 1),
    ("b16", Kind::Bits, 16, 1),
    ("b32", Kind::Bits, 32, 1),
    ("b64", Kind::Bits, 64, 1),
    ("b128", Kind::Bits, 128, 1),
    ("u8", Kind::Unsigned, 8, 1),
    ("u16", Kind::Unsigned, 16, 1),
    ("u32", Kind::Unsigned, 32, 1),
    ("u64", Kind::Unsigned, 64, 1),
    ("s8", Kind::Signed, 8, 1),
    ("s16", Kind::Signed, 16, 1),
    ("s32", Kind::Signed, 32, 1),
    ("s64", Kind::Signed, 64, 1),
    ("u16x2", Kind::Unsigned, 32, 2),
    ("s16x2", Kind::Signed, 32, 2),
    ("f16", Kind::Float, 16, 1),
    ("f16x2", Kind::Float, 32, 2),
    ("bf16", Kind::Brain, 16, 1),
    ("bf16x2", Kind::Brain, 32, 2),
    ("tf32", Kind::Tf32, 32, 1),
    ("e4m3", Kind::E4m3, 8, 1),
    ("e5m2", Kind::E5m2, 8, 1),
    ("e4m3x2", Kind::E4m3, 16, 2),
    ("e5m2x2", Kind::E5m2, 16, 2),
    ("e2m1x2", Kind::E2m1, 8, 2),
    ("e2m1", Kind::E2m1, 4, 1),
    ("f32", Kind::Float, 32, 1),
    ("f64", Kind::Float, 64, 1),
    ("f32x2", Kind::Float, 64, 2),
    ("s4", Kind::Signed, 4, 1),
    ("u4", Kind::Unsigned, 4, 1),
];

impl Type {
    /// `f16x2`
    pub(crate) fn named(name: &str) -> Option<Type> {
        let (_, kind, bits, packed) = NAMES.iter().find(|(known, ..)| *known == name)?;
        Some(Type { kind: *kind, bits: *bits, packed: *packed })
    }

    pub(crate) fn bytes(self) -> usize {
        (self.bits as usize).div_ceil(8)
    }

    pub(crate) fn signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// Whether it is an integer or plain bits.
    pub(crate) fn integer(self) -> bool {
        matches!(self.kind, Kind::Bits | Kind::Unsigned | Kind::Signed)
    }

    /// One of what is packed.
    pub(crate) fn part(self) -> Type {
        Type { bits: self.bits / self.packed, packed: 1, ..self }
    }
}

/// The lowest bits.
#[inline(always)]
pub(crate) fn low(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The lowest bits as a signed number.
#[inline(always)]
pub(crate) fn extended(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits.min(64);
    ((value << unused) as i64) >> unused
}
