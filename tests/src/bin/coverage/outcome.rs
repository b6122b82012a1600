//! What became of a site in one analysis, and how the outcomes of several make one.

use crate::sites::{Found, Site};
use pallas_engine::check::check;
use pallas_engine::{Analysis, FileId, Finding, Launch, Severity, Span};
use std::fmt::Write;

/// What became of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was traced, with these findings that are errors, in full.
    Traced { errors: Vec<String> },
    /// It was reached, and not traced.
    NotTraced(String),
    /// What stops it belongs to kernels that copy or run asynchronously.
    Asynchronous(String),
    /// Nothing is known of it.
    NotReached(String),
}

impl Outcome {
    /// What stopped it; kernels of the asynchronous kind are set apart by what is missing, not by where they stand.
    pub(crate) fn stopped(was_reached: bool, why: String) -> Outcome {
        if is_asynchronous(&why) {
            Outcome::Asynchronous(why)
        } else if was_reached {
            Outcome::NotTraced(why)
        } else {
            Outcome::NotReached(why)
        }
    }

    /// The better outcome of two has the higher rank.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Outcome::Traced { .. } => 3,
            Outcome::NotTraced(_) | Outcome::Asynchronous(_) => 2,
            Outcome::NotReached(_) => 1,
        }
    }
}

/// What a missing name or feature is called that only asynchronous kernels use: copies that are started and awaited,
/// what they are awaited by, pipelines inside of kernels, kernels over threads and cores.
const ASYNCHRONOUS: [&str; 15] = [
    "semaphore",
    "Semaphore",
    "async_copy",
    "async_remote_copy",
    "emit_pipeline",
    "pallas.kernel",
    "'kernel'",
    "core_map",
    "CoreMesh",
    "SubcoreMesh",
    "mosaic_gpu",
    "plgpu",
    "SparseCore",
    "tpu_sc",
    "sc_core",
];

/// Whether a reason names something of asynchronous kernels that is not there yet.
fn is_asynchronous(why: &str) -> bool {
    let is_missing = why.contains("not provided") || why.contains("No module named");
    is_missing && ASYNCHRONOUS.iter().any(|word| why.contains(word))
}

/// An analysis in which a site is looked for.
pub(crate) struct View<'a> {
    pub(crate) analysis: &'a Analysis,
    /// The id that the site's file has in it.
    pub(crate) file: FileId,
    /// Where the calls stand that are to reach the site.
    pub(crate) calls: Vec<Span>,
    /// Whether the arguments were made up: what Python raises about them says nothing about the launch.
    pub(crate) made_up: bool,
}

/// An attempt to reach a site.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) outcome: Outcome,
    /// How far it came: expressions evaluated in the function around the site, then in those that lead to it.
    pub(crate) came: (usize, usize),
}

