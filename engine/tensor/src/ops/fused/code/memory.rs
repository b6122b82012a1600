//! Memory that code is in, and calls of it.

use memmap2::{Mmap, MmapMut};

/// Operands of a chain that there is code for: what it reads, and the result.
pub(super) const OPERANDS: usize = 16;

/// What code is called with. Its fields are where [`super::frame`] looks for them.
#[repr(C)]
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) rows: usize,
    /// At least one.
    pub(super) columns: usize,
    /// The constants of the code.
    pub(super) constants: usize,
    /// What the processor is to do with subnormal numbers, and where it is kept what it did before.
    pub(super) control: u32,
    pub(super) kept: u32,
    /// The first element of each operand, the result last; the code moves them on.
    pub(super) addresses: [usize; OPERANDS],
    /// Bytes from one row to the next.
    pub(super) pitches: [isize; OPERANDS],
    /// What is asked for while the elements at the addresses are computed.
    pub(super) ahead: [usize; OPERANDS],
}

/// Rounds to nearest, without exceptions, and takes subnormal operands for zeros (results stay as they are).
pub(super) const CONTROL: u32 = 0x1fc0;

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
        let function: unsafe extern "sysv64" fn(*mut Call) = unsafe { std::mem::transmute(self.memory.as_ptr()) };
        unsafe { function(call) };
    }
}
