//! Literate cases: `findings/*.py`, one mistake (or one correct look-alike) each. A mark is a comment on the line after
//! the mistake, `#    ^ PL120 error "fragment"`: the caret stands under the first character of the finding's span
//! (directly after the `#` for the first column), and the fragment occurs in its message, evidence or help. A file has
//! the errors and warnings that it marks and no others; infos only where they are marked. A third line `# target: NAME` says
//! what kernels are written for; `# found by a run` that the file is run, and not analysed; `# found by a run, and before`
//! that both find the same.
//! tests/goldens/check_findings.py holds the `# jax:` lines against real JAX.

use pallas_engine::{
    Analysis, AnalysisOptions, Console, Disk, Finding, Run, Settings, Severity, SourceFile, Span, TargetDevice,
};
use pallas_tests::run_options;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A finding that a file says it must have.
#[derive(Debug)]
struct Mark {
    line: u32,
    column: u32,
    code: String,
    severity: String,
    fragment: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("findings")
}

fn marks(text: &str) -> Result<Vec<Mark>, String> {
    let mut marks = Vec::new();
    let mut code_line = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(caret) = line.strip_prefix('#').map(str::trim_start).filter(|rest| rest.starts_with('^')) else {
            code_line = number;
            continue;
        };
        let before = line.chars().count() - caret.chars().count();
        let mut words = caret[1..].trim_start().splitn(3, ' ');
        let mut word = || words.next().ok_or(format!("line {number}: `^ CODE severity \"fragment\"`"));
        let (code, severity, fragment) = (word()?, word()?, word()?);
        let fragment = fragment
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .ok_or(format!("line {number}: the fragment stands in double quotes"))?;
        marks.push(Mark {
            line: code_line,
            column: if before == 1 { 1 } else { before as u32 + 1 },
            code: code.to_string(),
            severity: severity.to_string(),
            fragment: fragment.to_string(),
        });
    }
    Ok(marks)
}

/// What a file was found to have, and its texts.
struct Found {
    findings: Vec<Finding>,
    sources: Vec<Arc<SourceFile>>,
}

impl Found {
    fn source_of(&self, span: Span) -> &SourceFile {
        self.sources.iter().find(|source| source.id == span.file).expect("a finding is in a file")
    }
}

/// The console of a run that nobody watches.
struct Silent;

impl Console for Silent {
    fn write_stdout(&mut self, _text: &str) {}

    fn write_stderr(&mut self, _text: &str) {}

    fn read_line(&mut self) -> Option<String> {
        None
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// The file is run.
fn run(path: &Path, text: &str) -> Found {
    let options = run_options(Silent);
    let run = Run::new(&path.to_string_lossy(), text, options);
    Found { findings: run.findings, sources: run.sources }
}

fn fits(mark: &Mark, finding: &Finding, analysis: &Found) -> bool {
    let at = analysis.source_of(finding.span).line_column(finding.span.start);
    let texts = [Some(&finding.message), finding.evidence.as_ref(), finding.help.as_ref()];
    finding.code == mark.code
        && finding.severity.name() == mark.severity
        && (at.line, at.column) == (mark.line, mark.column)
        && texts.into_iter().flatten().any(|text| text.contains(&mark.fragment))
}

fn describe(finding: &Finding, source: &SourceFile) -> String {
    let at = source.line_column(finding.span.start);
    format!(
        "{}:{} {} {}: {} | {} | {}",
        at.line,
        at.column,
        finding.code,
        finding.severity.name(),
        finding.message,
        finding.evidence.as_deref().unwrap_or("-"),
        finding.help.as_deref().unwrap_or("-")
    )
}

fn options() -> AnalysisOptions {
    // Enough for every case, and the one that never ends ends soon.
    AnalysisOptions { fuel: 2_000_000, ..AnalysisOptions::new(Arc::new(Disk)) }
}

/// What is wrong with a case; empty if it is as marked.
fn problems(path: &Path) -> Vec<String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return vec![error.to_string()],
    };
    let marks = match marks(&text) {
        Ok(marks) => marks,
        Err(message) => return vec![message],
    };
    let mut options = options();
    if let Some(target) = text.lines().nth(2).and_then(|line| line.strip_prefix("# target: ")) {
        match TargetDevice::parse(target) {
            Ok(target) => options.settings = Settings { target: Some(target), ..Settings::default() },
            Err(message) => return vec![message],
        }
    }
    let (runs, analyses) = match text.lines().nth(2) {
        Some("# found by a run") => (true, false),
        Some("# found by a run, and before") => (true, true),
        _ => (false, true),
    };
    let mut problems = Vec::new();
    if runs {
        compare("run: ", &marks, &run(path, &text), &mut problems);
    }
    if analyses {
        let analysis = Analysis::new(&path.to_string_lossy(), &text, &options);
        let found = Found { findings: analysis.findings.clone(), sources: analysis.sources.clone() };
        compare("", &marks, &found, &mut problems);
    }
    problems
}

