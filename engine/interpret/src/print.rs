//! Text of `debug_print`, as `jax.debug.print` formats it: Python's `str.format` with arrays as numpy prints them.
//! Format specifications are not applied here.

use pallas_ir::print_fields;
use pallas_tensor::Array;
use pallas_tensor::print::numpy_str;

/// The text with the values in their places ([`print_fields`]).
pub fn format_debug_print(format: &str, values: &[Array]) -> String {
    let (pieces, order) = print_fields(format, values.len());
    let mut shown = order.into_iter().map(|value| numpy_str(&values[value]));
    pieces.into_iter().map(|piece| piece + &shown.next().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_fields() {
        let five = Array::from_i32s([], &[5]).expect("one");
        let line = Array::from_f32s([3], &[0.0, 1.0, 2.5]).expect("three");
        let both = [five, line];
        assert_eq!(format_debug_print("i={} {{x}}", &both[..1]), "i=5 {x}");
        assert_eq!(format_debug_print("{1} {0}", &both), "[0.  1.  2.5] 5");
        assert_eq!(format_debug_print("i:", &both[..1]), "i: 5");
        assert_eq!(format_debug_print("{} {", &both[..1]), "5 {");
        assert_eq!(format_debug_print("{}{}", &both[..1]), "5{}");
    }
}
