//! What is said beside an exception of a kernel, or of one that cannot be called at all: which Ref is what. Changes no exception;
//! the words are for findings.

use crate::pallas::call::PallasCall;
use pallas_ir::{MemorySpace, Operand, Role};
use pallas_python::interp::Interp;
use pallas_python::raise::{Diagnosis, Stop};

/// Rules about what a kernel does with its Refs, which may be others than it takes them for.
const ABOUT_REFS: [&str; 6] = ["PL115", "PL301", "PL302", "PL303", "PL308", "PL309"];
/// Rules about shapes that do not fit, which may be those of whole arrays.
const ABOUT_SHAPES: [&str; 2] = ["PL301", "PL303"];
/// What stands behind the name of what a Ref is of.
const ENDINGS: [&str; 9] = ["_ref", "_refs", "_hbm", "_vmem", "_smem", "_gmem", "_any", "_prefetch_ref", "_scalar_ref"];

/// Why a kernel cannot be called with its Refs.
pub(super) fn arity(
    interp: &Interp,
    call: &PallasCall,
    stop: &Stop,
    operands: &[Operand],
    scratch: usize,
) -> Diagnosis {
    let text = match stop {
        Stop::Raise(raise) => interp.str(&raise.exception).unwrap_or_default(),
        Stop::Abort(_) => String::new(),
    };
    let name = interp.callable_name(&call.kernel);
    let refs = operands.len() + scratch;
    let given = format!(
        "this kernel is called with {refs} Ref{}: {}",
        if refs == 1 { "" } else { "s" },
        kernel_arguments(operands, scratch)
    );
    let order = match operands.iter().any(|operand| operand.role == Role::Prefetch) {
        true => "prefetched scalar, input, output and scratch Ref",
        false => "input, output and scratch Ref",
    };
    let absent = quoted(&text);
    let (message, help) = match absent.as_slice() {
        [first, ..] if text.contains("required keyword-only argument") => (
            format!("this kernel needs {}, which a launch does not give it", listed(&absent)),
            format!("bind it before: `functools.partial({name}, {first}=...)`"),
        ),
        [_, ..] if text.contains("required positional argument") => {
            let what = match scratch {
                0 => "ask for scratch memory with `scratch_shapes=[...]`, give another operand",
                _ => "give another operand or scratch shape",
            };
            (given, format!("there is no Ref for {}: {what}, or take the parameter away", listed(&absent)))
        }
        _ => (given, format!("give the kernel one parameter per {order}, in this order")),
    };
    Diagnosis {
        code: "PL109",
        span: interp.underlying_function(&call.kernel).map(|function| function.code.name_span()),
        message: Some(message),
        help: Some(help),
        ..Diagnosis::default()
    }
}

/// The names that a message of Python's has in quotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('\'').skip(1).step_by(2).collect()
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

/// Adds to the help of an exception in a kernel what its Refs are, where that may be the reason.
pub(super) fn which_refs(
    mut stop: Box<Stop>,
    operands: &[Operand],
    arguments: &[Option<String>],
    (programs, x64): (usize, bool),
) -> Box<Stop> {
    if let Stop::Raise(raise) = &mut *stop
        && let Some(diagnosis) = &mut raise.diagnosis
        && ABOUT_REFS.contains(&diagnosis.code)
    {
        if diagnosis.code == "PL302" && !x64 && diagnosis.message.as_deref().is_some_and(is_into_64_bits) {
            diagnosis.help = Some(
                "dtypes of 64 bits are there with `jax_enable_x64` only: ask for one of 32 bits in `out_shape`"
                    .to_string(),
            );
            return stop;
        }
        let likely = exchanged(operands, arguments).or_else(|| whole(diagnosis.code, operands, programs));
        diagnosis.help = match (likely, diagnosis.help.take(), prefetched(operands)) {
            (Some(likely), Some(help), _) => Some(format!("{likely}; else {help}")),
            (Some(likely), None, _) => Some(likely),
            (None, Some(help), Some(order)) => Some(format!("{help}; {order}")),
            (None, help, order) => help.or(order),
        };
    }
    stop
}