/// That what was found is what is marked.
fn compare(how: &str, marks: &[Mark], found: &Found, problems: &mut Vec<String>) {
    for mark in marks {
        if !found.findings.iter().any(|finding| fits(mark, finding, found)) {
            problems.push(format!("{how}missing: {mark:?}"));
        }
    }
    for finding in &found.findings {
        let is_marked = marks.iter().any(|mark| fits(mark, finding, found));
        if !is_marked && finding.severity != Severity::Info {
            problems.push(format!("{how}unexpected: {}", describe(finding, found.source_of(finding.span))));
        }
    }
}

fn cases() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the cases are part of the repository")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn files_have_the_findings_that_they_mark() {
    let cases = cases();
    assert!(cases.len() >= 100, "cases are missing");
    let mut failures = Vec::new();
    for path in cases {
        let problems = problems(&path);
        if !problems.is_empty() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            failures.push(format!("{name}\n    {}", problems.join("\n    ")));
        }
    }
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}

/// Files of a folder that are Python, folders within it included.
fn python_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            python_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
}

/// Conformance programs that are wrong on purpose, and the rule that says so.
const WRONG_ON_PURPOSE: [(&str, &str); 42] = [
    ("000_blocked_add", "PL008"),
    ("000_load_store", "PL008"),
    ("000_masked_load", "PL008"),
    ("000_templated_kernels", "PL008"),
    ("000_templated_matmul", "PL008"),
    ("001_show_program_ids", "PL008"),
    ("blockspec_edges", "PL120"),
    ("blockspec_edges", "PL121"),
    ("blockspec_edges", "PL124"),
    ("blockspec_edges", "PL203"),
    ("blockspec_edges", "PL204"),
    ("blockspec_element", "PL204"),
    ("blockspec_padding", "PL204"),
    ("003_incorrect_sum", "PL124"),
    ("003_incorrect_sum", "PL203"),
    ("call_scratch", "PL203"),
    ("tpu_async_copy", "PL203"),
    ("grid_program_id_in_index_map", "PL113"),
    ("ref_clamping", "PL202"),
    ("tpu_copy_parts", "PL202"),
    ("blockspec_forms", "PL121"),
    ("blockspec_out_of_bounds", "PL120"),
    ("blockspec_unwritten", "PL122"),
    ("blockspec_unwritten", "PL128"),
    ("tpu_semaphores", "PL128"),
    ("tpu_interpret_options", "PL122"),
    ("tpu_interpret_options", "PL128"),
    ("tpu_interpret_options", "PL202"),
    ("tpu_async_copy", "PL130"),
    ("tpu_async_copy", "PL410"),
    ("tpu_buffered_ref", "PL128"),
    ("tpu_emit_pipeline", "PL203"),
    ("tpu_copies_of_gathered_rows", "PL128"),
    ("tpu_copy_parts", "PL128"),
    ("tpu_interpret_options", "PL410"),
    ("vectors", "PL130"),
    ("000_load_store", "PL128"),
    ("exit_assert", "PL001"),
    ("exit_custom_exception", "PL001"),
    ("exit_kernel_raises", "PL001"),
    ("exit_name_error", "PL001"),
    ("exit_uncaught", "PL001"),
];

#[test]
fn programs_that_run_have_no_findings() {
    let mut paths = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    python_files(&root.join("../samples"), &mut paths);
    python_files(&root.join("conformance"), &mut paths);
    assert!(paths.len() > 100, "files are missing");
    let mut failures = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let analysis = Analysis::new(&path.to_string_lossy(), &text, &options());
        for finding in &analysis.findings {
            let is_meant = WRONG_ON_PURPOSE.contains(&(&name, finding.code));
            // Names that are not offered yet are what the conformance programs themselves are there for.
            let is_not_offered = finding.message.starts_with("AttributeError: module 'jax");
            if !is_meant && !is_not_offered {
                failures.push(format!("{}:{}", path.display(), describe(finding, analysis.source_of(finding.span))));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Rules that no Python file can show: one is about settings files, and there is no known way to make the analyser fail.
const NOT_SHOWN: [&str; 2] = ["PL007", "PL009"];

#[test]
fn every_rule_is_marked_in_a_file() {
    let texts: Vec<String> = cases().iter().map(|path| std::fs::read_to_string(path).expect("readable")).collect();
    for rule in pallas_engine::check::rules::ALL {
        let mark = format!("^ {} {} \"", rule.code, rule.severity.name());
        let is_marked = texts.iter().any(|text| text.contains(&mark));
        assert!(is_marked || NOT_SHOWN.contains(&rule.code), "no file marks {}", rule.code);
    }
}
