//! A saved report, opened: what a screen needs is made from the JSON alone. Nothing is evaluated again.

use super::report::{LaunchReport, Ran, Report};
use super::values::{ProgramTiles, RefTile, StoreTile};
use pallas_engine::report::{
    ArrayValues, Element, FindingReport, OperandReport, Place, ProgramValues, Report as Profile,
};
use pallas_engine::tensor::{Array, DType, Scalar};
use pallas_engine::{Certainty, FileId, Finding, Label, Launch, Severity, SourceFile, Span, check, ir};
use std::sync::Arc;
use std::time::Duration;

impl Report {
    /// The report that a profile was saved as.
    ///
    /// # Errors
    /// A message: a launch's IR cannot be read.
    pub(crate) fn opened(profile: Profile) -> Result<Report, String> {
        let sources: Vec<Arc<SourceFile>> = profile
            .sources
            .iter()
            .map(|source| Arc::new(SourceFile::new(FileId(source.file), source.path.as_str(), source.text.as_str())))
            .collect();
        let own = sources
            .first()
            .cloned()
            .unwrap_or_else(|| Arc::new(SourceFile::new(FileId(0), profile.program.path.as_str(), "")));
        let findings: Vec<Finding> = profile.findings.iter().map(finding).collect();
        let mut launches = Vec::new();
        for saved in &profile.launches {
            let launch = launch(saved).map_err(|why| format!("launch of {}: {why}", saved.kernel))?;
            launches.push(LaunchReport {
                launch: Arc::new(launch),
                findings: saved.findings.clone(),
                marks: saved.marks.iter().map(|mark| (mark.ids.clone(), mark.finding)).collect(),
                ran: saved.ran || saved.measured.is_some(),
                stale: saved.stale,
            });
        }
        let values = profile.launches.iter().zip(&launches).map(|(saved, shown)| {
            let types = types(&shown.launch);
            saved.values.iter().filter_map(|program| tiles(program, &types)).collect()
        });
        let values = values.collect();
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let ran = profile.program.exit.map(|exit| {
            let run = profile.program.run.clone().unwrap_or_default();
            let (took, stopped) = (seconds(run.seconds), profile.program.cancelled);
            Ran { exit, stderr: run.error, printed: run.printed, took, stopped }
        });
        Ok(Report {
            source: own,
            sources,
            findings,
            launches,
            took: seconds(profile.program.analysed),
            ran,
            values,
            profile: Some(Arc::new(profile)),
        })
    }
}

fn span(place: Place) -> Span {
    Span { file: FileId(place.file), start: place.start, end: place.end }
}

fn launch(saved: &pallas_engine::report::LaunchReport) -> Result<Launch, String> {
    let mut launch = ir::text::parse_launch(&saved.ir).map_err(|error| error.to_string())?;
    let at = |place: Option<Place>| place.map(span);
    launch.spans.call = at(saved.call).unwrap_or(launch.spans.call);
    launch.spans.apply = launch.spans.call;
    launch.spans.kernel = at(saved.definition);
    for (operand, saved) in launch.operands.iter_mut().zip(&saved.operands) {
        let OperandReport { spec, index_map, parameter, .. } = saved;
        operand.spans.spec = at(*spec);
        operand.spans.index_map = at(*index_map);
        operand.spans.parameter = at(*parameter);
    }
    Ok(launch)
}

fn finding(saved: &FindingReport) -> Finding {
    let nowhere = Span { file: FileId(0), start: 0, end: 0 };
    let known = check::find(&saved.code).map(|rule| rule.code);
    let severity = [Severity::Error, Severity::Warning, Severity::Info];
    let certainty = [Certainty::Proved, Certainty::Found, Certainty::Possible];
    Finding {
        // A rule of another version of the workbench has no page here.
        code: known.unwrap_or("PL???"),
        severity: severity.into_iter().find(|s| s.name() == saved.severity).unwrap_or(Severity::Info),
        certainty: certainty.into_iter().find(|c| c.name() == saved.certainty).unwrap_or(Certainty::Possible),
        message: saved.message.clone(),
        span: saved.place.map_or(nowhere, span),
        labels: saved
            .labels
            .iter()
            .map(|label| Label { span: label.place.map_or(nowhere, span), text: label.text.clone() })
            .collect(),
        evidence: saved.evidence.clone(),
        help: saved.help.clone(),
        fix: None,
    }
}

/// The dtypes of a launch's Refs.
fn types(launch: &Launch) -> Vec<DType> {
    let operands = launch.operands.iter().map(|operand| operand.array.dtype);
    operands.chain(launch.scratch.iter().map(|scratch| scratch.dtype)).collect()
}

/// The tiles of a program; `None` where a Ref was too large to be written down whole.
fn tiles(saved: &ProgramValues, types: &[DType]) -> Option<ProgramTiles> {
    let array = |at: usize, values: &ArrayValues| {
        let of = saved.refs.get(at)?;
        let elements: Vec<Scalar> = values.elements.iter().map(|element| scalar(*element)).collect();
        Array::from_scalars(*types.get(at)?, of.shape.as_slice(), &elements).ok()
    };
    let mut refs = Vec::new();
    for (at, of) in saved.refs.iter().enumerate() {
        let after = match &of.after {
            Some(after) => Some(array(at, after)?),
            None => None,
        };
        refs.push(RefTile::new(array(at, &of.before)?, after));
    }
    let mut stores = Vec::new();
    for store in &saved.stores {
        let tile = RefTile::new(array(store.at, &store.before)?, Some(array(store.at, &store.after)?));
        let nowhere = Span { file: FileId(0), start: 0, end: 0 };
        stores.push(StoreTile { at: store.at, span: store.place.map_or(nowhere, span), tile });
    }
    Some(ProgramTiles { program: saved.program, refs, stores, stored: saved.stored })
}

fn scalar(element: Element) -> Scalar {
    match element {
        Element::Bool(value) => Scalar::Bool(value),
        Element::Int(value) => Scalar::Int(i128::from(value)),
        Element::Float(value) => Scalar::Float(value),
    }
}
