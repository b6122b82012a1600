//! Values as instructions: in which registers their operands are, and their results.
//!
//! Values come in an order that is given, each once. One that finds no register takes that of the value that is needed last, which
//! waits in memory then. Constants are operands in memory, or stay in registers where there are enough.

use super::assembler::{Assembler, Source, at};
use super::graph::{Graph, Id, Op};
use super::instructions::{binary, multiply_add, unary};
use iced_x86::{Code, Register};

/// Elements that are computed together.
pub(super) const LANES: usize = 16;
/// Bytes of a register.
const WIDTH: i64 = 64;
/// Registers of lanes that values are in.
pub(super) const VECTORS: usize = 31;
/// The one that is left is for bytes on their way to masks and back.
pub(super) const BYTES: Register = Register::XMM31;
/// The mask of the columns that there are; masks of values are above it.
pub(super) const COLUMNS: Register = Register::K1;
const MASKS: std::ops::Range<usize> = 2..8;

/// The argument of the function.
pub(super) const CALL: Register = Register::RDI;
/// The constants.
pub(super) const CONSTANTS: Register = Register::RSI;
/// The column.
pub(super) const COLUMN: Register = Register::RAX;
/// What is needed for a moment.
pub(super) const SCRATCH: Register = Register::R11;

/// How an operand that is read lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The register of its address, or where the address is in the argument.
    pub(super) address: Result<Register, i64>,
    /// Bytes of an element.
    pub(super) size: u32,
    /// Whether one element meets all of a row.
    pub(super) is_one: bool,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    register: Option<usize>,
    slot: Option<usize>,
    /// Whether the register is its own as long as the code runs.
    stays: bool,
}

/// Instructions for values.
pub(super) struct Emitter<'a> {
    pub(super) graph: &'a Graph,
    pub(super) operands: &'a [Operand],
    pub(super) assembler: Assembler,
    /// The constants, as the code finds them.
    pub(super) constants: Vec<u32>,
    places: Vec<Place>,
    /// Positions in the order that is emitted at which a value is needed, the last one first.
    uses: Vec<Vec<usize>>,
    vectors: [Option<Id>; VECTORS],
    masks: [Option<Id>; 8],
    /// Values whose registers may not be taken now.
    pinned: Vec<Id>,
    pub(super) slots: usize,
    /// Whether registers did not suffice for one instruction.
    pub(super) failed: bool,
}

pub(super) fn vector(register: usize) -> Register {
    Register::ZMM0 + register as u32
}

/// The half of a register.
pub(super) fn half(register: Register) -> Register {
    Register::YMM0 + (register as u32 - Register::ZMM0 as u32)
}

pub(super) fn mask(register: usize) -> Register {
    Register::K0 + register as u32
}

