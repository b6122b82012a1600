//! Instructions one after the other, with the few jumps of a loop.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Last {
    Register(Register),
    /// All lanes of memory.
    Memory(MemoryOperand),
    /// One lane of memory for all.
    One(MemoryOperand),
}

/// What is at a register, and so many bytes further.
pub(super) fn at(base: Register, displacement: i64) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, displacement)
}

/// The element of an array so many further than the number that a register holds.
pub(super) fn element(base: Register, index: Register, size: u32, further: u32) -> MemoryOperand {
    let displacement = i64::from(size * further);
    MemoryOperand::with_base_index_scale_displ_size(base, index, size, displacement, u32::from(further != 0))
}

/// A place that a jump further ahead goes to.
pub(super) struct Ahead(usize);

/// Bytes of code in the making. What cannot be encoded is noticed at the end.
pub(super) struct Assembler {
    encoder: Encoder,
    length: usize,
    /// Bytes that are changed at the end: where, and to what.
    patches: Vec<(usize, i32)>,
    failed: Option<IcedError>,
}

impl Assembler {
    pub(super) fn new() -> Assembler {
        Assembler { encoder: Encoder::new(64), length: 0, patches: Vec::new(), failed: None }
    }

    /// Where the next instruction will be.
    pub(super) fn here(&self) -> usize {
        self.length
    }

    /// Adds an instruction.
    pub(super) fn add(&mut self, instruction: Result<Instruction, IcedError>) {
        match instruction.and_then(|instruction| self.encoder.encode(&instruction, self.length as u64)) {
            Ok(length) => self.length += length,
            Err(error) => self.failed = Some(error),
        }
    }

    /// An instruction of one operand.
    pub(super) fn one(&mut self, code: Code, operand: Register) {
        self.add(Instruction::with1(code, operand));
    }

    /// An instruction of one operand in memory.
    pub(super) fn memory(&mut self, code: Code, operand: MemoryOperand) {
        self.add(Instruction::with1(code, operand));
    }

    /// An instruction that goes from a register to a register.
    pub(super) fn two(&mut self, code: Code, to: Register, from: Register) {
        self.add(Instruction::with2(code, to, from));
    }

    pub(super) fn load(&mut self, code: Code, to: Register, from: MemoryOperand) {
        self.add(Instruction::with2(code, to, from));
    }

    pub(super) fn store(&mut self, code: Code, to: MemoryOperand, from: Register) {
        self.add(Instruction::with2(code, to, from));
    }

    pub(super) fn number(&mut self, code: Code, register: Register, number: i32) {
        self.add(Instruction::with2(code, register, number));
    }

    /// An instruction over lanes: a result, up to one operand in a register before the last one, and a number that says more.
    pub(super) fn lanes(&mut self, code: Code, to: Register, first: Option<Register>, last: Last, number: Option<u8>) {
        let number = number.map(u32::from);
        let instruction = match (first, last, number) {
            (None, Last::Register(x), None) => Instruction::with2(code, to, x),
            (None, Last::Memory(x) | Last::One(x), None) => Instruction::with2(code, to, x),
            (None, Last::Register(x), Some(number)) => Instruction::with3(code, to, x, number),
            (None, Last::Memory(x) | Last::One(x), Some(number)) => Instruction::with3(code, to, x, number),
            (Some(first), Last::Register(x), None) => Instruction::with3(code, to, first, x),
            (Some(first), Last::Memory(x) | Last::One(x), None) => Instruction::with3(code, to, first, x),
            (Some(first), Last::Register(x), Some(number)) => Instruction::with4(code, to, first, x, number),
            (Some(first), Last::Memory(x) | Last::One(x), Some(number)) => {
                Instruction::with4(code, to, first, x, number)
            }
        };
        self.add(instruction.map(|mut instruction| {
            instruction.set_is_broadcast(matches!(last, Last::One(_)));
            instruction
        }));
    }

    /// An instruction over lanes under a mask.
    pub(super) fn lanes_where(&mut self, mask: Register, code: Code, to: Register, first: Register, last: Last) {
        let instruction = match last {
            Last::Register(x) => Instruction::with3(code, to, first, x),
            Last::Memory(x) | Last::One(x) => Instruction::with3(code, to, first, x),
        };
        self.add(instruction.map(|mut instruction| {
            instruction.set_op_mask(mask);
            instruction.set_is_broadcast(matches!(last, Last::One(_)));
            instruction
        }));
    }

    /// A jump to an instruction that is there already.
    pub(super) fn jump_back(&mut self, code: Code, to: usize) {
        self.add(Instruction::with_branch(code, to as u64));
    }

    /// A jump to an instruction that is to come.
    pub(super) fn jump_ahead(&mut self, code: Code) -> Ahead {
        self.add(Instruction::with_branch(code, self.length as u64));
        Ahead(self.length)
    }

    /// Has a jump ahead come here.
    pub(super) fn land(&mut self, jump: Ahead) {
        // The distance is the last of the jump's bytes.
        self.patches.push((jump.0 - 4, (self.length - jump.0) as i32));
    }

    /// Replaces the number at the end of the instruction that was added last.
    pub(super) fn number_later(&self) -> usize {
        self.length - 4
    }

    /// See [`Assembler::number_later`].
    pub(super) fn set_number(&mut self, place: usize, number: i32) {
        self.patches.push((place, number));
    }

    /// The bytes; none if something could not be encoded.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        if self.failed.is_some() {
            return None;
        }
        let mut bytes = self.encoder.take_buffer();
        for (place, number) in self.patches {
            bytes.get_mut(place..place + 4)?.copy_from_slice(&number.to_le_bytes());
        }
        Some(bytes)
    }
}
