//! The function of a chain whose rows are added up, as [`super::frame`] has it of one whose rows are kept: for as many columns as
//! registers hold sums of, it goes down all rows, and writes a row once behind them. Nothing that a chain computes goes to memory.
//!
//! Sums are added in the order of the rows, beginning with zero: what that means for a sum of many rows is the business of who calls.

use super::Kind;
use super::abreast::{self, Abreast};
use super::assembler::at;
use super::emit::Emitter;
use super::frame::{LEFT, ROWS, ask, asks, at_once, begin, finish};
use super::graph::{Id, Op};
use super::machine::{Operand, Source};
use super::memory::{Call, Function};
use super::order::Order;
use super::place;
use super::translate::Translated;
use super::x86::{ADDRESSES, CALL, COLUMN, SCRATCH, X86};
use iced_x86::{Code, Register};
use std::mem::offset_of;

const ONE: u32 = 1f32.to_bits();

/// Values of columns, so many registers of them at once, and what there is of each.
struct Stretch<'a> {
    values: &'a [Id],
    results: &'a [Id],
    /// Where the sums go.
    targets: Vec<Operand>,
}

/// What does not change from stretch to stretch.
struct Way<'a> {
    kinds: &'a [Kind],
    operands: &'a [Operand],
    asks: Vec<(usize, Option<Register>)>,
    order: &'a Order,
    /// The registers that the values of rows stay in, and behind them those of the sums.
    registers: Vec<usize>,
}

/// The function of a chain whose operands (the row of sums last) are of some kinds. None where there are not registers enough.
pub(super) fn function<M: X86>(translated: &Translated, kinds: &[Kind]) -> Option<Function> {
    // What is added up is flushed by being added.
    let mut result = translated.result;
    if let (Op::Flush, &[x]) = (translated.graph.nodes[result].op, translated.graph.nodes[result].args()) {
        result = x;
    }
    let translated = Translated { graph: translated.graph.clone(), result, beside: None };
    // Each stretch begins with the first row again.
    let operands: Vec<Operand> = Operand::of(kinds, 0)
        .into_iter()
        .enumerate()
        .map(|(number, operand)| Operand { register: Some(number), ..operand })
        .collect();
    if operands.len() > ADDRESSES.len() {
        return None;
    }
    let order = Order::new::<M>(&translated, kinds);
    if !order.of_columns.contains(&result) || !order.keeps_all {
        return None;
    }
    let abreast = Abreast::new::<M>(&translated, &order, operands.len(), 1);
    let all_operands = abreast::operands::<M>(&operands, abreast.as_ref());
    let graph = abreast.as_ref().map_or(&translated.graph, |abreast| &abreast.graph);
    let mut emitter = Emitter::<M>::new(graph, &all_operands);
    let space = begin(&mut emitter);
    let mut registers = (0..M::VECTORS).rev();
    for &constant in &order.constants {
        emitter.keep_constant(constant, registers.next()?);
    }
    let asks = asks(kinds, &operands, ADDRESSES.len());
    let way = Way {
        kinds,
        operands: &operands,
        asks: asks.into_iter().filter(|ask| ask.1.is_some()).collect(),
        order: &order,
        registers: registers.collect(),
    };
    let target = |whole: Option<u32>| operands.last().map(|&target| Operand { whole, ..target });

    let piece = emitter.assembler().here();
    emitter.machine.all_columns();
    emitter.assembler().two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
    emitter.assembler().load(Code::Mov_r64_rm64, LEFT, at(CALL, offset_of!(Call, columns) as i64));
    if let Some(abreast) = &abreast {
        let targets = (0..abreast.times()).map(|time| target(Some((time * M::LANES) as u32))).collect::<Option<_>>()?;
        let stretch = Stretch { values: &abreast.order, results: &abreast.results, targets };
        at_once(&mut emitter, abreast.times() * M::LANES, |emitter| rows(emitter, &way, &stretch))?;
    }
    emitter.assembler().number(Code::Sub_rm64_imm8, LEFT, M::LANES as i32);
    let few = emitter.assembler().jump_ahead(Code::Jb_rel32_64);
    let columns = emitter.assembler().here();
    rows(&mut emitter, &way, &Stretch { values: &order.of_columns, results: &[result], targets: vec![target(None)?] })?;
    emitter.assembler().number(Code::Add_rm64_imm8, COLUMN, M::LANES as i32);
    emitter.assembler().number(Code::Sub_rm64_imm8, LEFT, M::LANES as i32);
    emitter.assembler().jump_back(Code::Jae_rel32_64, columns);
    // Columns that are left.
    emitter.assembler().land(few);
    emitter.assembler().number(Code::Add_rm64_imm8, LEFT, M::LANES as i32);
    let done = emitter.assembler().jump_ahead(Code::Je_rel32_64);
    emitter.machine.some_columns(LEFT);
    emitter.assembler().two(Code::Xor_r32_rm32, Register::ECX, Register::ECX);
    emitter.assembler().jump_back(Code::Jmp_rel32_64, columns);

    // The next piece.
    emitter.assembler().land(done);
    emitter.assembler().memory(Code::Dec_rm64, at(CALL, offset_of!(Call, pieces) as i64));
    let last = emitter.assembler().jump_ahead(Code::Je_rel32_64);
    for number in 0..operands.len() {
        emitter.assembler().load(Code::Mov_r64_rm64, SCRATCH, at(CALL, place::step(number)));
        emitter.assembler().store(Code::Add_rm64_r64, at(CALL, place::address(number)), SCRATCH);
        emitter.assembler().store(Code::Add_rm64_r64, at(CALL, place::ahead(number)), SCRATCH);
    }
    emitter.assembler().jump_back(Code::Jmp_rel32_64, piece);

    emitter.assembler().land(last);
    finish(emitter, space)
}

