//! Operations that processors without AVX-512 have no instruction for, as others that they have. A mask is a vector here, whose lanes
//! are all ones or zeros.

use super::graph::{Graph, Id, Op, Relation};

const SIGN: u32 = 0x8000_0000;

/// What an operation gives as others; none if it is an instruction.
pub(super) fn lowered(graph: &mut Graph, op: Op, operands: &[Id]) -> Option<Id> {
    Some(match (op, operands) {
        (Op::NotMask, &[x]) => not(graph, x),
        (Op::Choose, &[which, yes, no]) => {
            let which = is_not(graph, which)?;
            graph.value(Op::Choose, &[which, no, yes])
        }
        (Op::CompareSigned(relation), &[x, y]) => return compared(graph, relation, x, y),
        (Op::CompareUnsigned(relation @ (Relation::Equal | Relation::NotEqual)), _) => {
            graph.value(Op::CompareSigned(relation), operands)
        }
        (Op::CompareUnsigned(relation), &[x, y]) => {
            let sign = graph.constant(SIGN);
            let operands = [x, y].map(|operand| graph.value(Op::Xor, &[operand, sign]));
            graph.value(Op::CompareSigned(relation), &operands)
        }
        (Op::LeastNumber, &[x, y]) => either_way(graph, Op::Least, Op::Or, x, y),
        (Op::MostNumber, &[x, y]) => either_way(graph, Op::Most, Op::And, x, y),
        (Op::FromUnsigned, &[x]) => {
            // Both halves are exact, and are put together with one rounding.
            let (low, places) = (graph.constant(0xffff), graph.constant(65536f32.to_bits()));
            let high = graph.value(Op::ShiftRight(16), &[x]);
            let low = graph.value(Op::And, &[x, low]);
            let [high, low] = [high, low].map(|half| graph.value(Op::FromSigned, &[half]));
            graph.value(Op::MultiplyAdd { negates_product: false, subtracts: false }, &[high, places, low])
        }
        (Op::ToUnsigned, &[x]) => {
            let limit = graph.constant(2_147_483_648f32.to_bits());
            let beyond = graph.constant(4_294_967_296f32.to_bits());
            let (sign, most) = (graph.constant(SIGN), graph.constant(u32::MAX));
            let low = graph.value(Op::ToSigned, &[x]);
            let rest = graph.value(Op::Sub, &[x, limit]);
            let high = graph.value(Op::ToSigned, &[rest]);
            let high = graph.value(Op::Xor, &[high, sign]);
            let is_high = graph.value(Op::CompareFloat(Relation::AtLeast), &[x, limit]);
            let number = graph.value(Op::Choose, &[is_high, high, low]);
            let is_beyond = graph.value(Op::CompareFloat(Relation::AtLeast), &[x, beyond]);
            graph.value(Op::Choose, &[is_beyond, most, number])
        }
        _ => return None,
    })
}

fn not(graph: &mut Graph, x: Id) -> Id {
    if let Some(x) = is_not(graph, x) {
        return x;
    }
    let ones = graph.constant(u32::MAX);
    graph.value(Op::XorMask, &[x, ones])
}

/// What a mask is the opposite of.
fn is_not(graph: &Graph, id: Id) -> Option<Id> {
    let node = &graph.nodes[id];
    match (node.op, node.args()) {
        (Op::XorMask, &[x, ones]) if graph.nodes[ones].op == Op::Constant(u32::MAX) => Some(x),
        _ => None,
    }
}

/// By the two comparisons that there are.
fn compared(graph: &mut Graph, relation: Relation, x: Id, y: Id) -> Option<Id> {
    let (is_opposite, there, operands) = match relation {
        Relation::Equal | Relation::Above => return None,
        Relation::Below => (false, Relation::Above, [y, x]),
        Relation::NotEqual => (true, Relation::Equal, [x, y]),
        Relation::AtMost => (true, Relation::Above, [x, y]),
        Relation::AtLeast => (true, Relation::Above, [y, x]),
    };
    let mask = graph.value(Op::CompareSigned(there), &operands);
    Some(if is_opposite { not(graph, mask) } else { mask })
}

/// Where two zeros have different signs, it says which of them it is, that each of them comes out once.
fn either_way(graph: &mut Graph, extreme: Op, both: Op, x: Id, y: Id) -> Id {
    let one = graph.value(extreme, &[x, y]);
    let other = graph.value(extreme, &[y, x]);
    graph.value(both, &[one, other])
}