impl View<'_> {
    /// Where a place of the site's file is in this analysis.
    fn here(&self, span: Span) -> Span {
        Span { file: self.file, ..span }
    }

    /// What became of a site. `None`: this analysis has nothing to do with it.
    pub(crate) fn attempt(&self, site: &Site, found: &Found) -> Option<Attempt> {
        let facts = &self.analysis.facts;
        let leading = found.callers(site.within.as_deref().unwrap_or_default());
        let leading: Vec<Span> = leading.into_iter().map(|function| self.here(function.body)).collect();
        let inside = |span: Span| facts.evaluated_within(span);
        let came = (inside(self.here(site.around)), leading.iter().map(|body| inside(*body)).sum());
        let outcome = if facts.was_evaluated(self.here(site.callee)) {
            self.outcome(site, found)
        } else {
            Outcome::stopped(false, self.why_not(site, &leading, came != (0, 0))?)
        };
        Some(Attempt { outcome, came })
    }

    /// The launches that were traced at a site. What a wrapper launches may stand elsewhere in the site's function.
    fn launches(&self, site: &Site, found: &Found) -> Vec<&Launch> {
        let of = |is_there: &dyn Fn(Span) -> bool| {
            let launches = self.analysis.launches.iter().map(|launch| &**launch);
            launches.filter(|launch| is_there(launch.spans.call) || is_there(launch.spans.apply)).collect()
        };
        let (call, around) = (self.here(site.span), self.here(site.around));
        let exact: Vec<&Launch> = of(&|span| is_within(call, span));
        let is_alone = found.sites.iter().filter(|other| other.around == site.around).count() == 1;
        if exact.is_empty() && is_alone { of(&|span| is_within(span, around)) } else { exact }
    }

    /// Whether a kernel that was traced has operations in the function, or the lambda, at a site.
    fn is_in_kernel(&self, site: &Site) -> bool {
        let call = self.here(site.span);
        let kernels = self.analysis.launches.iter().map(|launch| &launch.kernel);
        let mut places = kernels.flat_map(|kernel| &kernel.locations);
        places.any(|place| place.calls.iter().chain([&place.span]).any(|span| span.covers(call) || call.covers(*span)))
    }

    /// Whether a wrapper of the package has launched something for this site: in its call, or in one of what it returned.
    fn launches_through(&self, site: &Site, found: &Found) -> bool {
        let mut calls = self.analysis.facts.launching_within(self.here(site.around));
        let others = || found.sites.iter().filter(|other| other.span != site.span);
        let is_of_other = |call: &Span| others().any(|other| call.covers(self.here(other.span)));
        calls.any(|call| call.covers(self.here(site.span)) || !is_of_other(&call))
    }

    fn outcome(&self, site: &Site, found: &Found) -> Outcome {
        let launches = self.launches(site, found);
        if !launches.is_empty() {
            let findings = launches.into_iter().flat_map(check).filter(|f| f.severity == Severity::Error);
            return Outcome::Traced { errors: findings.map(|finding| in_full(&finding, self.analysis)).collect() };
        }
        let facts = &self.analysis.facts;
        // What a launcher of the package launches has its place, and its findings, there.
        if site.is_wrapper && self.launches_through(site, found) {
            return Outcome::Traced { errors: Vec::new() };
        }
        // A `core_map` in a kernel is no launch of its own: it is part of one.
        if site.launcher == "core_map" && self.is_in_kernel(site) {
            return Outcome::Traced { errors: Vec::new() };
        }
        if let Some(why) = facts.why_unknown(self.here(site.callee)) {
            return Outcome::stopped(true, why.to_string());
        }
        // The reason is what ended the call that reached the site: a missing name before anything else.
        let around = self.here(site.around);
        let order = |finding: &Finding| {
            let missing = match finding.code {
                "PL005" | "PL002" => 0,
                "PL312" => 1,
                _ if finding.severity == Severity::Error => 2,
                _ => 3,
            };
            let inside = places(finding).filter(|span| is_within(*span, around));
            (missing, inside.map(|span| span.start.abs_diff(site.span.start)).min().unwrap_or(u32::MAX))
        };
        // Elsewhere many things may be wrong; a made-up call is there for this site alone.
        let inside = self.reasons(|span| is_within(span, around), order).first().copied();
        let of_call = || self.reasons(|span| self.is_own_call(span), order).first().copied().filter(|_| self.made_up);
        match inside.or_else(of_call) {
            Some(finding) if self.made_up && is_of_argument(finding) => {
                Outcome::stopped(false, format!("the made-up call: {}", finding.message))
            }
            Some(finding) => Outcome::stopped(true, finding.message.clone()),
            None => {
                let unknown = facts.why_unknown_within(self.here(site.span));
                Outcome::stopped(true, unknown.unwrap_or("its arguments are not known").to_string())
            }
        }
    }

    /// What stopped the calls before they came to a site: what stands furthest in the function around it, else in those
    /// that lead to it.
    fn why_not(&self, site: &Site, leading: &[Span], was_entered: bool) -> Option<String> {
        let around = self.here(site.around);
        let touches = |span: Span| {
            is_within(span, around) || self.is_own_call(span) || leading.iter().any(|place| is_within(span, *place))
        };
        let reasons = self.reasons(touches, |finding| {
            let inside = places(finding).filter(|span| is_within(*span, around)).map(|span| span.start).max();
            let leads = places(finding).any(|span| leading.iter().any(|place| is_within(span, *place)));
            let missing = !matches!(finding.code, "PL005" | "PL002");
            (std::cmp::Reverse(inside), !leads, missing)
        });
        let reason = reasons.first().map(|finding| finding.message.clone());
        let Some(why) = reason else {
            return was_entered.then(|| "the calls take another way".to_string());
        };
        // A program that has not come near has nothing to say, whatever stops it.
        if self.made_up { Some(format!("the made-up call: {why}")) } else { was_entered.then_some(why) }
    }

    /// Whether a place lies in a call of ours.
    fn is_own_call(&self, span: Span) -> bool {
        self.calls.iter().any(|call| is_within(span, *call))
    }

    /// Findings that touch some places, in an order.
    fn reasons<K: Ord>(&self, touches: impl Fn(Span) -> bool, order: impl Fn(&Finding) -> K) -> Vec<&Finding> {
        let concerns = |finding: &&Finding| places(finding).any(&touches);
        let mut reasons: Vec<&Finding> = self.analysis.findings.iter().filter(concerns).collect();
        reasons.sort_by_key(|finding| order(finding));
        reasons
    }
}

/// A finding with all that it says, as text.
pub(crate) fn in_full(finding: &Finding, analysis: &Analysis) -> String {
    let place = |span: Span| analysis.source_of(span).place(span.start);
    let severity = finding.severity.name();
    let mut text = format!("{} {severity} {} {}\n", place(finding.span), finding.code, finding.message);
    for label in &finding.labels {
        let _ = writeln!(text, "    {} {}", place(label.span), label.text);
    }
    for more in finding.evidence.iter().chain(&finding.help) {
        let _ = writeln!(text, "    {more}");
    }
    text
}

/// The places that a finding names.
fn places(finding: &Finding) -> impl Iterator<Item = Span> {
    std::iter::once(finding.span).chain(finding.labels.iter().map(|label| label.span))
}

fn is_within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether a finding is an exception that a wrong shape, rank or number brings about in plain Python.
fn is_of_argument(finding: &Finding) -> bool {
    const KINDS: [&str; 4] = ["ValueError", "IndexError", "AssertionError", "ZeroDivisionError"];
    finding.code == "PL001" && KINDS.iter().any(|kind| finding.message.contains(&format!("raises {kind}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_decides_what_is_asynchronous() {
        for why in [
            "'kernel' is not provided yet",
            "`jax.experimental.pallas.tpu.emit_pipeline` is not provided by Pallas Workbench yet",
            "NotImplementedError: semaphores in scratch_shapes are not provided by the workbench yet: ...",
        ] {
            assert_eq!(Outcome::stopped(true, why.to_string()), Outcome::Asynchronous(why.to_string()));
        }
        for why in
            ["`jax.numpy.fromfile` is not provided by Pallas Workbench yet", "ValueError: bad emit_pipeline grid"]
        {
            assert_eq!(Outcome::stopped(true, why.to_string()), Outcome::NotTraced(why.to_string()));
            assert_eq!(Outcome::stopped(false, why.to_string()), Outcome::NotReached(why.to_string()));
        }
    }
}
