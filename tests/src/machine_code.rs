//! What machine code weighs: instructions, accesses of local memory, and how many of both the heaviest innermost loop has. Read from what
//! `nvdisasm -c` prints.

use std::collections::HashMap;

/// Counts of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Instructions, without those behind the end that only fill.
    pub instructions: usize,
    /// Those that load or store memory of a thread.
    pub local: usize,
    /// Instructions of the innermost loop that has the most.
    pub inner: usize,
    /// Those of it that load or store memory of a thread.
    pub inner_local: usize,
}

impl Weight {
    /// Of a listing.
    pub fn of(listing: &str) -> Weight {
        let mut labels: HashMap<&str, usize> = HashMap::new();
        let mut code: Vec<&str> = Vec::new();
        for line in listing.lines().map(str::trim) {
            if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L_")) {
                labels.insert(label, code.len());
            } else if let Some((_, text)) = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/"))
                && let Some((instruction, _)) = text.split_once(';')
                && !instruction.trim().starts_with("NOP")
            {
                code.push(instruction.trim());
            }
        }
        let back = |(at, instruction): (usize, &&str)| {
            let label = instruction.split_once("`(")?.1.split_once(')')?.0;
            let first = *labels.get(label).filter(|&&first| instruction.contains("BRA") && first < at)?;
            Some(first..at + 1)
        };
        let loops: Vec<_> = code.iter().enumerate().filter_map(back).collect();
        let is_inner = |outer: &std::ops::Range<usize>| {
            !loops.iter().any(|inner| inner != outer && inner.start >= outer.start && inner.end <= outer.end)
        };
        let inner = loops.iter().filter(|one| is_inner(one)).max_by_key(|one| one.len()).cloned().unwrap_or(0..0);
        let local = |code: &[&str]| code.iter().filter(|text| text.contains("LDL") || text.contains("STL")).count();
        Weight { instructions: code.len(), local: local(&code), inner: inner.len(), inner_local: local(&code[inner]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_innermost_loop_is_found() {
        let listing = "\
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   STL [R1], R2 ;
.L_x_1:
        /*0020*/                   LDL R2, [R1] ;
        /*0030*/                   FADD R2, R2, 1 ;
        /*0040*/              @P0  BRA `(.L_x_1) ;
        /*0050*/              @P1  BRA `(.L_x_0) ;
        /*0060*/                   EXIT ;
.L_x_2:
        /*0070*/                   NOP ;
        /*0080*/                   BRA `(.L_x_3);
.L_x_3:
";
        assert_eq!(Weight::of(listing), Weight { instructions: 8, local: 2, inner: 3, inner_local: 1 });
    }
}
