//! Sums that loops carry along.

use super::{RULE, TERMS};
use crate::checked::Checked;
use pallas_ir::{Certainty, Finding, ValueId};

/// Sums that a loop carries along in 16 bits.
pub(super) fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
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
