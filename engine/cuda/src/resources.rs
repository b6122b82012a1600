//! What a kernel takes of a multiprocessor, as the assembler says it in the log.

/// Registers, spills, shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes that a thread stores for lack of registers.
    pub spill_stores: u32,
    /// Bytes that a thread loads again for lack of registers.
    pub spill_loads: u32,
    /// Bytes of static shared memory of a block.
    pub shared: u32,
}

impl Resources {
    /// Reads the assembler's lines; `None` where there are none.
    pub fn from_log(log: &str) -> Option<Resources> {
        let used = log.lines().find(|line| line.contains("ptxas") && line.contains("Used "))?;
        let before = |text: &str, unit: &str| -> u32 {
            let words: Vec<&str> =
                text.split_once(unit).map_or(Vec::new(), |(head, _)| head.split_whitespace().collect());
            words.last().and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        let spills = log.lines().find(|line| line.contains("bytes spill stores")).unwrap_or_default();
        Some(Resources {
            registers: before(used, " registers"),
            spill_stores: before(spills, " bytes spill stores"),
            spill_loads: before(spills, " bytes spill loads"),
            shared: before(used, " bytes smem"),
        })
    }

    /// Whether registers were too few.
    pub fn spills(self) -> bool {
        self.spill_stores + self.spill_loads > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assemblers_lines_are_read() {
        let log = "ptxas info    : Function properties for k\n\
                   ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 10 registers, used 1 barriers, 128 bytes smem\n";
        let resources = Resources { registers: 10, spill_stores: 8, spill_loads: 12, shared: 128 };
        assert_eq!(Resources::from_log(log), Some(resources));
        assert!(resources.spills());
        assert_eq!(Resources::from_log("nothing"), None);
    }
}
