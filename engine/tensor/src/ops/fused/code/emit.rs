//! Values as instructions: in which registers their operands are, and their results.
//!
//! Values come in an order that is given, each once. One that finds no register takes that of the value that is needed last, which
//! waits in memory then. Constants are operands in memory, or stay in registers where there are enough.

use super::graph::{Graph, Id, Op};
use super::machine::{Bank, Form, Machine, Operand, Signs, Source};

/// Where a value is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    register: Option<usize>,
    slot: Option<usize>,
    /// Whether the register is its own as long as the code runs.
    stays: bool,
}

/// Instructions for values, of one kind of processor.
pub(super) struct Emitter<'a, M> {
    pub(super) graph: &'a Graph,
    pub(super) operands: &'a [Operand],
    pub(super) machine: M,
    /// The constants, by their numbers.
    pub(super) constants: Vec<u32>,
    places: Vec<Place>,
    /// Positions in the order that is emitted at which a value is needed, the last one first.
    uses: Vec<Vec<usize>>,
    vectors: Vec<Option<Id>>,
    masks: Vec<Option<Id>>,
    /// Values whose registers may not be taken now.
    pinned: Vec<Id>,
    /// Registers of lanes that no value gets.
    reserved: Vec<usize>,
    pub(super) slots: usize,
    /// Whether registers did not suffice for one instruction, or there was none.
    pub(super) failed: bool,
}