/// `this stores float32 into a Ref of float64`
fn is_into_64_bits(message: &str) -> bool {
    ["float64", "int64", "uint64", "complex128"].iter().any(|dtype| message.ends_with(&format!("a Ref of {dtype}")))
}

/// What a Ref is of, by its name: `x` of `x_ref`.
pub(super) fn stem(operand: &Operand) -> &str {
    let ending = ENDINGS.iter().filter(|ending| operand.name.ends_with(**ending)).max_by_key(|ending| ending.len());
    &operand.name[..operand.name.len() - ending.map_or(0, |ending| ending.len())]
}

/// Parameters that are called as another argument of the call is.
fn exchanged(operands: &[Operand], arguments: &[Option<String>]) -> Option<String> {
    let argument = |number: usize| arguments.get(number).and_then(Option::as_deref);
    let (number, operand, other) = operands.iter().enumerate().find_map(|(number, operand)| {
        let stem = stem(operand);
        let meant = arguments.iter().position(|argument| argument.as_deref() == Some(stem))?;
        (meant != number && argument(number).is_some_and(|given| given != stem)).then_some((number, operand, meant))
    })?;
    let given = argument(number)?;
    let (meant, taken) = (argument(other)?, operands.get(other)?);
    Some(format!(
        "`{}` is given `{given}`, and `{meant}` goes to `{}`: let the parameters stand in the order of the call{}",
        operand.name,
        taken.name,
        if operands.iter().any(|operand| operand.role == Role::Prefetch) { ", prefetched scalars first" } else { "" }
    ))
}

/// The Refs of prefetched scalars: they come first, which is easily forgotten.
fn prefetched(operands: &[Operand]) -> Option<String> {
    let scalars = operands.iter().filter(|operand| operand.role == Role::Prefetch);
    let named: Vec<String> = scalars.map(|operand| format!("`{}` is {}", operand.name, operand.array)).collect();
    (!named.is_empty())
        .then(|| format!("prefetched scalars are a kernel's first parameters, here {}", named.join(" and ")))
}

/// Operands without a block, where others have one.
fn whole(code: &str, operands: &[Operand], programs: usize) -> Option<String> {
    if !ABOUT_SHAPES.contains(&code) || programs < 2 {
        return None;
    }
    let is_cut = |operand: &Operand| operand.block_shape()[..] != operand.array.shape[..];
    let without: Vec<&Operand> = operands
        .iter()
        .filter(|operand| operand.spans.spec.is_none() && operand.role != Role::Prefetch)
        .filter(|operand| operand.space == MemorySpace::Default && operand.array.shape.rank() > 0)
        .collect();
    if without.is_empty() || !operands.iter().any(is_cut) {
        return None;
    }
    let of = |role: Role| without.iter().any(|operand| operand.role == role);
    let specs = match (of(Role::Input), of(Role::Output)) {
        (true, true) => "`in_specs` and `out_specs`",
        (true, false) => "`in_specs`",
        _ => "`out_specs`",
    };
    let names: Vec<&str> = without.iter().map(|operand| &*operand.name).collect();
    Some(format!("without a BlockSpec each program gets all of {}: give {specs}", listed(&names)))
}

/// `2 inputs, 1 output, 1 scratch Ref`
fn kernel_arguments(operands: &[Operand], scratch: usize) -> String {
    let count = |role: Role| operands.iter().filter(|o| o.role == role).count();
    [
        (count(Role::Prefetch), "prefetched scalar"),
        (count(Role::Input), "input"),
        (count(Role::Output), "output"),
        (scratch, "scratch Ref"),
    ]
    .iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" }))
    .collect::<Vec<_>>()
    .join(", ")
}
