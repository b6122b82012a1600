//! What names mean where: blocks in braces have names of their own (PTX ISA 5.1, 7.1), as inline assembly uses them.

use std::collections::HashMap;

/// Names of a function or of the module, the innermost block last.
#[derive(Clone, Debug)]
pub(crate) struct Names<T> {
    levels: Vec<HashMap<String, T>>,
    /// `%r<100>`: the first, and how many.
    ranges: Vec<Vec<(String, T, u32)>>,
}

impl<T: Copy> Names<T> {
    pub(crate) fn new() -> Names<T> {
        Names { levels: vec![HashMap::new()], ranges: vec![Vec::new()] }
    }

    pub(crate) fn open(&mut self) {
        self.levels.push(HashMap::new());
        self.ranges.push(Vec::new());
    }

    pub(crate) fn close(&mut self) {
        self.levels.pop();
        self.ranges.pop();
    }

    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn insert(&mut self, name: &str, what: T) {
        if let Some(level) = self.levels.last_mut() {
            level.insert(name.to_string(), what);
        }
    }

    pub(crate) fn insert_range(&mut self, prefix: &str, first: T, count: u32) {
        if let Some(level) = self.ranges.last_mut() {
            level.push((prefix.to_string(), first, count));
        }
    }

    /// What a name means, and its number in the range that it is of.
    pub(crate) fn get(&self, name: &str) -> Option<(T, u32)> {
        let levels = self.levels.iter().zip(&self.ranges).rev();
        for (level, ranges) in levels {
            if let Some(what) = level.get(name) {
                return Some((*what, 0));
            }
            for (prefix, first, count) in ranges {
                let number = name.strip_prefix(prefix.as_str()).and_then(|number| number.parse::<u32>().ok());
                if let Some(number) = number.filter(|number| number < count) {
                    return Some((*first, number));
                }
            }
        }
        None
    }
}
