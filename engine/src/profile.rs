//! Profiles: what was seen of a program, as the report that screens and files show.

use crate::analysis::Analysis;
use crate::run::Run;
use pallas_ir::Launch;
use pallas_pipeline::Machines;
use pallas_profile::{Observed, ObservedLaunch, Recorder, Report};
use pallas_syntax::SourceFile;
use std::sync::Arc;

/// Makes reports.
pub struct Profile;

impl Profile {
    /// The report of an analysis: modelled, nothing ran.
    pub fn of_analysis(analysis: &Analysis, arguments: &[String], machines: &Machines) -> Report {
        let launches: Vec<ObservedLaunch> =
            analysis.launches.iter().map(|launch| ObservedLaunch { launch: launch.clone(), measured: None }).collect();
        let sources = first(&analysis.sources, &analysis.source);
        let observed = Observed {
            path: &analysis.source.path,
            arguments,
            exit: None,
            sources: &sources,
            findings: &analysis.findings,
            launches: &launches,
        };
        Report::new(&observed, machines)
    }

    /// The report of a run.
    pub fn of_run(run: &Run, path: &str, arguments: &[String], machines: &Machines) -> Report {
        let mut measured: Vec<_> = run.measured.iter().map(Some).collect();
        let mut launches: Vec<ObservedLaunch> = Vec::new();
        for launch in &run.launches {
            let same =
                |(timed, _): &(Arc<Launch>, Recorder)| timed.spans.apply == launch.spans.apply && **timed == **launch;
            let found = measured.iter_mut().find(|timed| timed.is_some_and(same)).and_then(Option::take);
            launches
                .push(ObservedLaunch { launch: launch.clone(), measured: found.map(|(_, recorder)| recorder.clone()) });
        }
        // Transformations change a launch on its way (a mapped one has one more axis): what ran is shown as it ran.
        launches.extend(
            measured
                .into_iter()
                .flatten()
                .map(|(launch, recorder)| ObservedLaunch { launch: launch.clone(), measured: Some(recorder.clone()) }),
        );
        let own = run.sources.iter().find(|source| *source.path == *path).or(run.sources.first());
        let sources = own.map_or_else(Vec::new, |own| first(&run.sources, own));
        let observed = Observed {
            path,
            arguments,
            exit: Some(run.exit),
            sources: &sources,
            findings: &run.findings,
            launches: &launches,
        };
        let mut report = Report::new(&observed, machines);
        report.launches.iter_mut().for_each(|launch| launch.ran = true);
        report
    }
}

/// The sources with the program's own in front.
fn first(sources: &[Arc<SourceFile>], own: &Arc<SourceFile>) -> Vec<Arc<SourceFile>> {
    let others = sources.iter().filter(|source| source.id != own.id);
    std::iter::once(own).chain(others).cloned().collect()
}
