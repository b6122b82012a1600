//! Element types: their names, sizes and kinds.
//!
//! One table row per dtype; everything else here reads the table. Numeric limits are in
//! [`crate::limits`], promotion in [`crate::promote`].

use std::fmt;

/// The element type of an array: the dtypes that JAX 0.10 arrays can have on a CPU and kernels use
/// (complex and 1-bit integers are left out).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// `bool`, one byte.
    Bool,
    /// `int4`, stored sign-extended in an `i8`.
    I4,
    /// `int8`.
    I8,
    /// `int16`.
    I16,
    /// `int32`.
    I32,
    /// `int64`.
    I64,
    /// `uint4`, stored in the low half of a `u8`.
    U4,
    /// `uint8`.
    U8,
    /// `uint16`.
    U16,
    /// `uint32`.
    U32,
    /// `uint64`.
    U64,
    /// `float8_e4m3fn`, stored as its bits.
    F8E4M3Fn,
    /// `float8_e5m2`, stored as its bits.
    F8E5M2,
    /// `float8_e4m3b11fnuz`, stored as its bits.
    F8E4M3B11Fnuz,
    /// `float8_e4m3fnuz`, stored as its bits.
    F8E4M3Fnuz,
    /// `float8_e5m2fnuz`, stored as its bits.
    F8E5M2Fnuz,
    /// `bfloat16`.
    BF16,
    /// `float16`.
    F16,
    /// `float32`.
    F32,
    /// `float64`.
    F64,
    /// `key<fry>`, the typed keys of `jax.random.key`: two 32-bit words per element.
    Key,
    /// `int2`, stored sign-extended in an `i8`.
    I2,
    /// `uint2`, stored in the low bits of a `u8`.
    U2,
    /// `float8_e3m4`, stored as its bits.
    F8E3M4,
    /// `float8_e4m3`, stored as its bits.
    F8E4M3,
    /// `float8_e8m0fnu`: powers of two, stored as their exponent.
    F8E8M0Fnu,
    /// `float4_e2m1fn`, stored as its bits.
    F4E2M1Fn,
}

/// What family a dtype belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Truth values.
    Bool,
    /// Two's complement integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Floating point of any width.
    Float,
    /// Random keys: no arithmetic.
    Key,
}

struct Row {
    dtype: DType,
    name: &'static str,
    short_name: &'static str,
    bits: u32,
    kind: Kind,
}

const fn row(dtype: DType, name: &'static str, short_name: &'static str, bits: u32, kind: Kind) -> Row {
    Row { dtype, name, short_name, bits, kind }
}

/// In the order of the enum, so that `dtype as usize` indexes it (tested below).
static TABLE: [Row; 27] = [
    row(DType::Bool, "bool", "bool", 8, Kind::Bool),
    row(DType::I4, "int4", "i4", 4, Kind::Signed),
    row(DType::I8, "int8", "i8", 8, Kind::Signed),
    row(DType::I16, "int16", "i16", 16, Kind::Signed),
    row(DType::I32, "int32", "i32", 32, Kind::Signed),
    row(DType::I64, "int64", "i64", 64, Kind::Signed),
    row(DType::U4, "uint4", "u4", 4, Kind::Unsigned),
    row(DType::U8, "uint8", "u8", 8, Kind::Unsigned),
    row(DType::U16, "uint16", "u16", 16, Kind::Unsigned),
    row(DType::U32, "uint32", "u32", 32, Kind::Unsigned),
    row(DType::U64, "uint64", "u64", 64, Kind::Unsigned),
    row(DType::F8E4M3Fn, "float8_e4m3fn", "f8_e4m3fn", 8, Kind::Float),
    row(DType::F8E5M2, "float8_e5m2", "f8_e5m2", 8, Kind::Float),
    row(DType::F8E4M3B11Fnuz, "float8_e4m3b11fnuz", "f8_e4m3b11fnuz", 8, Kind::Float),
    row(DType::F8E4M3Fnuz, "float8_e4m3fnuz", "f8_e4m3fnuz", 8, Kind::Float),
    row(DType::F8E5M2Fnuz, "float8_e5m2fnuz", "f8_e5m2fnuz", 8, Kind::Float),
    row(DType::BF16, "bfloat16", "bf16", 16, Kind::Float),
    row(DType::F16, "float16", "f16", 16, Kind::Float),
    row(DType::F32, "float32", "f32", 32, Kind::Float),
    row(DType::F64, "float64", "f64", 64, Kind::Float),
    row(DType::Key, "key<fry>", "key<fry>", 64, Kind::Key),
    row(DType::I2, "int2", "i2", 2, Kind::Signed),
    row(DType::U2, "uint2", "u2", 2, Kind::Unsigned),
    row(DType::F8E3M4, "float8_e3m4", "f8_e3m4", 8, Kind::Float),
    row(DType::F8E4M3, "float8_e4m3", "f8_e4m3", 8, Kind::Float),
    row(DType::F8E8M0Fnu, "float8_e8m0fnu", "f8_e8m0fnu", 8, Kind::Float),
    row(DType::F4E2M1Fn, "float4_e2m1fn", "f4_e2m1fn", 4, Kind::Float),
];