/// Goes down the rows of a stretch, and writes its sums. None where there are not registers enough for them.
fn rows<M: X86>(emitter: &mut Emitter<'_, M>, way: &Way<'_>, stretch: &Stretch<'_>) -> Option<()> {
    let Way { kinds, operands, asks, order, registers } = way;
    let (kept, sums) = registers.split_at_checked(order.kept.len())?;
    let sums = sums.get(..stretch.results.len())?;
    emitter.afresh(&order.constants);
    sums.iter().for_each(|&sum| emitter.clear(sum));
    for (number, operand) in operands.iter().enumerate() {
        let to = ADDRESSES[operand.register?];
        emitter.assembler().load(Code::Mov_r64_rm64, to, at(CALL, place::address(number)));
    }
    for &(number, register) in asks {
        emitter.assembler().load(Code::Mov_r64_rm64, register?, at(CALL, place::ahead(number)));
    }
    emitter.assembler().load(Code::Mov_r64_rm64, ROWS, at(CALL, offset_of!(Call, rows) as i64));

    let row = emitter.assembler().here();
    emitter.values(&order.of_rows, &order.kept, |id| order.leaves[id] && !order.kept.contains(&id));
    for (&value, &register) in order.kept.iter().zip(kept) {
        emitter.keep_value(value, register);
    }
    ask(&mut emitter.machine, kinds, asks, stretch.results.len());
    emitter.values(stretch.values, stretch.results, |_| false);
    for (&result, &sum) in stretch.results.iter().zip(sums) {
        let from = Source::Register(emitter.in_register(result));
        emitter.failed |= !emitter.machine.binary(Op::Add, sum, sum, from);
    }
    emitter.release_all();
    for (number, operand) in operands[..operands.len() - 1].iter().enumerate() {
        let asked = asks.iter().find(|ask| ask.0 == number).and_then(|ask| ask.1);
        for register in [Some(ADDRESSES[operand.register?]), asked].into_iter().flatten() {
            emitter.assembler().load(Code::Add_r64_rm64, register, at(CALL, place::pitch(number)));
        }
    }
    emitter.assembler().number(Code::Sub_rm64_imm8, ROWS, 1);
    emitter.assembler().jump_back(Code::Jne_rel32_64, row);

    let one = Source::Constant(emitter.bits(ONE));
    for (&sum, &target) in sums.iter().zip(&stretch.targets) {
        // A product flushes.
        emitter.failed |= !emitter.machine.binary(Op::Mul, sum, sum, one);
        emitter.machine.store(Op::Add, sum, target, false);
    }
    Some(())
}
