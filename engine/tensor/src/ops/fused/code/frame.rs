//! The function around the values: it goes through the rows, and through the columns of each sixteen at a time; the columns that
//! are left at the end of a row go through the same instructions, with a mask.
//!
//! What is the same for all columns of a row is computed once for the row. The processor takes subnormal operands for zeros while
//! the function runs, and does what it did before afterwards.

use super::emit::{CALL, COLUMN, COLUMNS, CONSTANTS, Emitter, LANES, Operand, SCRATCH, VECTORS};
use super::graph::{Id, Op};
use super::memory::{Call, OPERANDS};
use super::translate::Translated;
use super::{Kind, assembler};
use assembler::at;
use iced_x86::{Code, Register};
use std::mem::offset_of;

/// Columns that are left, less those that go through at once.
const LEFT: Register = Register::RCX;
/// Rows that are left.
const ROWS: Register = Register::RDX;
/// Registers for addresses. Those from the fourth on are the caller's.
const ADDRESSES: [Register; 8] = [
    Register::R8,
    Register::R9,
    Register::R10,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];
/// How many columns went through, where that is not always the same: the last one of the registers above then.
const STEP: Register = Register::R15;
const STEP_LOW: Register = Register::R15D;
const KEPT: [Register; 6] = [Register::RBP, Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];
/// Values that wait in memory, at most: the stack is not asked for more than a page.
const SLOTS: usize = 48;
/// Values of a chain that is made code, at most.
const VALUES: usize = 600;
/// Registers that are left for what an instruction brings in and gives.
const SPARE: usize = 4;

fn address_place(operand: usize) -> i64 {
    (offset_of!(Call, addresses) + operand * size_of::<usize>()) as i64
}

fn pitch_place(operand: usize) -> i64 {
    (offset_of!(Call, pitches) + operand * size_of::<usize>()) as i64
}

fn ahead_place(operand: usize) -> i64 {
    (offset_of!(Call, ahead) + operand * size_of::<usize>()) as i64
}

/// A function, and the constants that it is called with.
pub(super) struct Function {
    pub(super) code: Vec<u8>,
    pub(super) constants: Vec<u32>,
}