/// Spellings that numpy accepts besides the names: type codes, sized codes, C names.
static ALIASES: &[(&str, DType)] = &[
    ("?", DType::Bool),
    ("b1", DType::Bool),
    ("bool_", DType::Bool),
    ("b", DType::I8),
    ("i1", DType::I8),
    ("byte", DType::I8),
    ("h", DType::I16),
    ("i2", DType::I16),
    ("short", DType::I16),
    ("i", DType::I32),
    ("i4", DType::I32),
    ("intc", DType::I32),
    ("l", DType::I64),
    ("q", DType::I64),
    ("p", DType::I64),
    ("i8", DType::I64),
    ("int", DType::I64),
    ("int_", DType::I64),
    ("intp", DType::I64),
    ("long", DType::I64),
    ("longlong", DType::I64),
    ("B", DType::U8),
    ("u1", DType::U8),
    ("ubyte", DType::U8),
    ("H", DType::U16),
    ("u2", DType::U16),
    ("ushort", DType::U16),
    ("I", DType::U32),
    ("u4", DType::U32),
    ("uintc", DType::U32),
    ("L", DType::U64),
    ("Q", DType::U64),
    ("P", DType::U64),
    ("u8", DType::U64),
    ("uint", DType::U64),
    ("uintp", DType::U64),
    ("ulong", DType::U64),
    ("ulonglong", DType::U64),
    ("e", DType::F16),
    ("f2", DType::F16),
    ("half", DType::F16),
    ("f", DType::F32),
    ("f4", DType::F32),
    ("single", DType::F32),
    ("d", DType::F64),
    ("f8", DType::F64),
    ("float", DType::F64),
    ("float_", DType::F64),
    ("double", DType::F64),
];

impl DType {
    /// Every dtype, in the order of the enum.
    pub fn all() -> impl Iterator<Item = DType> {
        TABLE.iter().map(|row| row.dtype)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// numpy's name: `float32`, `int4`, `float8_e4m3fn`, `key<fry>`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name that jaxprs print: `f32`, `bf16`, `i32`, `bool`, `f8_e4m3fn`.
    pub fn short_name(self) -> &'static str {
        self.row().short_name
    }

    /// The dtype that `np.dtype(text)` means, for little-endian and native byte orders.
    ///
    /// `i8` and `f4` are numpy's byte-sized codes here (`int64`, `float32`), not the jaxpr names.
    pub fn parse(text: &str) -> Option<DType> {
        let by_name = |text: &str| {
            let named = TABLE.iter().find(|row| row.name == text);
            named.map(|row| row.dtype).or_else(|| {
                let alias = ALIASES.iter().find(|(alias, _)| *alias == text);
                alias.map(|(_, dtype)| *dtype)
            })
        };
        by_name(text).or_else(|| by_name(text.strip_prefix(['<', '=', '|'])?))
    }

    /// Bits of one element as it counts for bandwidth and bitcasts: 4 for `int4`, 8 for `bool`.
    pub fn bits(self) -> u32 {
        self.row().bits
    }

    /// Bytes of one element as numpy and JAX report it (`itemsize`): 1 for the 4-bit types.
    pub fn size_bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The family.
    pub fn kind(self) -> Kind {
        self.row().kind
    }

    /// Whether this is one of the families that are meant: truth values, integers, floating point.
    pub(crate) fn is_of(self, bools: bool, integers: bool, floats: bool) -> bool {
        match self.kind() {
            Kind::Bool => bools,
            Kind::Signed | Kind::Unsigned => integers,
            Kind::Float => floats,
            Kind::Key => false,
        }
    }

    /// Whether this is floating point of any width.
    pub fn is_float(self) -> bool {
        self.kind() == Kind::Float
    }

    /// Whether this is an integer, signed or not; `bool` is not.
    pub fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether negative values exist: signed integers and floats.
    pub fn is_signed(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Float)
    }

    /// Whether this is one of the floats of 8 bits or fewer, which are stored as their bits.
    pub fn is_small_float(self) -> bool {
        self.is_float() && self.bits() <= 8
    }

    /// Whether this is one of the integers of fewer than 8 bits.
    pub fn is_small_integer(self) -> bool {
        self.is_integer() && self.bits() < 8
    }

    /// Whether the dtype is numpy's own, not one of the package `ml_dtypes`.
    pub fn is_numpy(self) -> bool {
        let extra = self.is_small_float() || self.is_small_integer();
        !extra && !matches!(self, DType::BF16 | DType::Key)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.dtype as usize, index);
            assert_eq!(DType::parse(row.name), Some(row.dtype));
        }
    }

    #[test]
    fn parses_what_numpy_parses() {
        for (text, expected) in [
            ("float32", Some(DType::F32)),
            ("f4", Some(DType::F32)),
            ("<i4", Some(DType::I32)),
            ("=i8", Some(DType::I64)),
            ("|b1", Some(DType::Bool)),
            ("int4", Some(DType::I4)),
            ("bfloat16", Some(DType::BF16)),
            (">f4", None),
            ("float33", None),
            ("", None),
        ] {
            assert_eq!(DType::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!((DType::I4.bits(), DType::I4.size_bytes()), (4, 1));
        assert_eq!((DType::Bool.bits(), DType::Bool.size_bytes()), (8, 1));
        assert_eq!((DType::Key.bits(), DType::Key.size_bytes()), (64, 8));
    }
}
