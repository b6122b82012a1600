//! Mutants of correct kernels: what JAX makes of each (tests/goldens/mutants.py wrote it down), and what is found in it.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Finding, Severity};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What JAX says of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It computes what the program computes.
    Right,
    /// It computes something else, or undefined behaviour decides.
    Wrong,
    /// It computes the same, rounded in another place.
    Rounds,
    /// It raises this.
    Raises(String),
}

/// A program with one place changed.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The program, without `.py`.
    pub program: String,
    /// What was done to it.
    pub operator: String,
    /// The line that was changed, from 1.
    pub line: u32,
    /// What the place said, and what it says now.
    pub change: (String, String),
    /// All of the mutant.
    pub text: String,
    /// What JAX says.
    pub verdict: Verdict,
}

/// What is found in a mutant and not in its program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether that is as it should be.
    pub is_as_wanted: bool,
    /// The findings, as `PL120 error line 12`.
    pub findings: Vec<String>,
}

/// Where the programs and the table are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mutation")
}

/// The mutants of the table.
///
/// # Errors
/// The table does not fit the programs: a program was changed, and the script has to be run again.
pub fn mutants() -> Result<Vec<Mutant>, String> {
    let table = read(&folder().join("mutants.tsv"))?;
    let mut programs: HashMap<String, String> = HashMap::new();
    let mut mutants = Vec::new();
    for (number, line) in (1..).zip(table.lines()) {
        let broken = || format!("mutants.tsv:{number}: not a mutant");
        let fields: Vec<&str> = line.split('\t').collect();
        let &[hash, program, operator, start, end, replacement, verdict] = fields.as_slice() else {
            return Err(broken());
        };
        if !programs.contains_key(program) {
            programs.insert(program.to_string(), read(&folder().join(format!("{program}.py")))?);
        }
        let original = &programs[program];
        let (start, end): (usize, usize) = (start.parse().map_err(|_| broken())?, end.parse().map_err(|_| broken())?);
        let replacement = unescape(replacement).ok_or_else(broken)?;
        let before = original.get(start..end).ok_or_else(broken)?.to_string();
        let mut text = original.clone();
        text.replace_range(start..end, &replacement);
        if format!("{:016x}", fnv(&text)) != hash {
            return Err(format!("mutants.tsv:{number}: {program}.py changed; run tests/goldens/mutants.py {program}"));
        }
        let verdict = match verdict.strip_prefix("raises ") {
            Some(error) => Verdict::Raises(error.to_string()),
            None => match verdict {
                "right" => Verdict::Right,
                "wrong" => Verdict::Wrong,
                "rounds" => Verdict::Rounds,
                _ => return Err(broken()),
            },
        };
        let line = original[..start].matches('\n').count() as u32 + 1;
        let (program, operator) = (program.to_string(), operator.to_string());
        mutants.push(Mutant { program, operator, line, change: (before, replacement), text, verdict });
    }
    Ok(mutants)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// FNV-1a, 64 bits.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A JSON string of ASCII.
fn unescape(text: &str) -> Option<String> {
    let mut characters = text.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut result = String::new();
    while let Some(character) = characters.next() {
        result.push(match character {
            '\\' => match characters.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            },
            other => other,
        });
    }
    Some(result)
}

