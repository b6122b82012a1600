//! Why a value is traced, in JAX's words: the function that is traced, and the arguments of it that the value depends on.
//!
//! What a Ref was written does not count, as in JAX. Bodies of loops and branches belong to the function around them.

use crate::context::Context;
use crate::tile::Traced;
use pallas_ir::{Function, OpData, RegionId, ValueId};
use std::collections::HashSet;

/// Names a parameter by its number, if it can.
pub(crate) type Names = dyn Fn(&Context<'_>, usize) -> Option<String>;

/// `The error occurred while tracing the function f at k.py:5 for jit. This concrete value was not available in Python
/// because it depends on the value of the argument x.`
pub(crate) fn origin(cx: &Context<'_>, traced: &Traced) -> String {
    let trace = &traced.trace;
    let mut text = format!("The error occurred while tracing the function {}. ", trace.origin);
    let names: Option<Vec<String>> = trace.with_function(|function| {
        let named = |number: usize| {
            let of_ref = || function.value(function.params()[number]).name.as_deref().map(str::to_string);
            trace.argument_name(cx, number).or_else(of_ref)
        };
        arguments(function, traced.value).into_iter().map(named).collect()
    });
    let list = match names.as_deref() {
        None | Some([]) => return text,
        Some([one]) => format!("value of the argument {one}"),
        Some([one, other]) => format!("values of the arguments {one} and {other}"),
        Some([first @ .., last]) => format!("values of the arguments {}, and {last}", first.join(", ")),
    };
    text.push_str("This concrete value was not available in Python because it depends on the ");
    text.push_str(&list);
    text.push('.');
    text
}

/// The numbers of the parameters that `value` depends on, in order.
fn arguments(function: &Function, value: ValueId) -> Vec<usize> {
    let mut active = HashSet::from([value]);
    // An op comes after all that it takes, and after what its regions hold.
    for op in function.ops.iter().rev() {
        if op.results.iter().any(|result| active.contains(result)) {
            take(function, op, &mut active);
        }
    }
    let params = function.params().iter().enumerate();
    params.filter(|(_, param)| active.contains(param)).map(|(number, _)| number).collect()
}

fn take(function: &Function, op: &OpData, active: &mut HashSet<ValueId>) {
    active.extend(op.operands.iter().copied());
    let inside = |region: &RegionId| function.region(*region).ops.clone();
    for inner in op.regions.iter().flat_map(inside) {
        take(function, function.op(inner), active);
    }
}
