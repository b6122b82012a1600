//! The function around the values: it goes through the rows, and through the columns of each as many at a time as there are lanes;
//! the columns that are left at the end of a row go through the same instructions, with a mask. Where registers
//! suffice, two or four times as many go through side by side while there are as many.
//!
//! Behind the last row comes the next piece, where there is one: as many rows and columns elsewhere.
//!
//! What is the same for all columns of a row is computed once for the row. The processor takes subnormal operands for zeros while
//! the function runs, and does what it did before afterwards.

use super::Kind;
use super::abreast::{self, Abreast};
use super::assembler::{Ahead, Assembler, at};
use super::down;
use super::emit::Emitter;
use super::graph::Id;
use super::machine::Operand;
use super::memory::{Call, Function, OPERANDS, VALUES};
use super::order::Order;
use super::place;
use super::translate::Translated;
use super::x86::{ADDRESSES, CALL, COLUMN, CONSTANTS, SCRATCH, X86};
use iced_x86::{Code, Register};
use std::mem::offset_of;

/// Columns that are left, less those that go through at once.
pub(super) const LEFT: Register = Register::RCX;
/// Rows that are left.
pub(super) const ROWS: Register = Register::RDX;
/// How many columns went through, where that is not always the same: the last one of the registers above then.
const STEP: Register = Register::R15;
const STEP_LOW: Register = Register::R15D;
const KEPT: [Register; 6] = [Register::RBP, Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];
/// Bytes for values that wait in memory, at most: the stack is not asked for more than a page.
const SPACE: usize = 3072;

impl<M: X86> Emitter<'_, M> {
    pub(super) fn assembler(&mut self) -> &mut Assembler {
        self.machine.assembler()
    }
}

/// The function of a chain whose operands (the result last) are of some kinds. None where it would need more than there is.
pub(super) fn function<M: X86>(translated: &Translated, kinds: &[Kind]) -> Option<Function> {
    if kinds.len() > OPERANDS || translated.graph.nodes.len() > VALUES {
        return None;
    }
    let Kind { streams, adds, .. } = *kinds.last()?;
    // (Of the first of two chains nothing is written past the caches.)
    let results: Vec<(Id, usize)> = translated.results(kinds.len()).collect();
    let ids: Vec<Id> = results.iter().map(|&(result, _)| result).collect();
    if adds {
        return down::function::<M>(translated, kinds);
    }
    let addresses = ADDRESSES.len() - usize::from(streams);
    let operands = Operand::of(kinds, addresses);
    let asks = asks(kinds, &operands, addresses);
    let order = Order::new::<M>(translated, kinds);
    let abreast = Abreast::new::<M>(translated, &order, operands.len(), 0);
    let all_operands = abreast::operands::<M>(&operands, abreast.as_ref());
    let graph = abreast.as_ref().map_or(&translated.graph, |abreast| &abreast.graph);
    let mut emitter = Emitter::<M>::new(graph, &all_operands);

    let space = begin(&mut emitter);
    let mut registers = (0..M::VECTORS).rev();
    for &constant in &order.constants {
        emitter.keep_constant(constant, registers.next()?);
    }

    for (number, operand) in operands.iter().enumerate() {
        if let Some(register) = operand.register {
            let to = ADDRESSES[register];
            emitter.assembler().load(Code::Mov_r64_rm64, to, at(CALL, place::address(number)));
        }
    }
    for &(number, register) in &asks {
        if let Some(register) = register {
            emitter.assembler().load(Code::Mov_r64_rm64, register, at(CALL, place::ahead(number)));
        }
    }

    let row = emitter.assembler().here();
    emitter.values(&order.of_rows, &order.kept, |id| order.leaves[id] && !order.kept.contains(&id));
    for &value in &order.kept {
        emitter.keep_value(value, registers.next()?);
    }
    emitter.machine.all_columns();
    emitter.assembler().two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
    emitter.assembler().load(Code::Mov_r64_rm64, LEFT, at(CALL, offset_of!(Call, columns) as i64));
    let first = streams.then(|| first_columns(&mut emitter.machine, operands[operands.len() - 1]));

    let next = emitter.assembler().here();
    if let Some(abreast) = &abreast {
        at_once(&mut emitter, abreast.times() * M::LANES, |emitter| {
            ask(&mut emitter.machine, kinds, &asks, abreast.times());
            emitter.values(&abreast.order, &abreast.results, |_| false);
            let parts = all_operands.chunks_exact(kinds.len()).skip(1);
            for (copies, part) in abreast.results.chunks_exact(results.len()).zip(parts) {
                for (&copy, &(_, operand)) in copies.iter().zip(&results) {
                    emitter.store(copy, part[operand], kinds[operand].streams);
                }
            }
            emitter.release_all();
            Some(())
        })?;
    }
    emitter.assembler().number(Code::Sub_rm64_imm8, LEFT, M::LANES as i32);
    let few = emitter.assembler().jump_ahead(Code::Jb_rel32_64);

    let columns = emitter.assembler().here();
    if let Some(first) = first {
        emitter.assembler().land(first);
    }
    ask(&mut emitter.machine, kinds, &asks, 1);
    emitter.values(&order.of_columns, &ids, |_| false);
    for &(result, operand) in &results {
        emitter.store(result, operands[operand], kinds[operand].streams);
    }
    emitter.release_all();
    match streams {
        true => {
            emitter.assembler().two(Code::Add_r64_rm64, COLUMN, STEP);
            emitter.assembler().number(Code::Mov_r32_imm32, STEP_LOW, M::LANES as i32);
            emitter.machine.all_columns();
        }
        false => emitter.assembler().number(Code::Add_rm64_imm8, COLUMN, M::LANES as i32),
    }
    match abreast {
        Some(_) => emitter.assembler().jump_back(Code::Jmp_rel32_64, next),
        None => {
            emitter.assembler().number(Code::Sub_rm64_imm8, LEFT, M::LANES as i32);
            emitter.assembler().jump_back(Code::Jae_rel32_64, columns);
        }
    }

    // Columns that are left.
    emitter.assembler().land(few);
    emitter.assembler().number(Code::Add_rm64_imm8, LEFT, M::LANES as i32);
    let done = emitter.assembler().jump_ahead(Code::Je_rel32_64);
    emitter.machine.some_columns(LEFT);
    emitter.assembler().two(Code::Xor_r32_rm32, Register::ECX, Register::ECX);
    emitter.assembler().jump_back(Code::Jmp_rel32_64, columns);

    // The next row.
    emitter.assembler().land(done);
    emitter.assembler().number(Code::Sub_rm64_imm8, ROWS, 1);
    let last = emitter.assembler().jump_ahead(Code::Je_rel32_64);
    go_on(&mut emitter, &operands, &asks, place::pitch);
    emitter.assembler().jump_back(Code::Jmp_rel32_64, row);

    // The next piece.
    emitter.assembler().land(last);
    emitter.assembler().memory(Code::Dec_rm64, at(CALL, offset_of!(Call, pieces) as i64));
    let last = emitter.assembler().jump_ahead(Code::Je_rel32_64);
    go_on(&mut emitter, &operands, &asks, place::step);
    emitter.assembler().load(Code::Mov_r64_rm64, ROWS, at(CALL, offset_of!(Call, rows) as i64));
    emitter.assembler().jump_back(Code::Jmp_rel32_64, row);

    emitter.assembler().land(last);
    finish(emitter, space)
}

