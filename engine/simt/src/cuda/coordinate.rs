//! Where an element lies, from the numbers of register and thread.

use crate::layout::Layout;

/// A coordinate from the numbers of register and thread: what their bits flip, by exclusive or. Only terms that have no bit in common with
/// others are added, which addresses are made of; swizzled places have some.
pub(super) fn coordinate(layout: &Layout, dim: usize) -> String {
    let mut sums: Vec<(u32, Vec<String>)> = Vec::new();
    for (number, bits) in [("r", layout.regs.as_slice()), ("t", layout.threads.as_slice())] {
        let flips: Vec<u32> = layout.along(bits, dim).collect();
        let mut bit = 0;
        while bit < flips.len() {
            let first = flips[bit];
            if first == 0 {
                bit += 1;
                continue;
            }
            // Neighbours that flip neighbours are one field.
            let mut length = 1;
            while bit + length < flips.len() && flips[bit + length] == first << length && first.is_power_of_two() {
                length += 1;
            }
            let field = format!("({number} >> {bit} & {})", (1u32 << length) - 1);
            let mut flipped = flips[bit..bit + length].iter().fold(0, |all, flips| all | flips);
            let mut terms = vec![if first == 1 { field } else { format!("{field} * {first}") }];
            // Those that it has bits in common with, in their order.
            let (met, apart) = sums.into_iter().partition(|(others, _)| others & flipped != 0);
            sums = apart;
            let met: Vec<(u32, Vec<String>)> = met;
            for (others, before) in met.into_iter().rev() {
                flipped |= others;
                terms.splice(0..0, before);
            }
            sums.push((flipped, terms));
            bit += length;
        }
    }
    let sum = |(_, terms): (u32, Vec<String>)| match terms.as_slice() {
        [term] => term.clone(),
        terms => format!("({})", terms.join(" ^ ")),
    };
    if sums.is_empty() { "0".to_string() } else { sums.into_iter().map(sum).collect::<Vec<_>>().join(" + ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::SmallVec;

    /// What a printed coordinate comes to.
    fn value(expression: &str, register: u32, thread: u32) -> u32 {
        let field = |text: &str| {
            let (field, factor) = text.split_once(" * ").unwrap_or((text, "1"));
            let words: Vec<&str> = field.trim_matches(['(', ')']).split(' ').collect();
            let [number, _, bit, _, mask] = words[..] else { panic!("`{text}` is no field") };
            let number = if number == "r" { register } else { thread };
            let [bit, mask, factor] =
                [bit, mask, factor.trim_matches(')')].map(|text| text.parse::<u32>().expect("a number"));
            (number >> bit & mask) * factor
        };
        let exclusive = |text: &str| text.split(" ^ ").map(field).fold(0, |all, some| all ^ some);
        expression.split(" + ").map(exclusive).sum()
    }

    /// A sum of places that two bits flip is no place of a swizzle: it goes on behind the end of the array.
    #[test]
    fn a_swizzled_coordinate_is_an_exclusive_or() {
        let layout = Layout {
            shape: SmallVec::from_slice(&[1024]),
            regs: SmallVec::from_slice(&[1, 2, 4]),
            threads: SmallVec::from_slice(&[8, 16, 32, 64 | 8, 128 | 16, 256 | 32, 512]),
        };
        let expression = coordinate(&layout, 0);
        for register in 0..8 {
            for thread in 0..128 {
                assert_eq!(value(&expression, register, thread), layout.place(register, thread), "{expression}");
            }
        }
        let plain = "(r >> 0 & 7) + ((t >> 0 & 7) * 8 ^ (t >> 3 & 1) * 72 ^ (t >> 4 & 1) * 144 ^ (t >> 5 & 1) * 288) + (t >> 6 & 1) * 512";
        assert_eq!(expression, plain);
    }
}
