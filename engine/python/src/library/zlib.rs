//! `zlib`: its two checksums. Nothing is compressed here.

use super::support::row;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "zlib",
    doc: "Checksums.",
    functions: &[
        row("adler32", "(data, value=1, /)", "The Adler-32 checksum of bytes.", |interp, args| {
            checksum(interp, args, adler32)
        }),
        row("crc32", "(data, value=0, /)", "The CRC-32 checksum of bytes.", |interp, args| {
            checksum(interp, args, crc32)
        }),
    ],
    populate: |_, _| {},
};

fn checksum(interp: &Interp, args: Arguments, of: fn(&[u8], u32) -> u32) -> PyResult<Value> {
    let [data, start] = args.take();
    let Value::Bytes(bytes) = &data else {
        return Err(interp.type_error(format!("a bytes-like object is required, not '{}'", interp.type_name(&data))));
    };
    let start = (interp.to_i64(&start)? & 0xffff_ffff) as u32;
    Ok(Value::from(i64::from(of(bytes, start))))
}

/// RFC 1950: two sums modulo the largest prime below 65536.
fn adler32(bytes: &[u8], start: u32) -> u32 {
    const PRIME: u32 = 65521;
    let (mut low, mut high) = (start & 0xffff, start >> 16);
    for byte in bytes {
        low = (low + u32::from(*byte)) % PRIME;
        high = (high + low) % PRIME;
    }
    high << 16 | low
}

/// The reflected polynomial of IEEE 802.3.
fn crc32(bytes: &[u8], start: u32) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut crc = !start;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_the_standards() {
        assert_eq!(adler32(b"Wikipedia", 1), 0x11e6_0398);
        assert_eq!(adler32(b"pedia", adler32(b"Wiki", 1)), 0x11e6_0398);
        assert_eq!(crc32(b"123456789", 0), 0xcbf4_3926);
        assert_eq!(crc32(b"6789", crc32(b"12345", 0)), 0xcbf4_3926);
    }
}
