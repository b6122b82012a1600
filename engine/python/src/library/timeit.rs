//! `timeit`: how long something takes. In analysis each statement runs once.

use super::support::{dict, row, text};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "timeit",
    doc: "How long something takes.",
    functions: &[
        row(
            "timeit",
            "(stmt='pass', setup='pass', timer=None, number=1000000, globals=None)",
            "Seconds that number runs take.",
            |interp, args| {
                let [statement, setup, timer, number, globals] = args.take();
                run(interp, &statement, &setup, &timer, &number, &globals)
            },
        ),
        row(
            "repeat",
            "(stmt='pass', setup='pass', timer=None, repeat=5, number=1000000, globals=None)",
            "Seconds of several series of runs.",
            |interp, args| {
                let [statement, setup, timer, times, number, globals] = args.take();
                let times = if interp.is_analysis() { 1 } else { interp.to_i64(&times)? };
                let results = (0..times)
                    .map(|_| run(interp, &statement, &setup, &timer, &number, &globals))
                    .collect::<PyResult<Vec<_>>>()?;
                Ok(Value::list(results))
            },
        ),
        row("default_timer", "()", "Seconds since some moment.", |interp, _: Arguments| {
            Ok(if interp.is_analysis() { super::time::later() } else { Value::Float(interp.host().seconds()) })
        }),
    ],
    populate: |_, _| {},
};

/// Runs a function, or the text of a statement.
fn perform(interp: &Interp, what: &Value, globals: &Value) -> PyResult<()> {
    match text(what) {
        Some(source) if &*source == "pass" => Ok(()),
        Some(source) => {
            let exec = super::support::builtin(interp, "exec")?;
            interp.call_values(&exec, [Value::Str(source), globals.clone()]).map(|_| ())
        }
        None => interp.call_values(what, []).map(|_| ()),
    }
}

fn run(
    interp: &Interp,
    statement: &Value,
    setup: &Value,
    timer: &Value,
    number: &Value,
    globals: &Value,
) -> PyResult<Value> {
    let globals = globals.clone().given().unwrap_or_else(dict);
    let now = || -> PyResult<f64> {
        if timer.is_none() { Ok(interp.host().seconds()) } else { interp.to_f64(&interp.call_values(timer, [])?) }
    };
    let number = if interp.is_analysis() { 0 } else { interp.to_i64(number)? };
    perform(interp, setup, &globals)?;
    if interp.is_analysis() {
        perform(interp, statement, &globals)?;
        return Ok(super::time::later());
    }
    let start = now()?;
    for _ in 0..number {
        perform(interp, statement, &globals)?;
    }
    Ok(Value::Float(now()? - start))
}
