//! The function around the values: rows, and the columns of each, four at a time; the columns that are left at the end of a row go through
//! the same instructions, and take other ways from memory and back. What is the same for all columns of a row is computed once for
//! the row.

use super::super::Kind;
use super::super::emit::Emitter;
use super::super::machine::{Machine, Operand};
use super::super::memory::{Call, Function, OPERANDS, VALUES};
use super::super::order::Order;
use super::super::place;
use super::super::translate::Translated;
use super::assembler::{If, STACK, Word};
use super::neon::{ADDRESS, ADDRESSES, CALL, COLUMN, CONSTANTS, KEPT, Neon, PART, SCRATCH, WIDTH};
use std::mem::offset_of;

/// Rows that are left.
const ROWS: Word = 2;
/// Columns that are left, less those that go through at once.
const LEFT: Word = 3;
const OTHER: Word = 7;
/// Bytes for values that wait in memory, at most.
const SPACE: usize = 3072;
const LANES: u32 = Neon::LANES as u32;

/// The function of a chain whose operands (the result last) are of some kinds. None where it would need more than there is.
pub(in super::super) fn function(translated: &Translated, kinds: &[Kind]) -> Option<Function> {
    let Translated { graph, result, .. } = translated;
    let result = *result;
    // (Sums of rows are the loops' business.)
    if kinds.last()?.adds || kinds.len() > OPERANDS || graph.nodes.len() > VALUES {
        return None;
    }
    let operands = Operand::of(kinds, ADDRESSES);
    let order = Order::new::<Neon>(translated, kinds);
    let mut emitter = Emitter::<Neon>::new(graph, &operands);

    // The caller's halves of registers, and memory for values that wait.
    let assembler = &mut emitter.machine.assembler;
    assembler.stack(false, (KEPT + SPACE) as u32);
    kept(&mut emitter, 0x6d00_0000);
    let assembler = &mut emitter.machine.assembler;
    assembler.load(CONSTANTS, CALL, offset_of!(Call, constants) as i64);
    assembler.load(ROWS, CALL, offset_of!(Call, rows) as i64);
    let mut registers = (0..Neon::VECTORS).rev();
    for &constant in &order.constants {
        emitter.keep_constant(constant, registers.next()?);
    }

    let row = emitter.machine.assembler.here();
    for operand in &operands {
        if let Some(register) = operand.register {
            emitter.machine.assembler.load(ADDRESS + register as Word, CALL, operand.place);
        }
    }
    emitter.values(&order.of_rows, &[], |id| order.leaves[id]);
    for &value in &order.kept {
        emitter.keep_value(value, registers.next()?);
    }
    let assembler = &mut emitter.machine.assembler;
    assembler.number(PART, 0);
    assembler.number(COLUMN, 0);
    assembler.load(LEFT, CALL, offset_of!(Call, columns) as i64);
    assembler.minus(LEFT, LEFT, LANES);
    let few = assembler.jump_ahead_if(If::Below);

    let columns = emitter.machine.assembler.here();
    for (number, kind) in kinds.iter().enumerate().filter(|(_, kind)| kind.is_ahead) {
        emitter.machine.ask(place::ahead(number), kind.size, number + 1 == kinds.len());
    }
    emitter.values(&order.of_columns, &[result], |_| false);
    emitter.store(result, *operands.last()?, false);
    emitter.release_all();
    let assembler = &mut emitter.machine.assembler;
    assembler.plus(COLUMN, COLUMN, LANES);
    assembler.minus(LEFT, LEFT, LANES);
    assembler.jump_back_if(If::NotBelow, columns);

    // Columns that are left, and then none.
    assembler.land(few);
    assembler.plus(PART, LEFT, LANES);
    assembler.number(LEFT, 0);
    let some = assembler.jump_ahead_if_some(PART);
    let done = assembler.jump_ahead();
    assembler.land(some);
    assembler.jump_back(columns);

    // The next row.
    assembler.land(done);
    assembler.minus(ROWS, ROWS, 1);
    let last = assembler.jump_ahead_if(If::Equal);
    for (number, kind) in kinds.iter().enumerate() {
        assembler.load(SCRATCH, CALL, place::pitch(number));
        let places = [Some(place::address(number)), kind.is_ahead.then(|| place::ahead(number))];
        for place in places.into_iter().flatten() {
            assembler.load(OTHER, CALL, place);
            assembler.sum(OTHER, OTHER, SCRATCH, 0);
            assembler.store(OTHER, CALL, place);
        }
    }
    assembler.jump_back(row);

    assembler.land(last);
    kept(&mut emitter, 0x6d40_0000);
    emitter.machine.assembler.stack(true, (KEPT + SPACE) as u32);
    emitter.machine.assembler.add(0xd65f_03c0);
    emitter.machine.behind();

    if emitter.failed || emitter.slots * WIDTH > SPACE {
        return None;
    }
    Some(Function { constants: Neon::in_memory(&emitter.constants), code: emitter.machine.finish()? })
}

/// Moves pairs of registers that are the caller's, from the eighth one on, to or from the stack.
fn kept(emitter: &mut Emitter<'_, Neon>, code: u32) {
    for pair in 0..4u32 {
        let (place, first) = (16 * pair / 8, 8 + 2 * pair);
        emitter.machine.assembler.add(code | place << 15 | (first + 1) << 10 | STACK << 5 | first);
    }
}
