//! PL505.

use crate::checked::Checked;
use crate::lowering::Compiler;
use crate::rule::Rule;
use crate::words;
use pallas_ir::op::EffectOp;
use pallas_ir::{Certainty, Finding, Launch, OpData, OpId, OpKind, Severity, ValueId};
use pallas_tensor::DType;

/// A print in a kernel that prints something else than is meant, or that the target refuses.
pub(super) static RULE: Rule = Rule {
    code: "PL505",
    name: "debug-print-form",
    severity: Severity::Error,
    summary: "a form of `debug_print` that the target refuses, or that does not print the values",
    doc: r#"
## What it does
Reports calls of `pl.debug_print` whose format has another number of `{}` than there are values, calls whose format was made
with an f-string from a value of the kernel, and, where the target is known, forms that its compiler refuses:

- Triton takes no `{}`: values are printed after the text.
- Mosaic GPU takes `{}` without specs for each value; several values have to be scalars.
- TPUs take `{}` for scalars of 32-bit integers; one vector is printed after a text that ends in `{}`; values without `{}` are
  printed after the text.

## Why is this bad?
Lowering raises, for instance `ValueError: pl.debug_print() does not support placeholders when lowering to Triton`. An f-string
prints the name of a traced value (`JitTracer(float32[8])`), which is made once, when the kernel is traced.

## Example
```python
pl.debug_print(f"row {i}: {x}")
```

## Use instead
```python
pl.debug_print("row {}", i)         # TPU, Mosaic GPU: a 32-bit integer
pl.debug_print("row", i)            # Triton
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (number, op) in launch.kernel.ops.iter().enumerate() {
        if !matches!(op.op.kind, OpKind::Effect(EffectOp::DebugPrint)) {
            continue;
        }
        let Some(format) = op.attributes.str("format") else { continue };
        let Some((severity, message, help)) = problem(launch, op, format) else { continue };
        let place = launch.kernel.location(OpId(number as u32));
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        finding.severity = severity;
        finding.help = Some(help.to_string());
        findings.push(finding);
    }
}

/// What a format asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fields {
    count: usize,
    /// A field has a name, a number, a spec or a conversion.
    is_more: bool,
    /// A field says which value it shows: there may be more fields than values.
    is_numbered: bool,
    ends_in_one: bool,
}

/// The fields of a format; `None` if it is no format.
fn fields(format: &str) -> Option<Fields> {
    let mut found = Fields::default();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let doubled = rest[at..].starts_with("{{") || rest[at..].starts_with("}}");
        if doubled {
            rest = &rest[at + 2..];
            continue;
        }
        let inside = rest[at..].strip_prefix('{')?;
        let end = inside.find('}')?;
        found.count += 1;
        found.is_more |= end > 0;
        found.is_numbered |= inside.starts_with(|c: char| c.is_ascii_digit());
        rest = &inside[end + 1..];
        found.ends_in_one = rest.is_empty();
    }
    Some(found)
}

fn problem(launch: &Launch, op: &OpData, format: &str) -> Option<(Severity, String, &'static str)> {
    // The text of a traced value: `JitTracer(float32[8])`.
    if format.contains("Tracer(") {
        let message =
            "this format holds the name of a traced value, not the value: it is made once, when the kernel is traced";
        return Some((Severity::Warning, message.to_string(), "write `{}` in the format, and hand the value over"));
    }
    let fields = fields(format)?;
    let values = op.operands.len();
    let ty = |value: ValueId| launch.kernel.ty(value);
    let all_scalars = op.operands.iter().all(|&value| ty(value).shape().rank() == 0);
    let compiler = Compiler::of(launch.target).filter(|_| !launch.has_agents());
    let refused = |message: &str, help| {
        let who = compiler.map_or("", Compiler::name);
        Some((Severity::Error, format!("{who} {message}"), help))
    };
    if compiler == Some(Compiler::Triton) {
        let help = "leave them out: the values are printed after the text";
        return (fields.count > 0).then(|| refused("takes no `{}` in `debug_print`", help))?;
    }
    // Without fields the values are printed after the text, but not by Mosaic GPU.
    if fields.count != values && !fields.is_numbered && (fields.count > 0 || compiler == Some(Compiler::MosaicGpu)) {
        let message = format!(
            "this format has {}, and there {}",
            words::count(fields.count, "field"),
            match values {
                1 => "is 1 value".to_string(),
                _ => format!("are {values} values"),
            }
        );
        let severity = if fields.count > values { Severity::Error } else { Severity::Warning };
        return Some((severity, message, "give it one `{}` for each value"));
    }
    match compiler? {
        Compiler::MosaicGpu if fields.is_more => {
            refused("takes plain `{}` only: no names, numbers, specs or conversions", "write `{}`")
        }
        Compiler::MosaicGpu | Compiler::Tpu if !all_scalars && values > 1 => {
            refused("prints scalars, or one array, in one `debug_print`", "print each array by a call of its own")
        }
        Compiler::Tpu if all_scalars && fields.count > 0 => {
            let other = op.operands.iter().map(|&value| ty(value).dtype());
            let other = other.into_iter().find(|dtype| !matches!(dtype, DType::I32 | DType::U32));
            match other {
                Some(dtype) => refused(
                    &format!("formats 32-bit integers only, this is {dtype}"),
                    "leave the `{}` out: the values are printed after the text",
                ),
                None if fields.is_more => {
                    refused("takes plain `{}` only: no names, numbers, specs or conversions", "write `{}`")
                }
                None => None,
            }
        }
        Compiler::Tpu if !(all_scalars || fields.count == 1 && fields.ends_in_one) => {
            refused("prints an array after a text that ends in `{}`", "end the format in `{}`")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_formats() {
        let of = |format| fields(format).map(|found| (found.count, found.is_more, found.ends_in_one));
        assert_eq!(of("x"), Some((0, false, false)));
        assert_eq!(of("{} and {}"), Some((2, false, true)));
        assert_eq!(of("{{}} {}."), Some((1, false, false)));
        assert_eq!(of("{:.2f}"), Some((1, true, true)));
        assert_eq!(of("{"), None);
        assert_eq!(of("}"), None);
    }
}