fn analyse(text: &str) -> Analysis {
    let options = AnalysisOptions { fuel: 2_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    Analysis::new("mutant.py", text, &options)
}

/// What a finding is about, whatever its place.
fn key(finding: &Finding) -> String {
    format!("{} {}", finding.code, finding.message)
}

/// Analyses programs and their mutants.
#[derive(Default)]
pub struct Judge {
    programs: HashMap<String, Vec<String>>,
}

impl Judge {
    /// What is found in a mutant, and whether JAX agrees.
    pub fn judge(&mut self, mutant: &Mutant) -> Outcome {
        let known = self.programs.entry(mutant.program.clone()).or_insert_with(|| {
            let text = read(&folder().join(format!("{}.py", mutant.program))).unwrap_or_default();
            analyse(&text).findings.iter().map(key).collect()
        });
        let analysis = analyse(&mutant.text);
        let new: Vec<&Finding> = analysis.findings.iter().filter(|finding| !known.contains(&key(finding))).collect();
        let is_as_wanted = match &mutant.verdict {
            Verdict::Right => new.is_empty(),
            Verdict::Wrong => new.iter().any(|finding| is_about(finding, mutant, &analysis)),
            Verdict::Rounds => true,
            Verdict::Raises(_) => new.iter().any(|finding| finding.severity == Severity::Error),
        };
        let line = |finding: &Finding| analysis.source_of(finding.span).line_of(finding.span.start);
        let findings = new.iter().map(|f| format!("{} {} line {}", f.code, f.severity.name(), line(f))).collect();
        Outcome { is_as_wanted, findings }
    }
}

/// Whether a finding is on the line that was changed, or on its launch: the call, its specs, the kernel that it runs.
fn is_about(finding: &Finding, mutant: &Mutant, analysis: &Analysis) -> bool {
    let source = &analysis.source;
    let labels = finding.labels.iter().map(|label| label.span);
    let mut places = labels.chain([finding.span]).filter(|span| span.file == source.id);
    let top_level = |at: u32| analysis.module.body.iter().position(|statement| statement.span.touches(at));
    let kernels: HashSet<Option<usize>> = analysis
        .launches
        .iter()
        .flat_map(|launch| launch.kernel.locations.iter().map(|location| top_level(location.span.start)))
        .collect();
    let calls: Vec<_> = analysis.launches.iter().map(|launch| launch.spans.call).collect();
    places.any(|span| {
        source.line_of(span.start) == mutant.line
            || calls.iter().any(|call| call.covers(span))
            || kernels.contains(&top_level(span.start))
    })
}

/// How many of what kind are as wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Wrong, and found.
    pub found: usize,
    /// Wrong, and not found.
    pub missed: usize,
    /// Right, and left alone.
    pub quiet: usize,
    /// Right, and reported.
    pub alarms: usize,
    /// Refused by JAX, and an error is reported.
    pub refused: usize,
    /// Refused by JAX, and no error is reported.
    pub accepted: usize,
}

impl Score {
    /// Takes in what became of a mutant.
    pub fn count(&mut self, mutant: &Mutant, outcome: &Outcome) {
        *match (&mutant.verdict, outcome.is_as_wanted) {
            (Verdict::Wrong, true) => &mut self.found,
            (Verdict::Wrong, false) => &mut self.missed,
            (Verdict::Right, true) => &mut self.quiet,
            (Verdict::Right, false) => &mut self.alarms,
            (Verdict::Rounds, _) => return,
            (Verdict::Raises(_), true) => &mut self.refused,
            (Verdict::Raises(_), false) => &mut self.accepted,
        } += 1;
    }

    /// The share of wrong mutants that are found, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.found as f64 / (self.found + self.missed).max(1) as f64
    }

    /// `found 95.0 % of 200 wrong mutants, ...`
    pub fn summary(&self) -> String {
        format!(
            "found {:.1} % of {} wrong mutants; {} of {} right ones are reported; {} of {} that JAX refuses are not errors",
            self.percent(),
            self.found + self.missed,
            self.alarms,
            self.alarms + self.quiet,
            self.accepted,
            self.accepted + self.refused,
        )
    }
}

/// A line of the table of what is not as wanted.
pub fn describe(mutant: &Mutant, outcome: &Outcome) -> String {
    let short = |text: &str| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(60).collect::<String>()
    };
    let verdict = match &mutant.verdict {
        Verdict::Right => "right",
        Verdict::Wrong => "wrong",
        Verdict::Rounds => "rounds",
        Verdict::Raises(error) => error,
    };
    let mut line = String::new();
    let (before, after) = (short(&mutant.change.0), short(&mutant.change.1));
    // Writing to a string does not fail.
    let _ = write!(
        line,
        "{verdict:<18} {:>3} {:<20} {before} -> {after} [{}]",
        mutant.line,
        mutant.operator,
        outcome.findings.join(", ")
    );
    format!("{:<18} {line}", mutant.program)
}
