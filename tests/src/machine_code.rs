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
        let code = instructions(listing);
        let inner = heaviest_loop(&code);
        let local =
            |code: &[Placed<'_>]| code.iter().filter(|(_, text)| text.contains("LDL") || text.contains("STL")).count();
        Weight { instructions: code.len(), local: local(&code), inner: inner.len(), inner_local: local(inner) }
    }
}

/// An instruction, and where it jumps back to, if it does.
type Placed<'l> = (Option<usize>, &'l str);

/// The instructions of a listing in order, without those behind the end that only fill.
fn instructions(listing: &str) -> Vec<Placed<'_>> {
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
    let back = |at: usize, instruction: &str| {
        let label = instruction.split_once("`(")?.1.split_once(')')?.0;
        labels.get(label).copied().filter(|&first| instruction.contains("BRA") && first < at)
    };
    code.iter().enumerate().map(|(at, instruction)| (back(at, instruction), *instruction)).collect()
}

/// The innermost loop that has the most.
fn heaviest_loop<'c, 'l>(code: &'c [Placed<'l>]) -> &'c [Placed<'l>] {
    let loops: Vec<_> = code.iter().enumerate().filter_map(|(at, (back, _))| Some((*back)?..at + 1)).collect();
    let is_inner = |outer: &std::ops::Range<usize>| {
        !loops.iter().any(|inner| inner != outer && inner.start >= outer.start && inner.end <= outer.end)
    };
    let inner = loops.iter().filter(|one| is_inner(one)).max_by_key(|one| one.len()).cloned();
    inner.map_or(&[], |inner| &code[inner])
}

/// How many instructions with a name the heaviest innermost loop of a listing has.
pub fn inside(listing: &str, name: &str) -> usize {
    heaviest_loop(&instructions(listing)).iter().filter(|(_, text)| text.contains(name)).count()
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
        assert_eq!((inside(listing, "FADD"), inside(listing, "STL")), (1, 0));
        assert_eq!(Weight::of(listing), Weight { instructions: 8, local: 2, inner: 3, inner_local: 1 });
    }
}
