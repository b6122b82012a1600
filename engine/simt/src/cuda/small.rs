//! Floats of eight and four bits that hardware has no instruction for: how their bits become a `float`, and back, rounding to
//! nearest even. One pair of functions for all formats, and a table of what tells them apart.

use super::prelude::Helper;
use super::types::Words;
use pallas_tensor::DType;

/// The functions of a format: mantissa bits, bias, bits of the largest number, of what is too large, and of NaN, the bit of the
/// sign, and whether there is one zero only.
macro_rules! format {
    ($name:literal, $($number:literal),*) => {
        [
            Helper {
                name: concat!("from_", $name),
                text: concat!(
                    "__device__ __forceinline__ float from_", $name,
                    "(unsigned char x) { return from_small(x" $(, ", ", $number)*, "); }"
                ),
            },
            Helper {
                name: concat!("to_", $name),
                text: concat!(
                    "__device__ __forceinline__ unsigned char to_", $name,
                    "(float x) { return to_small(x" $(, ", ", $number)*, "); }"
                ),
            },
            Helper {
                name: concat!("round_", $name),
                text: concat!(
                    "__device__ __forceinline__ float round_", $name,
                    "(float x) { return from_", $name, "(to_", $name, "(x)); }"
                ),
            },
        ]
    };
}

static COMMON: [Helper; 2] = [
    Helper {
        name: "from_small",
        text: "__device__ __noinline__ float from_small(unsigned x, int m, int bias, unsigned most, unsigned over, unsigned nan, unsigned sign, bool one_zero) { const float none = __int_as_float(0x7fc00000); if (one_zero && x == nan) return none; if (sign == 0u) return x == nan ? none : ldexpf(1.0f, (int)x - bias); unsigned u = x & (sign - 1u); float s = x & sign ? -1.0f : 1.0f; if (u > most) return over != nan && u == over ? s * __int_as_float(0x7f800000) : none; int e = (int)(u >> m), f = (int)(u & ((1u << m) - 1u)); if (e == 0) e = 1; else f |= 1 << m; return s * ldexpf((float)f, e - bias - m); }",
    },
    Helper {
        name: "to_small",
        text: "__device__ __noinline__ unsigned char to_small(float x, int m, int bias, unsigned most, unsigned over, unsigned nan, unsigned sign, bool one_zero) { float u = fabsf(x); bool large = u > 3.402823466e38f; if (sign == 0u) { if (x != x || x <= 0.0f || large) return (unsigned char)nan; int e = ilogbf(x); int code = e + (ldexpf(x, -e) >= 1.5f ? 1 : 0) + bias; return (unsigned char)(code > (int)most ? (int)nan : max(code, 0)); } unsigned y; if (x != x) y = nan; else if (large) y = over; else { int low = 1 - bias; int e = u == 0.0f ? low : min(max(ilogbf(u), low), 40); int code = (int)fminf(rintf(ldexpf(u, m - e)), 1e6f) + ((e - low) << m); y = code > (int)most ? over : (unsigned)code; } if (one_zero && (y == 0u || y == 0x80u)) return (unsigned char)y; if (!one_zero && y == sign) return (unsigned char)y; return (unsigned char)(y | (__float_as_uint(x) >> 31 ? sign : 0u)); }",
    },
];

static FORMATS: [[Helper; 3]; 7] = [
    format!("f8e4m3b11fnuz", 3, 11, 0x7f, 0x80, 0x80, 0x80, true),
    format!("f8e4m3fnuz", 3, 8, 0x7f, 0x80, 0x80, 0x80, true),
    format!("f8e5m2fnuz", 2, 16, 0x7f, 0x80, 0x80, 0x80, true),
    format!("f8e4m3", 3, 7, 0x77, 0x78, 0x7c, 0x80, false),
    format!("f8e3m4", 4, 3, 0x6f, 0x70, 0x78, 0x80, false),
    format!("f8e8m0fnu", 0, 127, 0xfe, 0xff, 0xff, 0x00, false),
    format!("f4e2m1fn", 1, 1, 0x7, 0x7, 0x8, 0x8, false),
];

const DTYPES: [DType; 7] = [
    DType::F8E4M3B11Fnuz,
    DType::F8E4M3Fnuz,
    DType::F8E5M2Fnuz,
    DType::F8E4M3,
    DType::F8E3M4,
    DType::F8E8M0Fnu,
    DType::F4E2M1Fn,
];

/// All functions, callees before callers.
pub(super) fn helpers() -> impl Iterator<Item = &'static Helper> {
    COMMON.iter().chain(FORMATS.iter().flatten())
}

/// The words of one of these dtypes.
pub(super) fn words(dtype: DType) -> Option<Words> {
    let position = DTYPES.iter().position(|other| *other == dtype)?;
    let [load, store, round] = &FORMATS[position];
    Some(Words { register: "float", memory: "unsigned char", load: load.name, store: store.name, round: round.name })
}
