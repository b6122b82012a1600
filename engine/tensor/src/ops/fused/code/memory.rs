//! Memory that code is in, and calls of it.

use memmap2::{Mmap, MmapMut};

/// Operands of a chain that there is code for: what it reads, and the result.
pub(super) const OPERANDS: usize = 16;

/// Values of a chain that is made code, at most.
pub(super) const VALUES: usize = 600;

/// A function, and the constants that it is called with.
pub(super) struct Function {
    pub(super) code: Vec<u8>,
    pub(super) constants: Vec<u32>,
}

/// What code is called with. Its fields are where [`super::frame`] looks for them.
#[repr(C)]
#[derive(Debug, Default)]
pub(in super::super) struct Call {
    pub(super) rows: usize,
    /// At least one.
    pub(super) columns: usize,
    /// Pieces of so many rows and columns that go through one after the other, at least one; the code counts them down.
    pub(super) pieces: usize,
    /// The constants of the code.
    pub(super) constants: usize,
    /// What the processor is to do with subnormal numbers, and what it does elsewhere.
    #[cfg(target_arch = "x86_64")]
    pub(super) control: u32,
    #[cfg(target_arch = "x86_64")]
    pub(super) usual: u32,
    /// Less how many columns go through at once, where they are fewer than lanes; else zero. For machines without masks.
    #[cfg(target_arch = "x86_64")]
    pub(super) part: isize,
    /// The first element of each operand, the result last; the code moves them on.
    pub(super) addresses: [usize; OPERANDS],
    /// Bytes from one row to the next.
    pub(super) pitches: [isize; OPERANDS],
    /// Bytes from one piece to the next: from the last row of the one to the first of the other, or, where rows are added up, from first
    /// to first.
    pub(super) steps: [isize; OPERANDS],
    /// What is asked for while the elements at the addresses are computed.
    pub(super) ahead: [usize; OPERANDS],
}

/// Constants as code finds them: where a line of the caches begins.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Line([u32; 16]);

impl Line {
    /// Numbers one after the other.
    pub(super) fn lines(numbers: &[u32]) -> Box<[Line]> {
        let line = |part: &[u32]| {
            let mut line = Line([0; 16]);
            line.0[..part.len()].copy_from_slice(part);
            line
        };
        numbers.chunks(16).map(line).collect()
    }
}

/// Rounds to nearest, without exceptions, and takes subnormal operands for zeros (results stay as they are).
#[cfg(target_arch = "x86_64")]
pub(super) const CONTROL: u32 = 0x1fc0;
/// What the processor does while everything else runs: Rust takes for granted that nobody changes it. To ask the processor takes as
/// long as to compute a hundred elements.
#[cfg(target_arch = "x86_64")]
pub(super) const USUAL: u32 = 0x1f80;

/// Bytes that can be executed.
#[derive(Debug)]
pub(super) struct Executable {
    memory: Mmap,
}

impl Executable {
    /// Puts code into memory; none where the system does not let it be executed. It is written first, and executable then.
    pub(super) fn new(code: &[u8]) -> Option<Executable> {
        let mut memory = MmapMut::map_anon(code.len()).ok()?;
        memory.copy_from_slice(code);
        #[cfg(target_arch = "aarch64")]
        become_instructions(&memory);
        Some(Executable { memory: memory.make_exec().ok()? })
    }

    /// Runs the code.
    ///
    /// # Safety
    /// The bytes are a function that [`super::frame`] made, the processor has the instructions that it is made of, and all rows
    /// of all operands lie in memory that may be read, and in the case of the last one written, by nobody else.
    #[expect(unsafe_code, reason = "what is called was made when the program ran")]
    pub(super) unsafe fn call(&self, call: &mut Call) {
        // The function follows this convention on every system, and keeps all that it has to keep.
        #[cfg(target_arch = "x86_64")]
        let function: unsafe extern "sysv64" fn(*mut Call) = unsafe { std::mem::transmute(self.memory.as_ptr()) };
        #[cfg(target_arch = "aarch64")]
        let function: unsafe extern "C" fn(*mut Call) = unsafe { std::mem::transmute(self.memory.as_ptr()) };
        unsafe { function(call) };
    }
}

/// Has what was written be what is executed: a processor keeps instructions in a cache of their own, which does not see writes.
#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "there is no other way to say so")]
fn become_instructions(memory: &[u8]) {
    use std::arch::asm;
    let (start, end) = (memory.as_ptr() as usize, memory.as_ptr() as usize + memory.len());
    // Reading the sizes of lines, writing lines back and forgetting them changes nothing that a program can see.
    unsafe {
        let sizes: usize;
        asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags));
        let (data, instructions) = (4 << (sizes >> 16 & 15), 4 << (sizes & 15));
        for line in (start & !(data - 1)..end).step_by(data) {
            asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        asm!("dsb ish", options(nostack, preserves_flags));
        for line in (start & !(instructions - 1)..end).step_by(instructions) {
            asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}
