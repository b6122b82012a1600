//! PL205: products. What loops and programs add up has files of its own.

mod carries;
mod programs;

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Certainty, Finding, OpData, OpId, Severity, ValueId};
use pallas_tensor::DType;

/// A product rounds its sums to a type that is narrower than what follows or what came before.
pub(super) static RULE: Rule = Rule {
    code: "PL205",
    name: "narrow-accumulation",
    severity: Severity::Warning,
    summary: "sums are rounded to a narrow type, before they are added up or after each term",
    doc: r#"
## What it does
Reports a product of matrices whose result is of a narrower type than its factors, or is rounded to 16 bits and then
converted to a wider float to go on with; products of floats whose result is an integer; and products of 8-bit integers
that are summed up in 8 bits. And sums of at least 32 terms that a loop carries along in 16 bits; and products and sums
that programs add up in scratch memory of 16 bits, or that at least 8 of them add to the same block of an output of 16
bits.

## Why is this bad?
The sums are computed in 32 bits and then rounded: bfloat16 keeps 8 bits of them. Adding the rounded sums up in float32
afterwards does not bring the others back; errors of half a percent are usual, and grow with the number of blocks. Sums of
8-bit integers wrap around after a few terms, where most are not zero.

## Example
```python
acc_ref[...] += jnp.dot(x_ref[...], y_ref[...])      # bfloat16 factors: the product is bfloat16, too
```

## Use instead
```python
acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
```
"#,
    check: Some(check),
};

/// So many terms lose half of what a bfloat16 keeps.
const TERMS: i64 = 32;

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    products(launch, findings);
    carries::check(launch, findings);
    programs::check(launch, findings);
}

/// Products that are rounded before they are added up.
fn products(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    for (number, op) in kernel.ops.iter().enumerate().filter(|(_, op)| op.op.name == "dot_general") {
        let ([left, right], Some(&result)) = (&op.operands[..], op.results.first()) else { continue };
        let of = |value: ValueId| kernel.ty(value).dtype();
        let (factors, product) = (widest(of(*left), of(*right)), of(result));
        let wraps = factors.is_integer() && product.is_integer() && product.bits() <= 8;
        let message = if wraps {
            format!("this product of {} numbers is summed up in {}", factors.name(), product.name())
        } else if factors.is_float() && product.is_integer() {
            format!("this product of {} numbers is cut to {}", factors.name(), product.name())
        } else if factors.is_float() && product.is_float() && product.bits() < factors.bits() {
            format!("this product of {} numbers is rounded to {}", factors.name(), product.name())
        } else if product.is_float()
            && product.bits() <= 16
            && let Some(wider) = widened(&kernel.ops, result, of)
        {
            format!("this product is rounded to {} and goes on in {}", product.name(), wider.name())
        } else {
            continue;
        };
        let place = kernel.location(OpId(number as u32));
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        let kept = if wraps { "int32" } else { "float32" };
        finding.help = Some(format!("keep its sums as they are computed: `preferred_element_type=jnp.{kept}`"));
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}

fn widest(left: DType, right: DType) -> DType {
    if right.bits() > left.bits() { right } else { left }
}

/// The wider float that all uses of a value convert it to.
fn widened(ops: &[OpData], value: ValueId, of: impl Fn(ValueId) -> DType) -> Option<DType> {
    let mut wider = None;
    for op in ops.iter().filter(|op| op.operands.contains(&value)) {
        let to = op.results.first().map(|&result| of(result))?;
        if op.op.name != "convert_element_type" || !to.is_float() || to.bits() <= of(value).bits() {
            return None;
        }
        wider = Some(to);
    }
    wider
}
