//! Where chunks of elements are between two operations of a chain: registers by type, kept from run to run.

use super::CHUNK;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
use super::code::Call;
use super::convert::{load_f32, load_strided, round_to, store_bf16s, store_f16s};
use crate::buffer::{Buffer, BufferMut, Element};
use crate::dtype::DType;

/// The number of a register among those of its type.
pub(crate) type Register = u16;

/// A type that chains compute in. 16-bit floats are computed as `f32`, rounded after every operation.
pub(crate) trait Lane: Element {
    /// The registers of this type.
    fn bank(lanes: &Lanes) -> &[Vec<Self>];
    /// The registers of this type.
    fn bank_mut(lanes: &mut Lanes) -> &mut Vec<Vec<Self>>;
    /// Elements of an array, `stride` apart, as this type.
    fn load(out: &mut [Self], buffer: &Buffer, start: usize, stride: isize) {
        if let Some(elements) = Self::slice(buffer) {
            load_strided(out, elements, start, stride, |x| x);
        }
    }
    /// Puts elements into an array, `stride` apart.
    fn store(elements: &mut BufferMut<'_>, start: usize, stride: isize, x: &[Self]);
    /// An array's elements, where they are of this type.
    fn all_mut<'a>(elements: &'a mut BufferMut<'_>) -> Option<&'a mut [Self]>;
    /// Rounds to a dtype that is computed in these lanes.
    fn round(_dtype: DType, _x: &mut [Self]) {}
}

macro_rules! lanes {
    ($($type:ident => $bank:ident $variant:ident),* $(,)?) => {
        /// Memory for the chunks of chains. One serves any number of chains, one after the other.
        #[derive(Debug, Default)]
        pub struct Lanes {
            $($bank: Vec<Vec<$type>>,)*
            /// Rows that are reduced.
            pub(super) row: Vec<f32>,
            /// Sums of windows of rows.
            pub(super) windows: Vec<f32>,
            /// Rows that are put together before they go where they belong.
            pub(super) room: Option<Buffer>,
            /// What code is called with.
            #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
            pub(super) call: Call,
        }
        $(lanes!(@lane $type, $bank, $variant);)*
    };
    (@lane f32, $bank:ident, $variant:ident) => {
        impl Lane for f32 {
            fn bank(lanes: &Lanes) -> &[Vec<f32>] { &lanes.$bank }
            fn bank_mut(lanes: &mut Lanes) -> &mut Vec<Vec<f32>> { &mut lanes.$bank }
            fn load(out: &mut [f32], buffer: &Buffer, start: usize, stride: isize) {
                load_f32(out, buffer, start, stride);
            }
            fn round(dtype: DType, x: &mut [f32]) {
                round_to(dtype, x);
            }
            fn all_mut<'a>(elements: &'a mut BufferMut<'_>) -> Option<&'a mut [f32]> {
                match elements {
                    BufferMut::F32(elements) => Some(elements),
                    _ => None,
                }
            }
            fn store(elements: &mut BufferMut<'_>, start: usize, stride: isize, x: &[f32]) {
                match elements {
                    BufferMut::F32(out) => store_strided(out, start, stride, x),
                    BufferMut::BF16(out) if stride == 1 => store_bf16s(&mut out[start..start + x.len()], x),
                    BufferMut::F16(out) if stride == 1 => store_f16s(&mut out[start..start + x.len()], x),
                    BufferMut::BF16(out) => {
                        let mut narrow = [half::bf16::ZERO; CHUNK];
                        store_bf16s(&mut narrow[..x.len()], x);
                        store_strided(out, start, stride, &narrow[..x.len()]);
                    }
                    BufferMut::F16(out) => {
                        let mut narrow = [half::f16::ZERO; CHUNK];
                        store_f16s(&mut narrow[..x.len()], x);
                        store_strided(out, start, stride, &narrow[..x.len()]);
                    }
                    _ => {}
                }
            }
        }
    };
    (@lane $type:ident, $bank:ident, $variant:ident) => {
        impl Lane for $type {
            fn bank(lanes: &Lanes) -> &[Vec<$type>] { &lanes.$bank }
            fn bank_mut(lanes: &mut Lanes) -> &mut Vec<Vec<$type>> { &mut lanes.$bank }
            fn all_mut<'a>(elements: &'a mut BufferMut<'_>) -> Option<&'a mut [$type]> {
                match elements {
                    BufferMut::$variant(elements) => Some(elements),
                    _ => None,
                }
            }
            fn store(elements: &mut BufferMut<'_>, start: usize, stride: isize, x: &[$type]) {
                if let BufferMut::$variant(out) = elements {
                    store_strided(out, start, stride, x);
                }
            }
        }
    };
}

/// Puts elements `stride` apart.
fn store_strided<T: Copy>(out: &mut [T], start: usize, stride: isize, x: &[T]) {
    match stride {
        1 => out[start..start + x.len()].copy_from_slice(x),
        _ => {
            for (place, &x) in x.iter().enumerate() {
                out[start.wrapping_add_signed(place as isize * stride)] = x;
            }
        }
    }
}

lanes! {
    bool => bools Bool, i8 => i8s I8, i16 => i16s I16, i32 => i32s I32, i64 => i64s I64, u8 => u8s U8, u16 => u16s U16,
    u32 => u32s U32, u64 => u64s U64, f32 => f32s F32, f64 => f64s F64,
}

impl Lanes {
    /// Takes a register out to be written; whoever takes it puts it back.
    pub(super) fn take<T: Lane>(&mut self, register: Register) -> Vec<T> {
        let bank = T::bank_mut(self);
        let place = usize::from(register);
        if bank.len() <= place {
            bank.resize(place + 1, Vec::new());
        }
        let mut chunk = std::mem::take(&mut bank[place]);
        if chunk.len() < CHUNK {
            chunk.resize(CHUNK, T::default());
        }
        chunk
    }

    /// Puts a register back.
    pub(super) fn put<T: Lane>(&mut self, register: Register, chunk: Vec<T>) {
        T::bank_mut(self)[usize::from(register)] = chunk;
    }

    /// A register.
    #[inline(always)]
    pub(super) fn register<T: Lane>(&self, register: Register) -> &[T] {
        &T::bank(self)[usize::from(register)]
    }
}

/// The dtype whose lanes a dtype is computed in; `None` for those that chains do not have.
pub(crate) fn lane_of(dtype: DType) -> Option<DType> {
    match dtype {
        DType::BF16 | DType::F16 | DType::F32 => Some(DType::F32),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F64 => Some(dtype),
        _ => None,
    }
}

/// Runs the same generic code with the type that a lane is: `with_lane!(lane, T => code::<T>())`.
macro_rules! with_lane {
    ($lane:expr, $type:ident => $body:expr) => {
        match $lane {
            $crate::DType::Bool => {
                type $type = bool;
                $body
            }
            $crate::DType::I8 => {
                type $type = i8;
                $body
            }
            $crate::DType::I16 => {
                type $type = i16;
                $body
            }
            $crate::DType::I32 => {
                type $type = i32;
                $body
            }
            $crate::DType::I64 => {
                type $type = i64;
                $body
            }
            $crate::DType::U8 => {
                type $type = u8;
                $body
            }
            $crate::DType::U16 => {
                type $type = u16;
                $body
            }
            $crate::DType::U32 => {
                type $type = u32;
                $body
            }
            $crate::DType::U64 => {
                type $type = u64;
                $body
            }
            $crate::DType::F64 => {
                type $type = f64;
                $body
            }
            _ => {
                type $type = f32;
                $body
            }
        }
    };
}
pub(super) use with_lane;
