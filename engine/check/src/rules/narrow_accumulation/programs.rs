//! Sums that programs add up in memory, one after the other.

use super::{RULE, TERMS};
use crate::checked::Checked;
use pallas_ir::op::MemoryOp;
use pallas_ir::{BlockMap, Certainty, Finding, Function, OpData, OpId, OpKind, Role, ValueId};

/// So many sums of their own lose a bit more of a bfloat16 than the result has to.
const SUMS: usize = 8;

/// What leaves numbers as they are, but for their type and shape.
const SAME: [&str; 3] = ["convert_element_type", "reshape", "broadcast_in_dim"];

/// Memory of 16 bits to which programs add.
struct Sum {
    /// The Ref in the kernel.
    reference: ValueId,
    /// How many programs add to the same elements of it.
    programs: usize,
    /// So many are worth a word where each adds a product or a sum.
    least: usize,
    /// Where they add.
    evidence: String,
    help: &'static str,
}

/// Sums that programs add up in memory of 16 bits.
pub(super) fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    let sums: Vec<Sum> = scratch(launch).into_iter().chain(outputs(launch)).collect();
    for (number, op) in kernel.ops.iter().enumerate() {
        let (OpKind::Memory(MemoryOp::Store), [reference, value, ..]) = (&op.op.kind, &op.operands[..]) else {
            continue;
        };
        let Some(sum) = sums.iter().find(|sum| sum.reference == *reference) else { continue };
        let dtype = kernel.ty(*value).dtype();
        if !dtype.is_float() || dtype.bits() > 16 {
            continue;
        }
        let Some(added) = added(kernel, op, *value) else { continue };
        let (what, least) = match added.op.name {
            "dot_general" => ("products", sum.least),
            "reduce_sum" => ("sums", sum.least),
            _ => ("terms", TERMS as usize),
        };
        if sum.programs < least {
            continue;
        }
        let place = kernel.location(OpId(number as u32));
        let message = format!("this sum of {what} is rounded to {} by each program that adds to it", dtype.name());
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        finding.evidence = Some(sum.evidence.clone());
        finding.help = Some(sum.help.to_string());
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}

/// Scratch memory, to which the programs along the last axis add.
fn scratch(launch: &Checked<'_>) -> Vec<Sum> {
    let programs = launch.grid.last().copied().unwrap_or(1);
    let own = launch.kernel.params().get(launch.operands.len()..).unwrap_or_default();
    let sum = |&reference: &ValueId| Sum {
        reference,
        programs,
        least: 2,
        evidence: format!("{programs} programs add along the last grid axis"),
        help: "let the scratch Ref be of float32, add products with `preferred_element_type=jnp.float32`, and convert \
               the sum where it is stored to the output",
    };
    own.iter().map(sum).collect()
}

/// Outputs, to a block of which all programs add that differ in axes that its index map does not look at.
fn outputs(launch: &Checked<'_>) -> Vec<Sum> {
    let sum = |(number, operand)| {
        let map = BlockMap::new(operand, launch.grid.len());
        let follows: Option<Vec<bool>> = (0..launch.grid.len()).map(|axis| map.depends_on(axis)).collect();
        let programs = launch.grid.iter().zip(follows?).filter(|(_, follows)| !follows).map(|(&extent, _)| extent);
        let programs = programs.fold(1_usize, usize::saturating_mul);
        Some(Sum {
            reference: *launch.kernel.params().get(number)?,
            programs,
            least: SUMS,
            evidence: format!("{programs} programs add to each block of {}", operand.name),
            help: "add in scratch memory of float32, and convert the sum where the last of these programs stores it to the \
                   output; or let the output be of float32",
        })
    };
    launch.with_role(Role::Output).filter_map(sum).collect()
}

/// What a store adds to what lies there: `ref[...] += value`, also by way of a wider type or another shape.
fn added<'a>(kernel: &'a Function, store: &OpData, value: ValueId) -> Option<&'a OpData> {
    let defined = |value: ValueId| {
        let mut op = kernel.op(kernel.definition(value)?);
        while SAME.contains(&op.op.name)
            && let Some(from) = op.operands.first().and_then(|&value| kernel.definition(value))
        {
            op = kernel.op(from);
        }
        Some(op)
    };
    let sum = defined(value).filter(|sum| sum.op.name == "add")?;
    let [left, right] = [*sum.operands.first()?, *sum.operands.get(1)?];
    let is_load = |value: ValueId| {
        defined(value).is_some_and(|load| {
            matches!(load.op.kind, OpKind::Memory(MemoryOp::Load))
                && load.operands.first() == store.operands.first()
                && load.attributes.index() == store.attributes.index()
        })
    };
    let other = match (is_load(left), is_load(right)) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    defined(other)
}
