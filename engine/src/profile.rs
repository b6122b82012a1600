//! Profiles: what was seen of a program, as the report that screens and files show.

use crate::analysis::Analysis;
use crate::run::Run;
use pallas_pipeline::Machines;
use pallas_profile::{Observed, ObservedLaunch, Report};
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
        let launches: Vec<ObservedLaunch> =
            run.shown().into_iter().map(|(launch, measured)| ObservedLaunch { launch, measured }).collect();
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
        report.leave_out(&run.left_out, &run.sources);
        report
    }
}

/// The sources with the program's own in front.
fn first(sources: &[Arc<SourceFile>], own: &Arc<SourceFile>) -> Vec<Arc<SourceFile>> {
    let others = sources.iter().filter(|source| source.id != own.id);
    std::iter::once(own).chain(others).cloned().collect()
}
