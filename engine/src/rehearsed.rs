//! Kernels of GPUs, and of TPUs that copy by themselves, that are only analysed, followed without data: who waits for
//! whom in vain, barriers out of step, and accesses that nothing orders, as a run would show them. Nothing is said of kernels whose steps depend on what arrays hold.

use crate::hazards;
use pallas_check::waits::{self, Stop};
use pallas_interpret::{RunError, RunErrorKind};
use pallas_ir::{Finding, Label, Launch};
use pallas_syntax::Span;

/// What is wrong with a launch.
pub(crate) fn findings(launch: &Launch) -> Vec<Finding> {
    let (found, error) = pallas_interpret::follow(launch);
    let stopped = error.and_then(|error| of_error(&error, launch.spans.apply));
    let mut findings: Vec<Finding> = Vec::new();
    for mut finding in found.iter().map(hazards::finding).chain(stopped) {
        if let Some(help) = hazards::counted_together(launch, &finding) {
            finding.help = Some(help);
        }
        let is_known = |known: &Finding| known.span == finding.span && known.code == finding.code;
        if !findings.iter().any(is_known) {
            findings.push(finding);
        }
    }
    findings
}

/// Of errors, those that only agents make; `apply` is where the launch is applied.
pub(crate) fn of_error(error: &RunError, apply: Span) -> Option<Finding> {
    let (stop, message) = match &error.kind {
        RunErrorKind::Deadlock(message) => (Stop::Waiting, message),
        RunErrorKind::Missing(message) => (Stop::Missing, message),
        RunErrorKind::Absent(message) => (Stop::Absent, message),
        RunErrorKind::Barrier(message) => (Stop::OutOfStep, message),
        _ => return None,
    };
    let span = error.op.as_ref().map_or(apply, |(_, location)| location.span);
    let others = error.others().iter().map(|(place, text)| Label { span: place.span, text: text.clone() });
    let program = error.program.as_deref().unwrap_or_default();
    Some(waits::stopped(stop, message, span, others.collect(), program))
}
