//! PL202.

use super::ref_index_out_of_bounds::{describe, said};
use crate::access::{Kind, Outside, outside};
use crate::checked::Checked;
use crate::rule::Rule;
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, OpKind, Severity};
use pallas_syntax::Span;

/// A computed position outside its Ref.
pub(super) static RULE: Rule = Rule {
    code: "PL202",
    name: "dynamic-ref-index-out-of-bounds",
    severity: Severity::Error,
    summary: "an index computed by the kernel lies outside its Ref for some program",
    doc: r#"
## What it does
Reports a load, store or view at a computed position that lies outside the Ref for a program that is named. Program ids
are known from the grid and loop counters from their bounds; positions and conditions that depend on data are left
alone. Of masked accesses the lanes count that the mask lets through, where it is known. When a kernel is run, accesses
are watched as well, and the first that leaves its Ref is reported.

## Why is this bad?
Nothing in JAX checks computed positions. Interpret mode moves the access back inside (or counts a negative one from the
end), so the program works with the wrong elements; hardware reads and writes memory that belongs to something else.

## Example
```python
def kernel(x_ref, o_ref):                     # x_ref has shape (256,), the grid is (3,)
    i = pl.program_id(0)
    o_ref[...] = x_ref[pl.ds(i * 128, 128)]   # program 2: elements 256..384
```

## Use instead
Give each program its own block, so that there is nothing to compute:
```python
pl.BlockSpec((128,), lambda i: (i,))
```
or guard the access (`@pl.when(i * 128 + 128 <= n)`), or mask it.
"#,
    check: Some(check),
};

/// What is said of an access that left its Ref in a run.
pub fn left(what: &str, (axis, extent): (usize, usize), program: &[usize], positions: &str, span: Span) -> Finding {
    let mut finding = RULE.finding(Certainty::Found, span, said(what, "its Ref", axis, extent));
    finding.evidence = Some(format!("{} {what}s {positions} of {extent}", words::program(program)));
    finding.help = Some(
        "interpret mode moves the access back inside, hardware does not: keep the start within bounds, or mask"
            .to_string(),
    );
    finding
}

/// What a device tells of accesses that left their Ref: ``reads `x_ref` outside of what the Ref shows``.
pub fn left_on_device(said: &str, program: &[usize], count: u64, span: Span) -> Finding {
    let mut finding = RULE.finding(Certainty::Found, span, format!("this {said}"));
    let elements = if count == 1 { "1 element".to_string() } else { format!("{count} elements") };
    finding.evidence = Some(format!("{} first; {elements} in all programs", words::program(program)));
    finding.help = Some(
        "the device moves the access back inside, or drops it, as interpret mode does: keep the start within bounds, or mask"
            .to_string(),
    );
    finding
}

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    findings.extend(outside(launch, Kind::Dynamic).into_iter().map(finding));
    for lane in &launch.found().lanes {
        let (op, place) = (launch.kernel.op(lane.op), launch.kernel.location(lane.op));
        let what = if matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)) { "read" } else { "write" };
        let message = said(what, &lane.name, lane.axis, lane.extent);
        let mut finding = RULE.finding(Certainty::Found, place.span, message);
        finding.evidence = Some(format!(
            "{} {what}s position {} of {}, where its mask is true",
            words::program(&lane.program),
            lane.position,
            lane.extent
        ));
        finding.help =
            Some(format!("let the mask leave out what lies past the end: positions are less than {}", lane.extent));
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}

fn finding(outside: Outside) -> Finding {
    let help = if outside.is_before {
        "a computed position does not count from the end: keep it at 0 or above, guard the access with `pl.when`, or mask it"
    } else {
        "keep the position within the Ref, guard the access with `pl.when`, or mask it"
    };
    describe(&RULE, outside, help.to_string())
}