impl<'a> Emitter<'a> {
    pub(super) fn new(graph: &'a Graph, operands: &'a [Operand]) -> Emitter<'a> {
        Emitter {
            graph,
            operands,
            assembler: Assembler::new(),
            constants: Vec::new(),
            places: vec![Place::default(); graph.nodes.len()],
            uses: vec![Vec::new(); graph.nodes.len()],
            vectors: [None; VECTORS],
            masks: [None; 8],
            pinned: Vec::new(),
            slots: 0,
            failed: false,
        }
    }

    /// Has a constant stay in a register.
    pub(super) fn keep_constant(&mut self, id: Id, register: usize) {
        let one = self.constant(id);
        self.assembler.load(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, vector(register), one);
        self.keep(id, register);
    }

    /// Has a value that waits in memory stay in a register.
    pub(super) fn keep_value(&mut self, id: Id, register: usize) {
        if let Some(slot) = self.places[id].slot {
            self.assembler.load(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, vector(register), slot_at(slot));
            self.keep(id, register);
        }
    }

    fn keep(&mut self, id: Id, register: usize) {
        self.vectors[register] = Some(id);
        self.places[id].register = Some(register);
        self.places[id].stays = true;
    }

    /// Emits values, each after those that it follows from. Those that `leave` are written to memory, and stay there.
    pub(super) fn values(&mut self, order: &[Id], result: Option<Id>, leave: impl Fn(Id) -> bool) {
        self.uses.iter_mut().for_each(Vec::clear);
        if let Some(result) = result {
            self.uses[result].push(order.len());
        }
        for (position, &id) in order.iter().enumerate().rev() {
            for &arg in self.graph.nodes[id].args() {
                self.uses[arg].push(position);
            }
        }
        for (position, &id) in order.iter().enumerate() {
            self.value(id, position);
            if leave(id) {
                self.spill(id);
            }
            if self.uses[id].is_empty() {
                self.release(id);
            }
        }
        if result.is_none() {
            // What comes next finds its operands in memory.
            self.release_all();
        }
    }

    /// Bytes of a constant.
    fn constant(&mut self, id: Id) -> iced_x86::MemoryOperand {
        let Op::Constant(bits) = self.graph.nodes[id].op else {
            self.failed = true;
            return at(CONSTANTS, 0);
        };
        self.bits(bits)
    }

    /// Where the bits of a constant are in memory.
    fn bits(&mut self, bits: u32) -> iced_x86::MemoryOperand {
        let place = self.constants.iter().position(|&known| known == bits).unwrap_or_else(|| {
            self.constants.push(bits);
            self.constants.len() - 1
        });
        at(CONSTANTS, 4 * place as i64)
    }

    fn release(&mut self, id: Id) {
        let place = self.places[id];
        if let (Some(register), false) = (place.register, place.stays) {
            self.places[id].register = None;
            if self.graph.nodes[id].op.is_mask() {
                self.masks[register] = None;
            } else {
                self.vectors[register] = None;
            }
        }
    }

    /// Writes a value to memory, if it is not there.
    fn spill(&mut self, id: Id) {
        let place = self.places[id];
        if let (Some(register), None) = (place.register, place.slot) {
            let slot = self.slots;
            self.slots += 1;
            self.places[id].slot = Some(slot);
            match self.graph.nodes[id].op.is_mask() {
                true => self.assembler.store(Code::VEX_Kmovw_m16_kr, slot_at(slot), mask(register)),
                false => self.assembler.store(Code::EVEX_Vmovaps_zmmm512_k1z_zmm, slot_at(slot), vector(register)),
            }
        }
    }

    /// Nobody needs any value any more.
    pub(super) fn release_all(&mut self) {
        self.pinned.clear();
        for id in 0..self.places.len() {
            self.release(id);
        }
    }

    fn registers(&self, is_mask: bool) -> impl Iterator<Item = (usize, Option<Id>)> + '_ {
        let (registers, range) = if is_mask { (&self.masks[..], MASKS) } else { (&self.vectors[..], 0..VECTORS) };
        range.map(|register| (register, registers[register]))
    }

    /// A register that holds nothing.
    fn free(&self, is_mask: bool) -> Option<usize> {
        self.registers(is_mask).find(|(_, id)| id.is_none()).map(|(register, _)| register)
    }

    /// The register of the value that is needed last.
    fn victim(&self, is_mask: bool) -> Option<(usize, Id)> {
        self.registers(is_mask)
            .filter_map(|(register, id)| Some((register, id?)))
            .filter(|(_, id)| !self.pinned.contains(id) && !self.places[*id].stays)
            .max_by_key(|(_, id)| self.uses[*id].last().copied().unwrap_or(usize::MAX))
    }

    /// A register for a value.
    pub(super) fn register(&mut self, id: Id) -> usize {
        let is_mask = self.graph.nodes[id].op.is_mask();
        let register = match self.free(is_mask) {
            Some(free) => Some(free),
            None => self.victim(is_mask).map(|(register, victim)| {
                self.spill(victim);
                self.release(victim);
                register
            }),
        };
        let Some(register) = register else {
            self.failed = true;
            return if is_mask { 2 } else { 0 };
        };
        if is_mask {
            self.masks[register] = Some(id);
        } else {
            self.vectors[register] = Some(id);
        }
        self.places[id].register = Some(register);
        register
    }

    /// An operand in a register.
    pub(super) fn in_register(&mut self, id: Id) -> Register {
        self.pinned.push(id);
        let is_mask = self.graph.nodes[id].op.is_mask();
        let register = match (self.places[id].register, self.places[id].slot) {
            (Some(register), _) => register,
            (None, Some(slot)) => {
                let register = self.register(id);
                match is_mask {
                    true => self.assembler.load(Code::VEX_Kmovw_kr_km16, mask(register), slot_at(slot)),
                    false => self.assembler.load(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, vector(register), slot_at(slot)),
                }
                register
            }
            (None, None) => {
                let one = self.constant(id);
                let register = self.register(id);
                self.assembler.load(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, vector(register), one);
                register
            }
        };
        if is_mask { mask(register) } else { vector(register) }
    }

    /// An operand in a register or in memory.
    fn source(&mut self, id: Id) -> Source {
        match (self.places[id].register, self.places[id].slot) {
            (Some(register), _) => {
                self.pinned.push(id);
                Source::Register(vector(register))
            }
            (None, Some(slot)) => Source::Memory(slot_at(slot)),
            (None, None) => Source::One(self.constant(id)),
        }
    }

    fn is_in_register(&self, id: Id) -> bool {
        self.places[id].register.is_some()
    }

    /// Operands of a value have been read: those that nobody needs any more leave their registers.
    fn used(&mut self, id: Id, position: usize) {
        for &arg in self.graph.nodes[id].args() {
            while self.uses[arg].last() == Some(&position) {
                self.uses[arg].pop();
            }
            // A constant that was brought to a register for this is brought again.
            let is_constant = matches!(self.graph.nodes[arg].op, Op::Constant(_));
            if self.uses[arg].is_empty() || is_constant {
                self.release(arg);
            }
        }
        self.pinned.clear();
    }

    /// Whether a value is not needed after this position, and its register is free for the result.
    fn ends(&self, id: Id, position: usize) -> bool {
        let is_constant = matches!(self.graph.nodes[id].op, Op::Constant(_));
        !self.places[id].stays
            && self.is_in_register(id)
            && (is_constant || self.uses[id].iter().all(|&use_of| use_of == position))
    }

    fn value(&mut self, id: Id, position: usize) {
        let node = self.graph.nodes[id];
        match (node.op, node.args()) {
            (Op::Constant(_), _) => {}
            (Op::Read(read), _) => self.read(id, read),
            (Op::ReadHalf(read), _) => self.read_half(id, read),
            (Op::ReadTruth(read), _) => self.read_truth(id, read),
            (Op::MultiplyAdd { negates_product, subtracts }, &[a, b, c]) => {
                self.multiply_add(id, position, (a, b, c), multiply_add(negates_product, subtracts));
            }
            (Op::Flush, &[x]) => {
                // A product flushes its operands.
                let x = self.in_register(x);
                self.used(id, position);
                let one = Source::One(self.bits(1f32.to_bits()));
                let to = vector(self.register(id));
                let code = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
                let instruction = self.assembler.lanes(code, to, Some(x), one, None);
                self.assembler.add(instruction);
            }
            (Op::ToHalf, &[x]) => {
                let x = self.in_register(x);
                self.used(id, position);
                let to = half(vector(self.register(id)));
                let code = Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae;
                let instruction = self.assembler.lanes(code, to, None, Source::Register(x), Some(0));
                self.assembler.add(instruction);
            }
            (Op::FromHalf, &[x]) => {
                let x = half(self.in_register(x));
                self.used(id, position);
                let to = vector(self.register(id));
                self.assembler.two(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, to, x);
            }
            (Op::Choose, &[which, yes, no]) => {
                let which = self.in_register(which);
                let no = self.in_register(no);
                let yes = self.source(yes);
                self.used(id, position);
                let to = vector(self.register(id));
                let code = Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32;
                let instruction = self.assembler.lanes(code, to, Some(no), yes, None).map(|mut instruction| {
                    instruction.set_op_mask(which);
                    instruction
                });
                self.assembler.add(instruction);
            }
            (Op::NotMask, &[x]) => {
                let x = self.in_register(x);
                self.used(id, position);
                let to = mask(self.register(id));
                self.assembler.two(Code::VEX_Knotw_kr_kr, to, x);
            }
            (Op::AndMask | Op::OrMask | Op::XorMask | Op::AndNotMask, &[x, y]) => {
                let code = match node.op {
                    Op::AndMask => Code::VEX_Kandw_kr_kr_kr,
                    Op::OrMask => Code::VEX_Korw_kr_kr_kr,
                    Op::XorMask => Code::VEX_Kxorw_kr_kr_kr,
                    _ => Code::VEX_Kandnw_kr_kr_kr,
                };
                let (x, y) = (self.in_register(x), self.in_register(y));
                self.used(id, position);
                let to = mask(self.register(id));
                let instruction = self.assembler.lanes(code, to, Some(x), Source::Register(y), None);
                self.assembler.add(instruction);
            }
            (op, &[x, y]) => {
                let Some((code, number)) = binary(op) else {
                    self.failed = true;
                    return;
                };
                let changes = op.commutes() && !self.is_in_register(x) && self.is_in_register(y);
                let (x, y) = if changes { (y, x) } else { (x, y) };
                let x = self.in_register(x);
                let y = self.source(y);
                self.used(id, position);
                let register = self.register(id);
                let to = if op.is_mask() { mask(register) } else { vector(register) };
                let instruction = self.assembler.lanes(code, to, Some(x), y, number);
                self.assembler.add(instruction);
            }
            (op, &[x]) => {
                let Some((code, number)) = unary(op) else {
                    self.failed = true;
                    return;
                };
                let x = self.source(x);
                self.used(id, position);
                let to = vector(self.register(id));
                let instruction = self.assembler.lanes(code, to, None, x, number);
                self.assembler.add(instruction);
            }
            _ => self.failed = true,
        }
    }

    fn multiply_add(&mut self, id: Id, position: usize, (a, b, c): (Id, Id, Id), codes: [Code; 3]) {
        // The result takes the place of an operand that nobody needs afterwards, or of a copy.
        let [with_factor, with_sum, of_sum] = codes;
        let (a, b) = if self.ends(b, position) && !self.ends(a, position) { (b, a) } else { (a, b) };
        let (a, b) = if !self.is_in_register(a) && self.is_in_register(b) { (b, a) } else { (a, b) };
        let (code, own, first, last) = if self.ends(a, position) {
            // One of the others may be in memory.
            match self.is_in_register(b) {
                true => (with_sum, a, b, c),
                false => (with_factor, a, c, b),
            }
        } else if self.ends(c, position) {
            (of_sum, c, a, b)
        } else if self.is_in_register(b) || !self.is_in_register(c) {
            (with_sum, a, b, c)
        } else {
            (of_sum, c, a, b)
        };
        let own_register = self.in_register(own);
        let first = self.in_register(first);
        let last = self.source(last);
        let takes = self.ends(own, position);
        if takes {
            let register = self.places[own].register.unwrap_or_default();
            self.used(id, position);
            // (It was released just now.)
            self.vectors[register] = Some(id);
            self.places[id].register = Some(register);
            let instruction = self.assembler.lanes(code, vector(register), Some(first), last, None);
            self.assembler.add(instruction);
            return;
        }
        // Before any operand is released: the copy may not take the place of another operand.
        let to = vector(self.register(id));
        self.assembler.two(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, to, own_register);
        let instruction = self.assembler.lanes(code, to, Some(first), last, None);
        self.assembler.add(instruction);
        self.used(id, position);
    }
}

/// Where a value waits.
fn slot_at(slot: usize) -> iced_x86::MemoryOperand {
    at(Register::RSP, slot as i64 * WIDTH)
}
