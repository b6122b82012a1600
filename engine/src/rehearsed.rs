//! GPU kernels that are only analysed, followed without data: who waits for whom in vain, barriers out of step, and accesses
//! that nothing orders, as a run would show them. Nothing is said of kernels whose steps depend on what arrays hold.

use crate::hazards;
use pallas_check::waits;
use pallas_interpret::{RunError, RunErrorKind};
use pallas_ir::function::Location;
use pallas_ir::{Finding, Label, Launch};

/// What is wrong with a launch.
pub(crate) fn findings(launch: &Launch) -> Vec<Finding> {
    let (found, error) = pallas_interpret::follow(launch);
    let mut findings: Vec<Finding> = Vec::new();
    for finding in found.iter().map(hazards::finding).chain(error.as_ref().and_then(of_error)) {
        let is_known = |known: &Finding| known.span == finding.span && known.code == finding.code;
        if !findings.iter().any(is_known) {
            findings.push(finding);
        }
    }
    findings
}

/// Of errors, those that only agents make.
fn of_error(error: &RunError) -> Option<Finding> {
    let (all_wait, message) = match &error.kind {
        RunErrorKind::Deadlock(message) => (true, message),
        RunErrorKind::Barrier(message) => (false, message),
        _ => return None,
    };
    let (_, location) = error.op.as_ref()?;
    let mut finding = waits::stopped(all_wait, message, location.span, error.program.as_deref().unwrap_or_default());
    let label = |(place, text): &(Location, String)| Label { span: place.span, text: text.clone() };
    finding.labels.extend(error.others().iter().map(label));
    Some(finding)
}
