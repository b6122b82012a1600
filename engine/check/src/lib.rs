//! Findings about launches: one rule, one file. The catalogue also holds the rules that are found while evaluating and
//! tracing, so that every code has its page. Runs no kernels: what programs do is found by reasoning over the IR, and
//! where that does not decide, nothing is said.

mod access;
mod aligned;
mod alike;
mod blocks;
mod checked;
mod coverage;
mod devices;
mod evaluate;
mod guards;
mod lanes;
mod live;
mod lowering;
pub mod messages;
mod overflow;
mod pipelines;
mod prefetched;
pub mod ranges;
mod refs;
pub mod rule;
pub mod rules;
mod search;
mod shadow;
mod shared;
mod stepped;
pub mod waits;
mod walk;
mod words;

pub use checked::Checked;
pub use rule::Rule;

use pallas_ir::{Finding, Launch, Scalars};

/// Everything that the rules find in a launch, most serious first, then in the order of the source.
pub fn check(launch: &Launch) -> Vec<Finding> {
    check_with(launch, &Scalars::default())
}

/// The same, where something is known of the scalars that the launch fetches before its grid runs.
pub fn check_with(launch: &Launch, scalars: &Scalars) -> Vec<Finding> {
    let mut findings = Vec::new();
    let resolved = prefetched::resolve(launch, &prefetched::all_come(launch, scalars));
    let launch = Checked::new(resolved.as_ref().unwrap_or(launch), launch);
    for rule in rules::ALL {
        if let Some(check) = rule.check {
            check(&launch, &mut findings);
        }
    }
    pipelines::check(&launch, &mut findings);
    findings.sort_by_key(|finding| (finding.severity, finding.span.file, finding.span.start, finding.code));
    findings
}

/// The rule with this code (`PL120`, any case) or name (`block-out-of-bounds`).
pub fn find(text: &str) -> Option<&'static Rule> {
    rules::ALL.iter().copied().find(|rule| rule.code.eq_ignore_ascii_case(text) || rule.name == text)
}
