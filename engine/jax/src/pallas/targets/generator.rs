//! The generator of a TPU's core. Interpreted, there is none: what a kernel does with it is noted while it is traced, and looked
//! at when its blocks are known (PL207, PL208).

use crate::context::Context;
use crate::convert;
use crate::tile::Tile;
use crate::trace::{Drawn, Trace, TraceKind};
use pallas_ir::same::{moved_by, same_in_all_programs};
use pallas_ir::{Certainty, Finding, Function, Label, Operand, Role, Severity};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Shape;
use std::rc::Rc;

fn kernel(cx: &Context<'_>) -> Option<Rc<Trace>> {
    cx.trace().filter(|trace| matches!(trace.kind, TraceKind::Kernel))
}

/// The kernels that are being traced, whatever is traced within them.
fn note(cx: &Context<'_>, note: impl Fn(&mut Drawn)) {
    let traces = cx.state.traces.borrow();
    for trace in traces.iter().filter(|trace| matches!(trace.kind, TraceKind::Kernel)) {
        note(&mut trace.drawn.borrow_mut());
    }
}

/// `pltpu.prng_seed(*seeds)`
pub(super) fn seed(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::jax(interp);
    note(&cx, |drawn| drawn.seeded = true);
    let Some(trace) = kernel(&cx) else { return Ok(Value::None) };
    let mut values = Vec::new();
    for seed in interp.collect(args.get(0))? {
        // What is no number yet may be any.
        let Some(tile) = convert::try_tile(&cx, &seed)? else { return Ok(Value::None) };
        match tile {
            Tile::Traced(traced) if Rc::ptr_eq(&traced.trace, &trace) => values.push(traced.value),
            Tile::Concrete { .. } => {}
            _ => return Ok(Value::None),
        }
    }
    let always = trace.is_body(trace.region());
    trace.drawn.borrow_mut().seeds.push((interp.visible_span(), values, always));
    Ok(Value::None)
}

/// Numbers of a shape are drawn.
pub(super) fn draw(cx: &Context<'_>, shape: &Shape) {
    let span = cx.interp.visible_span();
    note(cx, |drawn| {
        if !drawn.seeded {
            drawn.unseeded.get_or_insert(span);
        }
    });
    if let Some(trace) = kernel(cx) {
        trace.drawn.borrow_mut().shapes.push(shape.clone());
    }
}

/// Tells the observer of numbers that are drawn before there is a seed. Numbers with a key bring one along.
fn check_seeded(cx: &Context<'_>, drawn: &Drawn, function: &Function, axes: usize) {
    let Some((observer, span)) = cx.state.observer().zip(drawn.unseeded) else { return };
    if function.ops.iter().any(|op| op.op.name == "random_bits") {
        return;
    }
    let seed = drawn.seeds.first().map(|(span, ..)| *span);
    let ids: Vec<String> = (0..axes).map(|axis| format!(", pl.program_id({axis})")).collect();
    observer.found(Finding {
        code: "PL208",
        severity: Severity::Warning,
        certainty: Certainty::Proved,
        message: "random numbers are drawn from a generator that this kernel has not seeded".to_string(),
        span,
        labels: seed.map(|span| Label { span, text: "it is seeded here, later".to_string() }).into_iter().collect(),
        evidence: None,
        help: Some(match seed {
            Some(_) => "seed before the first number is drawn".to_string(),
            None => format!("begin the kernel with `pltpu.prng_seed(seed{})`", ids.concat()),
        }),
        fix: None,
    });
}

/// Tells the observer of numbers that are drawn without a seed, and of seeds that are the same in every program, where blocks of
/// their own are drawn.
pub(crate) fn check(
    cx: &Context<'_>,
    drawn: &Drawn,
    function: &Function,
    operands: &[Operand],
    grid: &[Option<usize>],
) {
    check_seeded(cx, drawn, function, grid.len());
    let Some(observer) = cx.state.observer() else { return };
    let axes = grid.len();
    let is_long = |axis: usize| grid[axis].is_none_or(|extent| extent > 1);
    let is_drawn = |(number, operand): (usize, &Operand)| {
        let shape = function.params().get(number).map(|&param| function.ty(param).shape());
        operand.role == Role::Output
            && moved_by(operand, axes).is_some_and(|moved| moved.into_iter().any(is_long))
            && drawn.shapes.iter().any(|drawn| shape == Some(drawn))
    };
    let same = |values: &[_]| values.iter().all(|&value| same_in_all_programs(function, operands, axes, value));
    if !operands.iter().enumerate().any(is_drawn)
        || !drawn.seeds.iter().all(|(_, values, always)| *always && same(values))
    {
        return;
    }
    let axis = (0..axes).find(|&axis| is_long(axis)).unwrap_or(0);
    for (span, ..) in &drawn.seeds {
        observer.found(Finding {
            code: "PL207",
            severity: Severity::Warning,
            certainty: Certainty::Proved,
            message: "every program draws the same random numbers: its seed does not depend on the program".to_string(),
            span: *span,
            labels: Vec::new(),
            evidence: None,
            help: Some(format!(
                "seed with the program's place as well: `pltpu.prng_seed(seed, pl.program_id({axis}))`"
            )),
            fix: None,
        });
    }
}