/// The function of a chain whose operands (the result last) are of some kinds. None where it would need more than there is.
pub(super) fn function(translated: &Translated, kinds: &[Kind]) -> Option<Function> {
    let Translated { graph, result } = translated;
    let result = *result;
    if kinds.len() > OPERANDS || graph.nodes.len() > VALUES {
        return None;
    }
    // Addresses that move with the columns are in registers as far as there are any.
    let streams = kinds.last()?.streams;
    let mut free = ADDRESSES[..ADDRESSES.len() - usize::from(streams)].iter();
    let operands: Vec<Operand> = kinds
        .iter()
        .enumerate()
        .map(|(number, kind)| {
            let register = if kind.is_one { None } else { free.next() };
            Operand { address: register.copied().ok_or(address_place(number)), size: kind.size, is_one: kind.is_one }
        })
        .collect();
    let order = Order::new(translated, kinds);
    let mut emitter = Emitter::new(graph, &operands);

    // The caller's registers, and memory for values that wait.
    for register in KEPT {
        emitter.assembler.one(Code::Push_r64, register);
    }
    emitter.assembler.two(Code::Mov_r64_rm64, Register::RBP, Register::RSP);
    emitter.assembler.number(Code::And_rm64_imm8, Register::RSP, -64);
    emitter.assembler.number(Code::Sub_rm64_imm32, Register::RSP, i32::MAX);
    let space = emitter.assembler.number_later();
    emitter.assembler.memory(Code::Stmxcsr_m32, at(CALL, offset_of!(Call, kept) as i64));
    emitter.assembler.memory(Code::Ldmxcsr_m32, at(CALL, offset_of!(Call, control) as i64));
    emitter.assembler.load(Code::Mov_r64_rm64, CONSTANTS, at(CALL, offset_of!(Call, constants) as i64));
    emitter.assembler.load(Code::Mov_r64_rm64, ROWS, at(CALL, offset_of!(Call, rows) as i64));
    let mut registers = (0..VECTORS).rev();
    for &constant in &order.constants {
        emitter.keep_constant(constant, registers.next()?);
    }

    let row = emitter.assembler.here();
    for (number, operand) in operands.iter().enumerate() {
        if let Ok(register) = operand.address {
            emitter.assembler.load(Code::Mov_r64_rm64, register, at(CALL, address_place(number)));
        }
    }
    emitter.values(&order.of_rows, None, |id| order.leaves[id]);
    for &value in &order.kept {
        emitter.keep_value(value, registers.next()?);
    }
    let all = iced_x86::Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, COLUMNS, COLUMNS, COLUMNS);
    emitter.assembler.add(all);
    emitter.assembler.two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
    emitter.assembler.load(Code::Mov_r64_rm64, LEFT, at(CALL, offset_of!(Call, columns) as i64));
    let first = streams.then(|| first_columns(&mut emitter, operands[operands.len() - 1]));
    emitter.assembler.number(Code::Sub_rm64_imm8, LEFT, LANES as i32);
    let few = emitter.assembler.jump_ahead(Code::Jb_rel32_64);

    let columns = emitter.assembler.here();
    if let Some(first) = first {
        emitter.assembler.land(first);
    }
    for (number, kind) in kinds.iter().enumerate().filter(|(_, kind)| kind.is_ahead) {
        emitter.ask(ahead_place(number), kind.size, number + 1 == kinds.len());
    }
    emitter.values(&order.of_columns, Some(result), |_| false);
    emitter.store(result, *operands.last()?, streams);
    match streams {
        true => {
            emitter.assembler.two(Code::Add_r64_rm64, COLUMN, STEP);
            emitter.assembler.number(Code::Mov_r32_imm32, STEP_LOW, LANES as i32);
            let all = iced_x86::Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, COLUMNS, COLUMNS, COLUMNS);
            emitter.assembler.add(all);
        }
        false => emitter.assembler.number(Code::Add_rm64_imm8, COLUMN, LANES as i32),
    }
    emitter.assembler.number(Code::Sub_rm64_imm8, LEFT, LANES as i32);
    emitter.assembler.jump_back(Code::Jae_rel32_64, columns);

    // Columns that are left.
    emitter.assembler.land(few);
    emitter.assembler.number(Code::Add_rm64_imm8, LEFT, LANES as i32);
    let done = emitter.assembler.jump_ahead(Code::Je_rel32_64);
    emitter.assembler.number(Code::Mov_r32_imm32, Register::R11D, -1);
    let low = iced_x86::Instruction::with3(Code::VEX_Bzhi_r32_rm32_r32, Register::R11D, Register::R11D, Register::ECX);
    emitter.assembler.add(low);
    emitter.assembler.two(Code::VEX_Kmovw_kr_r32, COLUMNS, Register::R11D);
    emitter.assembler.two(Code::Xor_r32_rm32, Register::ECX, Register::ECX);
    emitter.assembler.jump_back(Code::Jmp_rel32_64, columns);

    // The next row.
    emitter.assembler.land(done);
    emitter.assembler.number(Code::Sub_rm64_imm8, ROWS, 1);
    let last = emitter.assembler.jump_ahead(Code::Je_rel32_64);
    for (number, kind) in kinds.iter().enumerate() {
        emitter.assembler.load(Code::Mov_r64_rm64, SCRATCH, at(CALL, pitch_place(number)));
        emitter.assembler.store(Code::Add_rm64_r64, at(CALL, address_place(number)), SCRATCH);
        if kind.is_ahead {
            emitter.assembler.store(Code::Add_rm64_r64, at(CALL, ahead_place(number)), SCRATCH);
        }
    }
    emitter.assembler.jump_back(Code::Jmp_rel32_64, row);

    emitter.assembler.land(last);
    emitter.assembler.memory(Code::Ldmxcsr_m32, at(CALL, offset_of!(Call, kept) as i64));
    emitter.assembler.add(Ok(iced_x86::Instruction::with(Code::VEX_Vzeroupper)));
    emitter.assembler.two(Code::Mov_r64_rm64, Register::RSP, Register::RBP);
    for register in KEPT.iter().rev() {
        emitter.assembler.one(Code::Pop_r64, *register);
    }
    emitter.assembler.add(Ok(iced_x86::Instruction::with(Code::Retnq)));

    let slots = emitter.slots;
    emitter.assembler.set_number(space, 64 * slots as i32);
    if emitter.failed || slots > SLOTS {
        return None;
    }
    Some(Function { constants: std::mem::take(&mut emitter.constants), code: emitter.assembler.finish()? })
}

/// Bytes that are written past the caches at a time.
const LINE: i32 = 64;

