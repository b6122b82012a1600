//! Where elements live: one typed vector per storage type.
//!
//! Several dtypes share a storage (`int4` lives in `i8`, the 8-bit floats in `u8`); which one an
//! array means is the array's dtype, not the buffer's business.

use half::{bf16, f16};
use zerocopy::{FromZeros, Immutable, IntoBytes};

use crate::dtype::DType;

/// The elements of an array in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    /// `bool`.
    Bool(Vec<bool>),
    /// `int8`, and narrower integers sign-extended.
    I8(Vec<i8>),
    /// `int16`.
    I16(Vec<i16>),
    /// `int32`.
    I32(Vec<i32>),
    /// `int64`.
    I64(Vec<i64>),
    /// `uint8`, narrower ones zero-extended, and the bits of the small floats.
    U8(Vec<u8>),
    /// `uint16`.
    U16(Vec<u16>),
    /// `uint32`.
    U32(Vec<u32>),
    /// `uint64`.
    U64(Vec<u64>),
    /// `bfloat16`.
    BF16(Vec<bf16>),
    /// `float16`.
    F16(Vec<f16>),
    /// `float32`.
    F32(Vec<f32>),
    /// `float64`.
    F64(Vec<f64>),
    /// Random keys.
    Key(Vec<[u32; 2]>),
}

/// A Rust type that a [`Buffer`] can hold.
pub trait Element: Copy + Default + PartialEq + Send + Sync + FromZeros + IntoBytes + Immutable + 'static {
    /// The dtype that a buffer of this type means when nothing else is said.
    const DTYPE: DType;
    /// The elements, if the buffer holds this type.
    fn slice(buffer: &Buffer) -> Option<&[Self]>;
    /// The elements to write, if the buffer holds this type.
    fn slice_mut(buffer: &mut Buffer) -> Option<&mut [Self]>;
    /// Wraps a vector.
    fn wrap(elements: Vec<Self>) -> Buffer;
    /// Unwraps the vector, if the buffer holds this type.
    fn unwrap_buffer(buffer: Buffer) -> Option<Vec<Self>>;
}

macro_rules! elements {
    ($($rust:ty => $variant:ident),* $(,)?) => {
        $(impl Element for $rust {
            const DTYPE: DType = DType::$variant;
            fn slice(buffer: &Buffer) -> Option<&[Self]> {
                match buffer { Buffer::$variant(elements) => Some(elements), _ => None }
            }
            fn slice_mut(buffer: &mut Buffer) -> Option<&mut [Self]> {
                match buffer { Buffer::$variant(elements) => Some(elements), _ => None }
            }
            fn wrap(elements: Vec<Self>) -> Buffer {
                Buffer::$variant(elements)
            }
            fn unwrap_buffer(buffer: Buffer) -> Option<Vec<Self>> {
                match buffer { Buffer::$variant(elements) => Some(elements), _ => None }
            }
        })*

        /// Elements of a buffer, or of a stretch of one, to be written.
        #[derive(Debug)]
        pub(crate) enum BufferMut<'a> { $($variant(&'a mut [$rust]),)* }

        impl<'a> BufferMut<'a> {
            /// The same elements for a while.
            pub(crate) fn reborrow(&mut self) -> BufferMut<'_> {
                match self { $(BufferMut::$variant(elements) => BufferMut::$variant(elements),)* }
            }

            /// The first elements, and the rest.
            pub(crate) fn split_at(self, count: usize) -> (BufferMut<'a>, BufferMut<'a>) {
                match self { $(BufferMut::$variant(elements) => {
                    let (first, rest) = elements.split_at_mut(count);
                    (BufferMut::$variant(first), BufferMut::$variant(rest))
                })* }
            }
        }

        impl Buffer {
            /// Number of elements.
            pub fn len(&self) -> usize {
                match self { $(Buffer::$variant(elements) => elements.len(),)* }
            }

            /// The elements, to be written.
            pub(crate) fn as_mut(&mut self) -> BufferMut<'_> {
                match self { $(Buffer::$variant(elements) => BufferMut::$variant(elements),)* }
            }

            /// The dtype that this buffer means when nothing else is said.
            pub fn natural_dtype(&self) -> DType {
                match self { $(Buffer::$variant(_) => DType::$variant,)* }
            }
        }
    };
}

elements! {
    bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    bf16 => BF16, f16 => F16, f32 => F32, f64 => F64, [u32; 2] => Key,
}

/// Runs the same generic code for whichever vector the buffer holds:
/// `with_elements!(buffer, elements => elements.len())`.
macro_rules! with_elements {
    ($buffer:expr, $elements:ident => $body:expr) => {
        match $buffer {
            $crate::Buffer::Bool($elements) => $body,
            $crate::Buffer::I8($elements) => $body,
            $crate::Buffer::I16($elements) => $body,
            $crate::Buffer::I32($elements) => $body,
            $crate::Buffer::I64($elements) => $body,
            $crate::Buffer::U8($elements) => $body,
            $crate::Buffer::U16($elements) => $body,
            $crate::Buffer::U32($elements) => $body,
            $crate::Buffer::U64($elements) => $body,
            $crate::Buffer::BF16($elements) => $body,
            $crate::Buffer::F16($elements) => $body,
            $crate::Buffer::F32($elements) => $body,
            $crate::Buffer::F64($elements) => $body,
            $crate::Buffer::Key($elements) => $body,
        }
    };
}
pub(crate) use with_elements;

/// [`with_elements`] for a [`BufferMut`].
macro_rules! with_elements_mut {
    ($buffer:expr, $elements:ident => $body:expr) => {
        match $buffer {
            $crate::buffer::BufferMut::Bool($elements) => $body,
            $crate::buffer::BufferMut::I8($elements) => $body,
            $crate::buffer::BufferMut::I16($elements) => $body,
            $crate::buffer::BufferMut::I32($elements) => $body,
            $crate::buffer::BufferMut::I64($elements) => $body,
            $crate::buffer::BufferMut::U8($elements) => $body,
            $crate::buffer::BufferMut::U16($elements) => $body,
            $crate::buffer::BufferMut::U32($elements) => $body,
            $crate::buffer::BufferMut::U64($elements) => $body,
            $crate::buffer::BufferMut::BF16($elements) => $body,
            $crate::buffer::BufferMut::F16($elements) => $body,
            $crate::buffer::BufferMut::F32($elements) => $body,
            $crate::buffer::BufferMut::F64($elements) => $body,
            $crate::buffer::BufferMut::Key($elements) => $body,
        }
    };
}
pub(crate) use with_elements_mut;

impl Buffer {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an array of `dtype` keeps its elements in this kind of buffer.
    pub fn stores(&self, dtype: DType) -> bool {
        self.natural_dtype() == storage_of(dtype)
    }
}

/// The dtype whose storage `dtype` uses: itself, `int8` for `int4` and `int2`, `uint8` for `uint4`,
/// `uint2` and the small floats.
pub(crate) fn storage_of(dtype: DType) -> DType {
    match dtype {
        DType::I4 | DType::I2 => DType::I8,
        DType::U4 | DType::U2 => DType::U8,
        dtype if dtype.is_small_float() => DType::U8,
        dtype => dtype,
    }
}