/// Moves the addresses of operands, and what is asked for, by as much as is found at a place for each.
fn go_on<M: X86>(
    emitter: &mut Emitter<'_, M>,
    operands: &[Operand],
    asks: &[(usize, Option<Register>)],
    distance: fn(usize) -> i64,
) {
    for (number, operand) in operands.iter().enumerate() {
        let ahead = asks.iter().find(|ask| ask.0 == number);
        let registers = [operand.register.map(|register| ADDRESSES[register]), ahead.and_then(|ask| ask.1)];
        let distance = at(CALL, distance(number));
        for register in registers.into_iter().flatten() {
            emitter.assembler().load(Code::Add_r64_rm64, register, distance);
        }
        let waits = [
            (operand.register.is_none(), place::address(number)),
            (ahead.is_some_and(|ask| ask.1.is_none()), place::ahead(number)),
        ];
        for (_, place) in waits.into_iter().filter(|wait| wait.0) {
            emitter.assembler().load(Code::Mov_r64_rm64, SCRATCH, distance);
            emitter.assembler().store(Code::Add_rm64_r64, at(CALL, place), SCRATCH);
        }
    }
}

/// The caller's registers, memory for values that wait, what the processor does with subnormal numbers, the constants, and how many
/// rows there are. Gives the place of the number of bytes that the values take.
pub(super) fn begin<M: X86>(emitter: &mut Emitter<'_, M>) -> usize {
    let assembler = emitter.assembler();
    for register in KEPT {
        assembler.one(Code::Push_r64, register);
    }
    assembler.two(Code::Mov_r64_rm64, Register::RBP, Register::RSP);
    assembler.number(Code::And_rm64_imm8, Register::RSP, -64);
    assembler.number(Code::Sub_rm64_imm32, Register::RSP, i32::MAX);
    let space = assembler.number_later();
    assembler.memory(Code::Ldmxcsr_m32, at(CALL, offset_of!(Call, control) as i64));
    assembler.load(Code::Mov_r64_rm64, CONSTANTS, at(CALL, offset_of!(Call, constants) as i64));
    assembler.load(Code::Mov_r64_rm64, ROWS, at(CALL, offset_of!(Call, rows) as i64));
    space
}

