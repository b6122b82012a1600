//! Dtypes in CUDA C++: what a register is, what memory holds, and how one becomes the other. Narrow floats are `float` in
//! registers, rounded after each op as interpret mode rounds; integers narrower than bytes have a byte.

use pallas_tensor::{DType, Kind, Scalar};

/// A row of the table.
pub(super) struct Words {
    /// In registers.
    pub(super) register: &'static str,
    /// In memory.
    pub(super) memory: &'static str,
    /// Function from memory to register; empty where they are the same.
    pub(super) load: &'static str,
    /// Function from register to memory.
    pub(super) store: &'static str,
    /// Function that rounds a register to what the dtype can hold.
    pub(super) round: &'static str,
}

const fn same(name: &'static str) -> Words {
    Words { register: name, memory: name, load: "", store: "", round: "" }
}

/// The words of a dtype; `None` for those that are not printed yet.
pub(super) fn words(dtype: DType) -> Option<Words> {
    Some(match dtype {
        DType::Bool => Words { register: "bool", memory: "unsigned char", load: "", store: "", round: "" },
        DType::I8 => same("signed char"),
        DType::U8 => same("unsigned char"),
        DType::I16 => same("short"),
        DType::U16 => same("unsigned short"),
        DType::I32 => same("int"),
        DType::U32 => same("unsigned int"),
        DType::I64 => same("long long"),
        DType::U64 => same("unsigned long long"),
        DType::I4 => Words { round: "wrap_i4", ..same("signed char") },
        DType::U4 => Words { round: "wrap_u4", ..same("unsigned char") },
        DType::I2 => Words { round: "wrap_i2", ..same("signed char") },
        DType::U2 => Words { round: "wrap_u2", ..same("unsigned char") },
        DType::BF16 => Words {
            register: "float",
            memory: "unsigned short",
            load: "from_bf16",
            // It was rounded when it was computed.
            store: "bits_of_bf16",
            round: "round_bf16",
        },
        DType::F16 => {
            Words { register: "float", memory: "unsigned short", load: "from_f16", store: "to_f16", round: "round_f16" }
        }
        DType::F8E4M3Fn => Words {
            register: "float",
            memory: "unsigned char",
            load: "from_f8e4m3fn",
            store: "to_f8e4m3fn",
            round: "round_f8e4m3fn",
        },
        DType::F8E5M2 => Words {
            register: "float",
            memory: "unsigned char",
            load: "from_f8e5m2",
            store: "to_f8e5m2",
            round: "round_f8e5m2",
        },
        DType::F32 => same("float"),
        DType::F64 => same("double"),
        _ => return super::small::words(dtype),
    })
}

/// A number as C writes it, in a register of the dtype.
pub(super) fn literal(value: Scalar, dtype: DType) -> String {
    match (value, dtype.kind()) {
        (Scalar::Bool(value), _) => value.to_string(),
        (Scalar::Float(value), _) => float(value, dtype),
        (Scalar::Int(value), Kind::Float) => float(value as f64, dtype),
        (Scalar::Int(value), _) => match dtype {
            DType::I64 if value == i128::from(i64::MIN) => "(-9223372036854775807LL - 1)".to_string(),
            DType::I64 => format!("{value}LL"),
            DType::U64 => format!("{value}ULL"),
            DType::U32 => format!("{value}u"),
            DType::I32 if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_string(),
            _ => value.to_string(),
        },
        (Scalar::Key(_), _) => "0".to_string(),
    }
}

fn float(value: f64, dtype: DType) -> String {
    let double = dtype == DType::F64;
    if value.is_nan() {
        return if double { "__longlong_as_double(0x7ff8000000000000LL)" } else { "__int_as_float(0x7fc00000)" }.into();
    }
    if value.is_infinite() {
        let text = if double { "__longlong_as_double(0x7ff0000000000000LL)" } else { "__int_as_float(0x7f800000)" };
        return if value < 0.0 { format!("(-{text})") } else { text.to_string() };
    }
    // Of narrow floats, one that the dtype can hold: nobody rounds it once more.
    let value = Scalar::Float(value).cast(dtype).as_f64().unwrap_or(value);
    // The shortest text that reads back as the same number.
    match double {
        true => format!("{value:?}"),
        false => format!("{:?}f", value as f32),
    }
}
