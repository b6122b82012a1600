//! Names of values in the order in which they are printed: `a` to `z`, then `ba`, `bb` and so on.

use pallas_ir::ValueId;
use std::collections::HashMap;

/// The names given so far.
#[derive(Default)]
pub(super) struct Names {
    given: HashMap<ValueId, String>,
    count: usize,
}

impl Names {
    /// The name of a value; a new one if it has none.
    pub(super) fn of(&mut self, value: ValueId) -> String {
        if let Some(name) = self.given.get(&value) {
            return name.clone();
        }
        let name = letters(self.count);
        self.count += 1;
        self.given.insert(value, name.clone());
        name
    }

    /// Prints a value under the name of another.
    pub(super) fn same(&mut self, value: ValueId, as_other: ValueId) {
        let name = self.of(as_other);
        self.given.insert(value, name);
    }
}

/// The number in letters: `a` is the digit 0.
fn letters(mut number: usize) -> String {
    let mut text = Vec::new();
    loop {
        text.push(b'a' + (number % 26) as u8);
        number /= 26;
        if number == 0 {
            break;
        }
    }
    text.iter().rev().map(|&byte| byte as char).collect()
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn letters_count_like_digits() {
        assert_eq!(letters(0), "a");
        assert_eq!(letters(25), "z");
        assert_eq!(letters(26), "ba");
        assert_eq!(letters(27), "bb");
    }
}
