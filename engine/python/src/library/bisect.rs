//! `bisect`: positions in sorted lists.

use super::support::row;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;

const SIGNATURE: &str = "(a, x, lo=0, hi=None, *, key=None)";

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "bisect",
    doc: "Positions in sorted lists.",
    functions: &[
        row("bisect_left", SIGNATURE, "Where x goes, before equal items.", |i, a| find(i, &a, true).map(Value::from)),
        row("bisect_right", SIGNATURE, "Where x goes, after equal items.", |i, a| find(i, &a, false).map(Value::from)),
        row("bisect", SIGNATURE, "Where x goes, after equal items.", |i, a| find(i, &a, false).map(Value::from)),
        row("insort_left", SIGNATURE, "Inserts x before equal items.", |i, a| insert(i, &a, true)),
        row("insort_right", SIGNATURE, "Inserts x after equal items.", |i, a| insert(i, &a, false)),
        row("insort", SIGNATURE, "Inserts x after equal items.", |i, a| insert(i, &a, false)),
    ],
    populate: |_, _| {},
};

fn find(interp: &Interp, args: &Arguments, left: bool) -> PyResult<usize> {
    position(interp, args, left, args.get(1))
}

fn position(interp: &Interp, args: &Arguments, left: bool, x: &Value) -> PyResult<usize> {
    let low = interp.to_i64(args.get(2))?;
    let Ok(mut low) = usize::try_from(low) else { return Err(interp.value_error("lo must be non-negative")) };
    let mut high = if args.get(3).is_none() { interp.len(args.get(0))? } else { interp.to_usize(args.get(3))? };
    while low < high {
        let middle = low + (high - low) / 2;
        let item = interp.get_item(args.get(0), &middle.into())?;
        let item = if args.get(4).is_none() { item } else { interp.call_values(args.get(4), [item])? };
        let goes_right = if left {
            interp.truth(&interp.compare(CompareOp::Lt, &item, x)?)?
        } else {
            !interp.truth(&interp.compare(CompareOp::Lt, x, &item)?)?
        };
        if goes_right { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

fn insert(interp: &Interp, args: &Arguments, left: bool) -> PyResult<Value> {
    // The key function is for the items of the list, and for x as an item to be.
    let x = if args.get(4).is_none() {
        args.get(1).clone()
    } else {
        interp.call_values(args.get(4), [args.get(1).clone()])?
    };
    let at = position(interp, args, left, &x)?;
    interp.call_method(args.get(0), "insert", [at.into(), args.get(1).clone()])
}
