//! From an analysis and, once there is one, a run of the same text to what the screens show: launches that ran take the
//! place of those that the analysis found, launches that did not run stay, and all of them are profiled on a machine.

use super::report::{Ran, Report};
use pallas_engine::pipeline::Machines;
use pallas_engine::report::{Observed, ObservedLaunch, Recorder, Report as Profile};
use pallas_engine::{Analysis, Finding, Launch, Run, Span};
use std::sync::Arc;
use std::time::Duration;

/// What was measured of launches, to be shown until there is something newer.
pub(crate) type Recorded = Vec<(Arc<Launch>, Recorder)>;

/// What is known of a text.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// What was found without running it.
    pub(crate) analysis: &'a Analysis,
    /// What was found by running it, and how that went.
    pub(crate) run: Option<(&'a Run, &'a Ran)>,
    /// What was measured before the last edit.
    pub(crate) before: &'a Recorded,
    /// What launches are modelled on.
    pub(crate) machines: &'a Machines,
    /// `sys.argv[1:]`
    pub(crate) arguments: &'a [String],
    /// How long the analysis took.
    pub(crate) took: Duration,
}

/// A launch, what was measured of it, and whether that was before the last edit.
struct Seen {
    launch: Arc<Launch>,
    recorder: Option<Recorder>,
    ran: bool,
    stale: bool,
}

impl Known<'_> {
    /// The report of all that is known.
    pub(crate) fn report(&self) -> Report {
        let analysis = self.analysis;
        let sources = match self.run {
            Some((run, _)) if !run.sources.is_empty() => run.sources.clone(),
            _ => analysis.sources.clone(),
        };
        // File numbers follow the order of imports, which a run may take differently.
        let same_file = |span: Span| {
            let path = |sources: &[Arc<pallas_engine::SourceFile>]| {
                sources.iter().find(|source| source.id == span.file).map(|source| source.path.clone())
            };
            path(&sources) == path(&analysis.sources)
        };
        let mut findings: Vec<Finding> = self.run.map_or_else(Vec::new, |(run, _)| run.findings.clone());
        for finding in analysis.findings.iter().filter(|finding| same_file(finding.span)) {
            if !findings.iter().any(|found| found.code == finding.code && found.span == finding.span) {
                findings.push(finding.clone());
            }
        }
        findings.sort_by_key(|finding| (finding.severity, finding.span.file, finding.span.start, finding.code));
        let seen = self.launches(&same_file);
        let launches: Vec<Arc<Launch>> = seen.iter().map(|seen| seen.launch.clone()).collect();
        let observed: Vec<ObservedLaunch> = seen
            .iter()
            .map(|seen| ObservedLaunch { launch: seen.launch.clone(), measured: seen.recorder.clone() })
            .collect();
        let own = analysis.source.clone();
        let others = sources.iter().filter(|source| source.id != own.id).cloned();
        let ordered: Vec<_> = std::iter::once(own.clone()).chain(others).collect();
        let mut profile = Profile::new(
            &Observed {
                path: &own.path,
                arguments: self.arguments,
                exit: self.run.map(|(run, _)| run.exit),
                sources: &ordered,
                findings: &findings,
                launches: &observed,
            },
            self.machines,
        );
        if let Some((run, _)) = self.run {
            profile.leave_out(&run.left_out, &run.sources);
        }
        let mut report = Report::of(own, sources, findings, &launches, self.took);
        for (launch, seen) in report.launches.iter_mut().zip(&seen) {
            launch.ran = seen.ran;
            launch.stale = seen.stale;
        }
        report.profile = Some(Arc::new(profile));
        report.ran = self.run.map(|(_, ran)| ran.clone());
        report
    }

    fn launches(&self, same_file: &dyn Fn(Span) -> bool) -> Vec<Seen> {
        let mut ran: Vec<_> = self.run.map_or_else(Vec::new, |(run, _)| run.shown().into_iter().map(Some).collect());
        let mut seen = Vec::new();
        for launch in &self.analysis.launches {
            let found = ran
                .iter_mut()
                .find(|ran| ran.as_ref().is_some_and(|(ran, _)| alike(ran, launch)))
                .and_then(Option::take);
            match found {
                Some((launch, recorder)) => seen.push(Seen { launch, recorder, ran: true, stale: false }),
                None if same_file(launch.spans.call) => {
                    let before = self.before.iter().find(|(before, _)| alike(before, launch));
                    let recorder = before.filter(|_| self.run.is_none()).map(|(_, recorder)| recorder.clone());
                    let stale = recorder.is_some();
                    seen.push(Seen { launch: launch.clone(), recorder, ran: false, stale });
                }
                None => {}
            }
        }
        let rest = ran.into_iter().flatten();
        seen.extend(rest.map(|(launch, recorder)| Seen { launch, recorder, ran: true, stale: false }));
        seen
    }
}

/// Whether two launches are the same one to a person: the same kernel on arrays of the same types, cut the same way.
fn alike(a: &Launch, b: &Launch) -> bool {
    a.kernel.name == b.kernel.name
        && a.grid == b.grid
        && a.operands.len() == b.operands.len()
        && a.operands.iter().zip(&b.operands).all(|(a, b)| a.name == b.name && a.array == b.array && a.block == b.block)
}
