//! What is shown: one immutable snapshot of a file's launches and findings, with their profile. An analysis makes one, and
//! a run of the file another that has measured times.

use super::values::ProgramTiles;
use pallas_engine::report::{Report as Profile, RunReport};
use pallas_engine::{Analysis, Finding, Launch, Run, Severity, SourceFile, Span};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A snapshot of a file.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The file.
    pub(crate) source: Arc<SourceFile>,
    /// Every file that was read, by id.
    pub(crate) sources: Vec<Arc<SourceFile>>,
    /// Findings, errors first.
    pub(crate) findings: Vec<Finding>,
    /// Launches in the order in which they were traced.
    pub(crate) launches: Vec<LaunchReport>,
    /// How long it took to make.
    pub(crate) took: Duration,
    /// The profile, with the same launches and findings in the same order; reports that are only printed have none.
    pub(crate) profile: Option<Arc<Profile>>,
    /// How the run went, once there was one.
    pub(crate) ran: Option<Ran>,
    /// Values that came with the report, by launch; reports of this session have them taken when somebody looks.
    pub(crate) values: Vec<Vec<ProgramTiles>>,
}

/// A run that has ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran {
    /// Its exit status.
    pub(crate) exit: i32,
    /// What it has left on standard error: a traceback.
    pub(crate) stderr: String,
    /// What it has printed.
    pub(crate) printed: String,
    /// How long it took.
    pub(crate) took: Duration,
    /// Whether it was stopped before its end.
    pub(crate) stopped: bool,
}

/// One launch with what concerns it.
#[derive(Clone, Debug)]
pub(crate) struct LaunchReport {
    /// The launch.
    pub(crate) launch: Arc<Launch>,
    /// Its findings, as positions in [`Report::findings`].
    pub(crate) findings: Vec<usize>,
    /// Programs that a finding names, each with the finding; sorted by program.
    pub(crate) marks: Vec<(Vec<usize>, usize)>,
    /// Whether it ran.
    pub(crate) ran: bool,
    /// Whether what was measured of it is from before the last edit.
    pub(crate) stale: bool,
}

impl Report {
    /// The report of an analysis that took so long.
    pub(crate) fn new(analysis: &Analysis, took: Duration) -> Report {
        Report::of(
            analysis.source.clone(),
            analysis.sources.clone(),
            analysis.findings.clone(),
            &analysis.launches,
            took,
        )
    }

    /// The report of a run.
    pub(crate) fn of_run(run: &Run, took: Duration) -> Option<Report> {
        let source = run.sources.first()?.clone();
        Some(Report::of(source, run.sources.clone(), run.findings.clone(), &run.launches, took))
    }

    pub(super) fn of(
        source: Arc<SourceFile>,
        sources: Vec<Arc<SourceFile>>,
        findings: Vec<Finding>,
        launches: &[Arc<Launch>],
        took: Duration,
    ) -> Report {
        let launches = launches.iter().map(|launch| LaunchReport::new(launch.clone(), &findings)).collect();
        Report { source, sources, findings, launches, took, profile: None, ran: None, values: Vec::new() }
    }

    /// A report of launches and findings that were made by hand.
    #[cfg(test)]
    pub(crate) fn made(path: &str, text: &str, findings: Vec<Finding>, launches: &[Arc<Launch>]) -> Report {
        use pallas_engine::pipeline::{MACHINES, Machines};
        use pallas_engine::report::{Observed, ObservedLaunch};
        let source = Arc::new(SourceFile::new(pallas_engine::FileId(0), path, text));
        let observed: Vec<ObservedLaunch> =
            launches.iter().map(|launch| ObservedLaunch { launch: launch.clone(), measured: None }).collect();
        let sources = vec![source.clone()];
        let profile = Profile::new(
            &Observed { path, arguments: &[], exit: None, sources: &sources, findings: &findings, launches: &observed },
            &Machines::named(&MACHINES[0]),
        );
        let mut report = Report::of(source, sources, findings, launches, Duration::from_millis(7));
        report.profile = Some(Arc::new(profile));
        report
    }

    /// Whether it was saved by somebody, and opened: there is no file to be run again.
    pub(crate) fn is_opened(&self) -> bool {
        !self.values.is_empty()
    }