/// Has the first columns of a row, up to those that a line begins with, go through by themselves, so that all others are
/// written line by line: how many they are is the first step.
fn first_columns(emitter: &mut Emitter<'_>, result: Operand) -> assembler::Ahead {
    let assembler = &mut emitter.assembler;
    match result.address {
        Ok(register) => assembler.two(Code::Mov_r64_rm64, STEP, register),
        Err(place) => assembler.load(Code::Mov_r64_rm64, STEP, at(CALL, place)),
    }
    assembler.one(Code::Neg_rm64, STEP);
    assembler.number(Code::And_rm64_imm8, STEP, LINE - 1);
    assembler.number(Code::Shr_rm64_imm8, STEP, result.size.trailing_zeros() as i32);
    let none = assembler.jump_ahead(Code::Je_rel32_64);
    assembler.two(Code::Cmp_r64_rm64, STEP, LEFT);
    assembler.two(Code::Cmova_r64_rm64, STEP, LEFT);
    assembler.number(Code::Mov_r32_imm32, Register::R11D, -1);
    let low = iced_x86::Instruction::with3(Code::VEX_Bzhi_r32_rm32_r32, Register::R11D, Register::R11D, STEP_LOW);
    assembler.add(low);
    assembler.two(Code::VEX_Kmovw_kr_r32, COLUMNS, Register::R11D);
    assembler.two(Code::Sub_r64_rm64, LEFT, STEP);
    let first = assembler.jump_ahead(Code::Jmp_rel32_64);
    assembler.land(none);
    assembler.number(Code::Mov_r32_imm32, STEP_LOW, LANES as i32);
    first
}

/// What is computed when.
struct Order {
    /// Once for each row.
    of_rows: Vec<Id>,
    /// For sixteen columns at a time.
    of_columns: Vec<Id>,
    /// Values of rows that columns need.
    leaves: Vec<bool>,
    /// Constants that stay in registers.
    constants: Vec<Id>,
    /// Values of rows that stay in registers.
    kept: Vec<Id>,
}

impl Order {
    fn new(translated: &Translated, kinds: &[Kind]) -> Order {
        let nodes = &translated.graph.nodes;
        let mut needed = vec![false; nodes.len()];
        needed[translated.result] = true;
        // Each value comes after those that it follows from.
        for id in (0..nodes.len()).rev() {
            if needed[id] {
                nodes[id].args().iter().for_each(|&arg| needed[arg] = true);
            }
        }
        let mut varies = vec![false; nodes.len()];
        let mut leaves = vec![false; nodes.len()];
        let mut uses = vec![0usize; nodes.len()];
        let (mut of_rows, mut of_columns) = (Vec::new(), Vec::new());
        for (id, node) in nodes.iter().enumerate().filter(|&(id, _)| needed[id]) {
            varies[id] = match node.op {
                Op::Constant(_) => continue,
                Op::Read(read) | Op::ReadHalf(read) | Op::ReadTruth(read) => !kinds[read].is_one,
                _ => node.args().iter().any(|&arg| varies[arg]),
            };
            if varies[id] {
                of_columns.push(id);
                for (place, &arg) in node.args().iter().enumerate() {
                    leaves[arg] |= !varies[arg];
                    // What is no last operand has to be brought to a register.
                    let is_last = place + 1 == node.args().len() && !matches!(node.op, Op::MultiplyAdd { .. });
                    uses[arg] += if is_last { 1 } else { 2 };
                }
            } else {
                of_rows.push(id);
            }
        }
        leaves[translated.result] |= !varies[translated.result];
        let mut most: Vec<Id> = (0..nodes.len()).filter(|&id| uses[id] > 0 && !varies[id]).collect();
        most.retain(|&id| !nodes[id].op.is_mask());
        most.sort_by_key(|&id| std::cmp::Reverse(uses[id]));
        most.truncate(VECTORS.saturating_sub(SPARE + pressure(translated, &of_columns, &varies)));
        let (constants, kept) = most.into_iter().partition(|&id| matches!(nodes[id].op, Op::Constant(_)));
        Order { of_rows, of_columns, leaves, constants, kept }
    }
}

/// How many values of columns are there at a time, at most.
fn pressure(translated: &Translated, order: &[Id], varies: &[bool]) -> usize {
    let nodes = &translated.graph.nodes;
    let mut last = vec![0; nodes.len()];
    for (position, &id) in order.iter().enumerate() {
        nodes[id].args().iter().for_each(|&arg| last[arg] = position);
        last[id] = last[id].max(position);
    }
    last[translated.result] = order.len();
    let (mut now, mut most) = (0usize, 0);
    for (position, &id) in order.iter().enumerate() {
        now += usize::from(!nodes[id].op.is_mask());
        most = most.max(now);
        let mut args: Vec<Id> = nodes[id].args().to_vec();
        args.sort_unstable();
        args.dedup();
        let gone = args.iter().filter(|&&arg| varies[arg] && !nodes[arg].op.is_mask() && last[arg] == position);
        now -= gone.count();
    }
    most
}