/// Goes back to the caller. None where registers or memory did not suffice.
pub(super) fn finish<M: X86>(mut emitter: Emitter<'_, M>, space: usize) -> Option<Function> {
    let assembler = emitter.assembler();
    assembler.memory(Code::Ldmxcsr_m32, at(CALL, offset_of!(Call, usual) as i64));
    assembler.add(Ok(iced_x86::Instruction::with(Code::VEX_Vzeroupper)));
    assembler.two(Code::Mov_r64_rm64, Register::RSP, Register::RBP);
    for register in KEPT.iter().rev() {
        assembler.one(Code::Pop_r64, *register);
    }
    assembler.add(Ok(iced_x86::Instruction::with(Code::Retnq)));

    emitter.machine.behind();

    let waiting = emitter.slots * 4 * M::LANES;
    emitter.assembler().set_number(space, waiting as i32);
    if emitter.failed || waiting > SPACE {
        return None;
    }
    Some(Function { constants: M::in_memory(&emitter.constants), code: emitter.machine.finish()? })
}

/// Goes through so many columns at a time while there are as many.
pub(super) fn at_once<M: X86>(
    emitter: &mut Emitter<'_, M>,
    columns: usize,
    body: impl FnOnce(&mut Emitter<'_, M>) -> Option<()>,
) -> Option<()> {
    let columns = columns as i32;
    emitter.assembler().number(Code::Sub_rm64_imm8, LEFT, columns);
    let fewer = emitter.assembler().jump_ahead(Code::Jb_rel32_64);
    let next = emitter.assembler().here();
    body(emitter)?;
    emitter.assembler().number(Code::Add_rm64_imm8, COLUMN, columns);
    emitter.assembler().number(Code::Sub_rm64_imm8, LEFT, columns);
    emitter.assembler().jump_back(Code::Jae_rel32_64, next);
    emitter.assembler().land(fewer);
    emitter.assembler().number(Code::Add_rm64_imm8, LEFT, columns);
    Some(())
}

/// Which operands the memory is asked for, and the registers that have where, as far as the addresses of operands leave any.
pub(super) fn asks(kinds: &[Kind], operands: &[Operand], registers: usize) -> Vec<(usize, Option<Register>)> {
    let taken = operands.iter().filter(|operand| operand.register.is_some()).count();
    let mut free = ADDRESSES[..registers].iter().skip(taken).copied();
    let asked = kinds.iter().enumerate().filter(|(_, kind)| kind.is_ahead);
    asked.map(|(number, _)| (number, free.next())).collect()
}

/// Asks the memory for what comes next, for so many registers full of columns.
pub(super) fn ask<M: X86>(machine: &mut M, kinds: &[Kind], asks: &[(usize, Option<Register>)], times: usize) {
    for &(number, register) in asks {
        machine.ask((place::ahead(number), register), &kinds[number], number + 1 == kinds.len(), times);
    }
}

/// Has the first columns of a row, up to those that a register's width begins with, go through by themselves, so that all others
/// are written in whole registers: how many they are is the first step.
fn first_columns<M: X86>(machine: &mut M, result: Operand) -> Ahead {
    let assembler = machine.assembler();
    match result.register {
        Some(register) => assembler.two(Code::Mov_r64_rm64, STEP, ADDRESSES[register]),
        None => assembler.load(Code::Mov_r64_rm64, STEP, at(CALL, result.place)),
    }
    assembler.one(Code::Neg_rm64, STEP);
    assembler.number(Code::And_rm64_imm8, STEP, 4 * M::LANES as i32 - 1);
    assembler.number(Code::Shr_rm64_imm8, STEP, result.size.trailing_zeros() as i32);
    let none = assembler.jump_ahead(Code::Je_rel32_64);
    assembler.two(Code::Cmp_r64_rm64, STEP, LEFT);
    assembler.two(Code::Cmova_r64_rm64, STEP, LEFT);
    machine.some_columns(STEP);
    let assembler = machine.assembler();
    assembler.two(Code::Sub_r64_rm64, LEFT, STEP);
    let first = assembler.jump_ahead(Code::Jmp_rel32_64);
    assembler.land(none);
    assembler.number(Code::Mov_r32_imm32, STEP_LOW, M::LANES as i32);
    first
}