    /// The profile with what only this session knows: how the run went, and which launches ran.
    pub(crate) fn with_run(&self, mut profile: Profile) -> Profile {
        profile.program.analysed = self.took.as_secs_f64();
        profile.program.run = self.ran.as_ref().map(|ran| RunReport {
            printed: ran.printed.clone(),
            error: ran.stderr.clone(),
            seconds: ran.took.as_secs_f64(),
        });
        profile.program.cancelled = self.ran.as_ref().is_some_and(|ran| ran.stopped);
        for (launch, shown) in profile.launches.iter_mut().zip(&self.launches) {
            (launch.ran, launch.stale) = (shown.ran, shown.stale);
        }
        profile
    }

    /// The source that a span lies in.
    pub(crate) fn source_of(&self, span: Span) -> &Arc<SourceFile> {
        self.sources.iter().find(|source| source.id == span.file).unwrap_or(&self.source)
    }

    /// How many findings there are of a severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The files to watch: all that were read; none where a saved report was opened, which is a file of its own.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|source| PathBuf::from(&*source.path)).collect()
    }

    /// `1 error, 2 warnings`; `no findings` where there are none.
    pub(crate) fn verdict(&self) -> String {
        let counts: Vec<String> =
            [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")]
                .iter()
                .map(|(severity, word)| (self.count(*severity), word))
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| plural(count, word))
                .collect();
        if counts.is_empty() { "no findings".to_string() } else { counts.join(", ") }
    }
}

impl LaunchReport {
    fn new(launch: Arc<Launch>, findings: &[Finding]) -> LaunchReport {
        let places = launch.places();
        let concerns = |span: Span| places.iter().any(|place| place.covers(span));
        let numbers: Vec<usize> = (0..findings.len())
            .filter(|&number| {
                let finding = &findings[number];
                concerns(finding.span) || finding.labels.iter().any(|label| concerns(label.span))
            })
            .collect();
        let in_grid = |program: &Vec<usize>| {
            program.len() == launch.grid.len() && program.iter().zip(&launch.grid).all(|(id, extent)| id < extent)
        };
        let mut marks: Vec<(Vec<usize>, usize)> =
            numbers.iter().filter_map(|&number| Some((findings[number].program().filter(in_grid)?, number))).collect();
        marks.sort();
        LaunchReport { launch, findings: numbers, marks, ran: false, stale: false }
    }

    /// The findings that name a program.
    pub(crate) fn marks_of(&self, program: &[usize]) -> &[(Vec<usize>, usize)] {
        let from = self.marks.partition_point(|(marked, _)| marked.as_slice() < program);
        let to = self.marks.partition_point(|(marked, _)| marked.as_slice() <= program);
        &self.marks[from..to]
    }

    /// `f32[128,64], f32[64,96] → f32[128,96]`
    pub(crate) fn types(&self) -> String {
        let of = |output: bool| {
            let operands = self.launch.operands.iter();
            let types: Vec<String> = operands
                .filter(|operand| (operand.role == pallas_engine::Role::Output) == output)
                .map(|operand| operand.array.to_string())
                .collect();
            types.join(", ")
        };
        format!("{} → {}", of(false), of(true)).trim_start().to_string()
    }

    /// `grid 4×2 = 8 programs`
    pub(crate) fn grid(&self) -> String {
        let launch = &self.launch;
        let programs = plural(launch.programs(), "program");
        match &launch.grid[..] {
            [] => "no grid, 1 program".to_string(),
            [_] => format!("grid {programs}"),
            grid => {
                if !launch.dynamic.is_empty() {
                    return format!("grid {}", launch.grid_words().join("×"));
                }
                let extents: Vec<String> = grid.iter().map(|&extent| grouped(extent)).collect();
                format!("grid {} = {programs}", extents.join("×"))
            }
        }
    }
}

/// `1 program`, `2 programs`, `2 launches`, with digits in groups.
pub(crate) fn plural(count: usize, word: &str) -> String {
    let ending = match count {
        1 => "",
        _ if word.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {word}{ending}", grouped(count))
}

/// Digits in groups of three, separated by spaces from five digits on: `4096`, `1 048 576`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// `(2, 0)`, and `(2,)` for one.
pub(crate) fn tuple<T: std::fmt::Display>(items: &[T]) -> String {
    match items {
        [one] => format!("({one},)"),
        _ => {
            let items: Vec<String> = items.iter().map(T::to_string).collect();
            format!("({})", items.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(4096), "4096");
        assert_eq!(grouped(1_048_576), "1 048 576");
        assert_eq!(grouped(12_345), "12 345");
        assert_eq!(plural(1, "program"), "1 program");
        assert_eq!(plural(0, "program"), "0 programs");
        assert_eq!(tuple(&[2, 0]), "(2, 0)");
        assert_eq!(tuple(&[2]), "(2,)");
        assert_eq!(tuple::<usize>(&[]), "()");
    }
}
