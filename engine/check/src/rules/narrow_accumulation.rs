//! PL205.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, OpData, OpId, OpKind, Severity, ValueId};
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
that are summed up in 8 bits. And sums of at least 32 terms that a loop carries along in 16 bits, and products that
programs add up in scratch memory of 16 bits.

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

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    products(launch, findings);
    carries(launch, findings);
    scratch(launch, findings);
}

/// Products that programs add up in scratch memory of 16 bits.
fn scratch(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    let own = kernel.params().get(launch.operands.len()..).unwrap_or_default();
    let Some(terms) = launch.grid.last().copied().filter(|&terms| terms > 1) else { return };
    for (number, op) in kernel.ops.iter().enumerate() {
        let (OpKind::Memory(MemoryOp::Store), [reference, value, ..]) = (&op.op.kind, &op.operands[..]) else {
            continue;
        };
        let dtype = kernel.ty(*value).dtype();
        if !own.contains(reference) || !dtype.is_float() || dtype.bits() > 16 {
            continue;
        }
        let defined = |value: ValueId| kernel.definition(value).map(|id| kernel.op(id));
        let is_load = |value: ValueId| {
            defined(value).is_some_and(|load| {
                matches!(load.op.kind, OpKind::Memory(MemoryOp::Load))
                    && load.operands.first() == Some(reference)
                    && load.attributes.index() == op.attributes.index()
            })
        };
        let is_product = |value: ValueId| {
            let whole = defined(value).filter(|whole| whole.op.name == "convert_element_type");
            let value = whole.and_then(|whole| whole.operands.first().copied()).unwrap_or(value);
            defined(value).is_some_and(|product| product.op.name == "dot_general")
        };
        let Some([left, right]) =
            defined(*value).filter(|sum| sum.op.name == "add").and_then(|sum| sum.operands.first_chunk::<2>())
        else {
            continue;
        };
        if !(is_load(*left) && is_product(*right) || is_load(*right) && is_product(*left)) {
            continue;
        }
        let place = kernel.location(OpId(number as u32));
        let message = format!("this sum of products is rounded to {} by each program that adds to it", dtype.name());
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        finding.evidence = Some(format!("{terms} programs add along the last grid axis"));
        finding.help = Some(
            "let the scratch Ref be of float32, add products with `preferred_element_type=jnp.float32`, and convert \
             the sum where it is stored to the output"
                .to_string(),
        );
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}

/// So many terms lose half of what a bfloat16 keeps.
const TERMS: i64 = 32;

/// Sums that a loop carries along in 16 bits.
fn carries(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    let constant = |value: ValueId| -> Option<i64> {
        let op = kernel.op(kernel.definition(value)?);
        let array = op.attributes.array("value").filter(|_| op.op.name == "constant")?;
        pallas_ir::ops::array_bounds(array).value()
    };
    for op in kernel.ops.iter().filter(|op| op.op.name == "for") {
        let [lower, upper, ..] = op.operands[..] else { continue };
        let Some(terms) = constant(lower).zip(constant(upper)).map(|(lower, upper)| upper.saturating_sub(lower)) else {
            continue;
        };
        let Some(region) = op.regions.first().map(|&region| kernel.region(region)) else { continue };
        for (&carry, &next) in region.params.iter().skip(1).zip(&region.yields) {
            let dtype = kernel.ty(carry).dtype();
            if terms < TERMS || !dtype.is_float() || dtype.bits() > 16 {
                continue;
            }
            let Some(id) = kernel.definition(next) else { continue };
            let sum = kernel.op(id);
            // The sum goes into the next round, and nothing else happens to it.
            let is_sum = sum.op.name == "add" && sum.operands.contains(&carry) && sum.operands[0] != sum.operands[1];
            if !is_sum || !region.ops.contains(&id) {
                continue;
            }
            let place = kernel.location(id);
            let message = format!("this sum of {terms} terms is rounded to {} after each of them", dtype.name());
            let mut finding = RULE.finding(Certainty::Proved, place.span, message);
            finding.evidence = Some(format!("the loop carries {}", kernel.ty(carry)));
            finding.help =
                Some("carry the sum in float32, and convert it once the loop has ended: `.astype(...)`".to_string());
            finding.called_from(&place.calls);
            findings.push(finding);
        }
    }
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
