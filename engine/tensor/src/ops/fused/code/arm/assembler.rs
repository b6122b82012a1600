//! Instructions of 64-bit Arm one after the other: each is 32 bits, with registers in fixed places.

/// A general register, by its number.
pub(super) type Word = u32;

/// The stack's, and the one that is always zero.
pub(super) const STACK: Word = 31;

/// Instructions over lanes: of two registers, or three where the second operand's bits are zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes(pub(super) u32);

/// A condition of a jump.
#[derive(Clone, Copy, Debug)]
pub(super) enum If {
    Equal = 0,
    NotBelow = 2,
    Below = 3,
}

/// A place that a jump further ahead goes to.
pub(super) struct Ahead(usize);

/// Instructions in the making. What cannot be said in one is noticed at the end.
#[derive(Default)]
pub(super) struct Assembler {
    code: Vec<u32>,
    failed: bool,
}

impl Assembler {
    pub(super) fn here(&self) -> usize {
        self.code.len()
    }

    pub(super) fn add(&mut self, instruction: u32) {
        self.code.push(instruction);
    }

    /// Over lanes, of one operand.
    pub(super) fn unary(&mut self, Lanes(code): Lanes, to: usize, x: usize) {
        self.add(code | (x as u32) << 5 | to as u32);
    }

    /// Over lanes, of two operands.
    pub(super) fn binary(&mut self, Lanes(code): Lanes, to: usize, x: usize, y: usize) {
        self.add(code | (y as u32) << 16 | (x as u32) << 5 | to as u32);
    }

    /// Moves a register of lanes, or a part of it, from or to memory; `size` is the part's bytes.
    pub(super) fn lanes_at(&mut self, code: u32, register: usize, base: Word, bytes: usize, size: usize) {
        self.failed |= !bytes.is_multiple_of(size) || bytes / size >= 1 << 12;
        self.add(code | ((bytes / size) as u32 & 0xfff) << 10 | base << 5 | register as u32);
    }

    pub(super) fn load(&mut self, to: Word, base: Word, bytes: i64) {
        self.add(0xf940_0000 | (bytes as u32 / 8) << 10 | base << 5 | to);
    }

    pub(super) fn store(&mut self, from: Word, base: Word, bytes: i64) {
        self.add(0xf900_0000 | (bytes as u32 / 8) << 10 | base << 5 | from);
    }

    /// `to = x + (y << places)`
    pub(super) fn sum(&mut self, to: Word, x: Word, y: Word, places: u32) {
        self.add(0x8b00_0000 | y << 16 | places << 10 | x << 5 | to);
    }

    pub(super) fn plus(&mut self, to: Word, x: Word, number: u32) {
        self.failed |= number >= 1 << 12;
        self.add(0x9100_0000 | (number & 0xfff) << 10 | x << 5 | to);
    }

    /// `to = x - number`, which decides jumps.
    pub(super) fn minus(&mut self, to: Word, x: Word, number: u32) {
        self.add(0xf100_0000 | number << 10 | x << 5 | to);
    }

    /// Moves the stack.
    pub(super) fn stack(&mut self, is_given_back: bool, bytes: u32) {
        self.failed |= bytes >= 1 << 12;
        let code = if is_given_back { 0x9100_0000 } else { 0xd100_0000 };
        self.add(code | (bytes & 0xfff) << 10 | STACK << 5 | STACK);
    }

    pub(super) fn number(&mut self, to: Word, number: u32) {
        self.add(0xd280_0000 | number << 5 | to);
    }

    pub(super) fn jump_ahead(&mut self) -> Ahead {
        self.add(0x1400_0000);
        Ahead(self.here() - 1)
    }

    pub(super) fn jump_ahead_if(&mut self, condition: If) -> Ahead {
        self.add(0x5400_0000 | condition as u32);
        Ahead(self.here() - 1)
    }

    pub(super) fn jump_ahead_if_some(&mut self, register: Word) -> Ahead {
        self.add(0xb500_0000 | register);
        Ahead(self.here() - 1)
    }

    /// Has a jump ahead come here.
    pub(super) fn land(&mut self, Ahead(from): Ahead) {
        self.reach(from, self.here());
    }

    pub(super) fn jump_back(&mut self, to: usize) {
        self.add(0x1400_0000);
        self.reach(self.here() - 1, to);
    }

    pub(super) fn jump_back_if(&mut self, condition: If, to: usize) {
        self.add(0x5400_0000 | condition as u32);
        self.reach(self.here() - 1, to);
    }

    fn reach(&mut self, from: usize, to: usize) {
        let distance = to as i64 - from as i64;
        self.failed |= distance.abs() >= 1 << 18;
        let code = &mut self.code[from];
        // Jumps without a condition have more room.
        *code |= match *code >> 26 {
            0b00_0101 => distance as u32 & 0x03ff_ffff,
            _ => (distance as u32 & 0x7_ffff) << 5,
        };
    }

    /// The bytes; none if something could not be encoded.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        (!self.failed).then(|| self.code.iter().flat_map(|code| code.to_le_bytes()).collect())
    }
}