impl<'a, M: Machine> Emitter<'a, M> {
    pub(super) fn new(graph: &'a Graph, operands: &'a [Operand]) -> Emitter<'a, M> {
        Emitter {
            graph,
            operands,
            machine: M::new(),
            constants: Vec::new(),
            places: vec![Place::default(); graph.nodes.len()],
            uses: vec![Vec::new(); graph.nodes.len()],
            vectors: vec![None; M::VECTORS],
            masks: vec![None; M::MASKS.end],
            pinned: Vec::new(),
            reserved: Vec::new(),
            slots: 0,
            failed: false,
        }
    }

    fn bank(&self, id: Id) -> Bank {
        M::bank(self.graph.nodes[id].op)
    }

    /// Which values the registers hold.
    fn held(&mut self, bank: Bank) -> &mut [Option<Id>] {
        match bank {
            Bank::Vectors => &mut self.vectors,
            Bank::Masks => &mut self.masks,
        }
    }

    /// Has a constant stay in a register.
    pub(super) fn keep_constant(&mut self, id: Id, register: usize) {
        let number = self.constant(id);
        self.machine.constant(register, number);
        self.keep(id, register);
    }

    /// Has a value that is in a register or waits in memory stay in a register of its own.
    pub(super) fn keep_value(&mut self, id: Id, register: usize) {
        if let Some(other) = self.vectors[register].filter(|&other| other != id) {
            self.spill(other);
            self.release(other);
        }
        match (self.places[id].register, self.places[id].slot) {
            (Some(from), _) if from == register => {}
            (Some(from), _) => {
                self.machine.copy(register, from);
                self.release(id);
            }
            (None, Some(slot)) => self.machine.fill(Bank::Vectors, register, slot),
            (None, None) => return,
        }
        self.keep(id, register);
    }

    /// Forgets where values are that were emitted before, but for constants that stay in registers: they are emitted once more, for
    /// other columns.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn afresh(&mut self, constants: &[Id]) {
        for (id, place) in self.places.iter_mut().enumerate() {
            if !constants.contains(&id) {
                *place = Place::default();
            }
        }
        for held in self.vectors.iter_mut().chain(&mut self.masks) {
            held.take_if(|id| !constants.contains(id));
        }
        self.reserved.clear();
    }

    /// Has a register hold zeros, and no value get it.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn clear(&mut self, register: usize) {
        let number = self.bits(0);
        self.machine.constant(register, number);
        self.reserved.push(register);
    }

    fn keep(&mut self, id: Id, register: usize) {
        self.vectors[register] = Some(id);
        self.places[id].register = Some(register);
        self.places[id].stays = true;
    }

    /// Emits values, each after those that it follows from. Those that `leave` are written to memory, and stay there. Results
    /// are needed afterwards.
    pub(super) fn values(&mut self, order: &[Id], results: &[Id], leave: impl Fn(Id) -> bool) {
        self.uses.iter_mut().for_each(Vec::clear);
        results.iter().for_each(|&result| self.uses[result].push(order.len()));
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
        if results.is_empty() {
            // What comes next finds its operands in memory.
            self.release_all();
        }
    }

    /// The number of a constant.
    fn constant(&mut self, id: Id) -> usize {
        let Op::Constant(bits) = self.graph.nodes[id].op else {
            self.failed = true;
            return 0;
        };
        self.bits(bits)
    }

    /// The number of the constant with these bits.
    pub(super) fn bits(&mut self, bits: u32) -> usize {
        self.constants.iter().position(|&known| known == bits).unwrap_or_else(|| {
            self.constants.push(bits);
            self.constants.len() - 1
        })
    }

    fn release(&mut self, id: Id) {
        let place = self.places[id];
        if let (Some(register), false) = (place.register, place.stays) {
            self.places[id].register = None;
            let bank = self.bank(id);
            self.held(bank)[register] = None;
        }
    }

    /// Writes a value to memory, if it is not there.
    fn spill(&mut self, id: Id) {
        let place = self.places[id];
        if let (Some(register), None) = (place.register, place.slot) {
            let slot = self.slots;
            self.slots += 1;
            self.places[id].slot = Some(slot);
            self.machine.spill(self.bank(id), register, slot);
        }
    }

    /// Nobody needs any value any more.
    pub(super) fn release_all(&mut self) {
        self.pinned.clear();
        for id in 0..self.places.len() {
            self.release(id);
        }
    }

    fn registers(&self, bank: Bank) -> impl Iterator<Item = (usize, Option<Id>)> + '_ {
        let (held, range) = match bank {
            Bank::Vectors => (&self.vectors, 0..M::VECTORS),
            Bank::Masks => (&self.masks, M::MASKS),
        };
        let reserved: &[usize] = if bank == Bank::Vectors { &self.reserved } else { &[] };
        range.filter(|register| !reserved.contains(register)).map(|register| (register, held[register]))
    }

    /// A register that holds nothing.
    fn free(&self, bank: Bank) -> Option<usize> {
        self.registers(bank).find(|(_, id)| id.is_none()).map(|(register, _)| register)
    }

    /// The register of the value that is needed last.
    fn victim(&self, bank: Bank) -> Option<(usize, Id)> {
        self.registers(bank)
            .filter_map(|(register, id)| Some((register, id?)))
            .filter(|(_, id)| !self.pinned.contains(id) && !self.places[*id].stays)
            .max_by_key(|(_, id)| self.uses[*id].last().copied().unwrap_or(usize::MAX))
    }

    /// A register for a value.
    pub(super) fn register(&mut self, id: Id) -> usize {
        let bank = self.bank(id);
        let register = match self.free(bank) {
            Some(free) => Some(free),
            None => self.victim(bank).map(|(register, victim)| {
                self.spill(victim);
                self.release(victim);
                register
            }),
        };
        let Some(register) = register else {
            self.failed = true;
            return self.registers(bank).next().map_or(0, |(register, _)| register);
        };
        self.held(bank)[register] = Some(id);
        self.places[id].register = Some(register);
        register
    }

    /// An operand in a register.
    pub(super) fn in_register(&mut self, id: Id) -> usize {
        self.pinned.push(id);
        match (self.places[id].register, self.places[id].slot) {
            (Some(register), _) => register,
            (None, Some(slot)) => {
                let register = self.register(id);
                self.machine.fill(self.bank(id), register, slot);
                register
            }
            (None, None) => {
                let number = self.constant(id);
                let register = self.register(id);
                self.machine.constant(register, number);
                register
            }
        }
    }

    /// An operand in a register or in memory.
    fn source(&mut self, id: Id) -> Source {
        match (self.places[id].register, self.places[id].slot) {
            (Some(register), _) => {
                self.pinned.push(id);
                Source::Register(register)
            }
            (None, Some(slot)) => Source::Slot(slot),
            (None, None) => Source::Constant(self.constant(id)),
        }
    }

    /// The last operand of an operation.
    fn last(&mut self, op: Op, id: Id) -> Source {
        if M::takes_memory(op) { self.source(id) } else { Source::Register(self.in_register(id)) }
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
        let is_done = match (node.op, node.args()) {
            (Op::Constant(_), _) => true,
            (Op::Read(read) | Op::ReadHalf(read) | Op::ReadTruth(read), _) => {
                let to = self.register(id);
                self.machine.read(node.op, to, self.operands[read])
            }
            (Op::MultiplyAdd { negates_product, subtracts }, &[a, b, c]) => {
                self.multiply_add(id, position, (a, b, c), Signs { negates_product, subtracts });
                true
            }
            (Op::Flush, &[x]) if M::FLUSHES => {
                // A product flushes its operands.
                let x = self.in_register(x);
                self.used(id, position);
                let one = Source::Constant(self.bits(1f32.to_bits()));
                let to = self.register(id);
                self.machine.binary(Op::Mul, to, x, one)
            }
            (Op::Choose, &[which, yes, no]) => {
                let which = self.in_register(which);
                let no = self.in_register(no);
                let yes = self.last(node.op, yes);
                self.used(id, position);
                let to = self.register(id);
                self.machine.choose(to, which, yes, no);
                true
            }
            (op, &[x, y]) => {
                let changes = op.commutes() && !self.is_in_register(x) && self.is_in_register(y);
                let (x, y) = if changes { (y, x) } else { (x, y) };
                let x = self.in_register(x);
                let y = self.last(op, y);
                self.used(id, position);
                let to = self.register(id);
                self.machine.binary(op, to, x, y)
            }
            (op, &[x]) => {
                let x = self.last(op, x);
                self.used(id, position);
                let to = self.register(id);
                self.machine.unary(op, to, x)
            }
            _ => false,
        };
        self.failed |= !is_done;
    }

    fn multiply_add(&mut self, id: Id, position: usize, (a, b, c): (Id, Id, Id), signs: Signs) {
        // The result takes the place of an operand that nobody needs afterwards, or of a copy.
        let (a, b) = if self.ends(b, position) && !self.ends(a, position) { (b, a) } else { (a, b) };
        let (a, b) = if !self.is_in_register(a) && self.is_in_register(b) { (b, a) } else { (a, b) };
        let (form, own, other, last) = if !M::FORMS {
            (Form::Sum, c, a, b)
        } else if self.ends(a, position) {
            // One of the others may be in memory.
            match self.is_in_register(b) {
                true => (Form::FactorWithSum, a, b, c),
                false => (Form::Factor, a, c, b),
            }
        } else if self.ends(c, position) {
            (Form::Sum, c, a, b)
        } else if self.is_in_register(b) || !self.is_in_register(c) {
            (Form::FactorWithSum, a, b, c)
        } else {
            (Form::Sum, c, a, b)
        };
        let own_register = self.in_register(own);
        let other = self.in_register(other);
        let last = self.last(self.graph.nodes[id].op, last);
        let takes = self.ends(own, position);
        if takes {
            self.used(id, position);
            // (It was released just now.)
            self.vectors[own_register] = Some(id);
            self.places[id].register = Some(own_register);
            self.machine.multiply_add(form, signs, own_register, other, last);
            return;
        }
        // Before any operand is released: the copy may not take the place of another operand.
        let to = self.register(id);
        self.machine.copy(to, own_register);
        self.machine.multiply_add(form, signs, to, other, last);
        self.used(id, position);
    }

    /// Writes the result to where it belongs.
    pub(super) fn store(&mut self, result: Id, operand: Operand, streams: bool) {
        let from = self.in_register(result);
        self.machine.store(self.graph.nodes[result].op, from, operand, streams);
    }
}
