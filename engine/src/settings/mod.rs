//! What a project says of its checks: `pallas.toml`, or `[tool.pallas]` in `pyproject.toml`, of the nearest folder around
//! the program that has one. What is wrong in such a file is a finding at its place; the rest of the file counts.
//!
//! Reads through a [`FileSystem`]; what front ends are told besides (a command line, an editor's settings) goes before it
//! with [`Settings::over`].

mod file;
mod target;

pub use target::TargetDevice;

use crate::files::FileSystem;
use pallas_check as check;
use pallas_ir::{Finding, Severity};
use pallas_syntax::SourceFile;
use std::sync::Arc;

/// What to report, and what is assumed where a program does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Only findings of these rules; `None`: of all.
    pub select: Option<Vec<Selector>>,
    /// No findings of these rules.
    pub ignore: Vec<Selector>,
    /// Rules with another severity than the catalogue gives them.
    pub severity: Vec<(Selector, Severity)>,
    /// What kernels are written for, where the program does not say it.
    pub target: Option<TargetDevice>,
    /// The Python whose packages are imported.
    pub python: Option<String>,
}

/// A settings file that was found.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// The file.
    pub source: Arc<SourceFile>,
    /// What it says.
    pub settings: Settings,
    /// What is wrong with it.
    pub problems: Vec<Finding>,
}

/// One rule, or all whose code begins alike: `PL203`, `read-before-write`, `PL2`, `ALL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(String);

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// What is wrong with it, if it is no rule and no beginning of one's code.
    pub fn parse(text: &str) -> Result<Selector, String> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Selector(String::new()));
        }
        if let Some(rule) = check::find(text) {
            return Ok(Selector(rule.code.to_string()));
        }
        let upper = text.to_ascii_uppercase();
        if upper.len() > 1 && check::rules::ALL.iter().any(|rule| rule.code.starts_with(&upper)) {
            return Ok(Selector(upper));
        }
        let mut names = check::rules::ALL.iter().map(|rule| rule.name);
        if let Some(close) = names.find(|name| file::is_close(name, text)) {
            return Err(format!("no rule is called `{text}`; did you mean `{close}`?"));
        }
        Err(format!(
            "no rule is called `{text}`; a code (`PL203`), a name (`read-before-write`), the beginning of codes (`PL2`) or \
             `ALL` is expected, and `pallas-tui explain` lists the rules"
        ))
    }

    /// How closely it names a rule; `None` if it does not.
    fn closeness(&self, code: &str) -> Option<usize> {
        code.starts_with(&self.0).then_some(self.0.len())
    }
}

impl Settings {
    /// The settings file for a program: the nearest.
    pub fn find(files: &dyn FileSystem, script: &str) -> Option<SettingsFile> {
        let script = files.absolute(script);
        let mut folder = script.as_str();
        while let Some((above, _)) = folder.rsplit_once('/') {
            for name in ["pallas.toml", "pyproject.toml"] {
                let path = format!("{above}/{name}");
                match files.read(&path) {
                    Ok(Some(text)) => {
                        if let Some(found) = file::read(&path, &text) {
                            return Some(found);
                        }
                    }
                    Ok(None) => {}
                    Err(problem) => return Some(file::unreadable(&path, problem)),
                }
            }
            folder = above;
        }
        None
    }

    /// These settings, and those of `under` where these say nothing.
    #[must_use]
    pub fn over(self, under: Settings) -> Settings {
        Settings {
            select: self.select.or(under.select),
            ignore: if self.ignore.is_empty() { under.ignore } else { self.ignore },
            severity: self.severity.into_iter().chain(under.severity).collect(),
            target: self.target.or(under.target),
            python: self.python.or(under.python),
        }
    }

    /// Takes out what is not to be reported, and gives the rest the severity that it is to have.
    pub(crate) fn apply(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| self.reports(finding.code));
        for finding in findings {
            let close =
                |(selector, severity): &(Selector, Severity)| Some((selector.closeness(finding.code)?, *severity));
            // Of two that are equally close, the first was said by who goes before.
            let closest = self.severity.iter().filter_map(close).rev().max_by_key(|(closeness, _)| *closeness);
            if let Some((_, severity)) = closest {
                finding.severity = severity;
            }
        }
    }

    /// Whether findings of a rule are reported: the selector that names it most closely decides.
    fn reports(&self, code: &str) -> bool {
        let closest = |selectors: &[Selector]| selectors.iter().filter_map(|s| s.closeness(code)).max();
        let selected = match &self.select {
            Some(selectors) => closest(selectors),
            None => Some(0),
        };
        match (selected, closest(&self.ignore)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(selected), Some(ignored)) => selected > ignored,
        }
    }
}

/// The severity with this name.
///
/// # Errors
/// It is none.
pub fn severity(name: &str) -> Result<Severity, String> {
    let known = [Severity::Error, Severity::Warning, Severity::Info];
    let found = known.into_iter().find(|severity| severity.name() == name);
    found.ok_or_else(|| {
        format!(
            "`{name}` is no severity; there are `error`, `warning` and `info`, and `ignore` lists rules that are off"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    struct Texts(HashMap<&'static str, &'static str>);

    impl FileSystem for Texts {
        fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
            match self.0.get(path) {
                Some(&"unreadable") => Err(format!("{path}: not UTF-8")),
                text => Ok(text.map(|text| (*text).into())),
            }
        }
    }

    fn found(files: &[(&'static str, &'static str)]) -> Option<SettingsFile> {
        Settings::find(&Texts(files.iter().copied().collect()), "/work/kernels/a.py")
    }

    fn settings(text: &'static str) -> Settings {
        let file = found(&[("/work/pallas.toml", text)]).expect("there is one");
        assert_eq!(file.problems, []);
        file.settings
    }

    #[test]
    fn the_nearest_file_counts() {
        assert!(found(&[]).is_none());
        assert!(found(&[("/work/pyproject.toml", "[project]\nname = 'x'\n")]).is_none(), "it says nothing of pallas");
        let files = [
            ("/pallas.toml", "target = 'triton'"),
            ("/work/pyproject.toml", "[tool.pallas]\ntarget = 'tpu-v5e'"),
            ("/work/kernels/pyproject.toml", "[tool.ruff]\n"),
        ];
        let file = found(&files).expect("there is one");
        assert_eq!(&*file.source.path, "/work/pyproject.toml");
        assert_eq!(file.settings.target, Some(TargetDevice::TpuV5e));
        let beside = [("/work/kernels/pyproject.toml", "[tool.pallas]\n"), ("/work/kernels/pallas.toml", "")];
        assert_eq!(
            found(&beside).map(|file| file.source.path.to_string()).as_deref(),
            Some("/work/kernels/pallas.toml")
        );
    }

    #[test]
    fn a_python_is_relative_to_the_file_that_names_it() {
        assert_eq!(settings("python = '.venv'").python.as_deref(), Some("/work/.venv"));
        assert_eq!(settings("python = '/usr/bin/python3'").python.as_deref(), Some("/usr/bin/python3"));
    }

    #[test]
    fn the_closest_selector_decides() {
        let settings = settings("select = ['PL2', 'block-out-of-bounds']\nignore = ['PL20', 'PL204']");
        let reported: Vec<bool> =
            ["PL120", "PL121", "PL203", "PL204", "PL21"].map(|code| settings.reports(code)).into();
        assert_eq!(reported, [true, false, false, false, true]);
        assert!(!Settings { ignore: vec![Selector(String::new())], ..Settings::default() }.reports("PL120"));
    }

    #[test]
    fn severities_are_given_by_the_closest_too() {
        let settings = settings("[severity]\nPL2 = 'info'\nread-before-write = 'error'\n");
        let mut findings: Vec<Finding> = ["PL203", "PL204", "PL120"]
            .map(|code| check::find(code).expect("a rule"))
            .map(|rule| rule.finding(pallas_ir::Certainty::Proved, pallas_syntax::Span::default(), String::new()))
            .into();
        settings.apply(&mut findings);
        let severities: Vec<&str> = findings.iter().map(|finding| finding.severity.name()).collect();
        assert_eq!(severities, ["error", "info", "error"]);
        // Who goes before says it again for all of them.
        let before =
            Settings { severity: vec![(Selector("PL2".to_string()), Severity::Warning)], ..Settings::default() };
        before.over(settings).apply(&mut findings);
        let severities: Vec<&str> = findings.iter().map(|finding| finding.severity.name()).collect();
        assert_eq!(severities, ["error", "warning", "error"]);
    }

    /// Problems as `line:column message`.
    fn problems(files: &[(&'static str, &'static str)]) -> Vec<String> {
        let file = found(files).expect("there is one");
        let place = |finding: &Finding| file.source.line_column(finding.span.start);
        let problem =
            |finding: &Finding| format!("{}:{} {}", place(finding).line, place(finding).column, finding.message);
        file.problems.iter().map(problem).collect()
    }

    #[test]
    fn what_is_wrong_is_said_where_it_is() {
        let text = "select = ['PL203', 'PL999']\nignor = []\ntarget = 3\n[severity]\nPL203 = 'fatal'\nfast = 'info'\n";
        let problems = problems(&[("/work/pallas.toml", text)]);
        let expected = [
            "1:20 no rule is called `PL999`",
            "2:1 `ignor` is no setting; did you mean `ignore`?",
            "3:10 `target` is a text such as `\"tpu-v5e\"`",
            "5:9 `fatal` is no severity",
            "6:1 no rule is called `fast`",
        ];
        assert_eq!(problems.len(), expected.len(), "{problems:#?}");
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.starts_with(expected), "{problem}");
        }
    }

    #[test]
    fn a_broken_file_keeps_what_can_be_read() {
        let file = found(&[("/work/pallas.toml", "ignore = ['PL203']\ntarget = \n")]).expect("there is one");
        assert_eq!(file.settings.ignore, [Selector("PL203".to_string())]);
        assert_eq!(file.problems.len(), 1);
        assert_eq!(file.problems[0].code, "PL007");
        assert_eq!(file.source.line_of(file.problems[0].span.start), 2);
        assert_eq!(problems(&[("/work/pallas.toml", "unreadable")]), ["1:1 /work/pallas.toml: not UTF-8"]);
        // Of a broken file of other tools only what concerns us is said.
        assert!(found(&[("/work/pyproject.toml", "[project\nname = ")]).is_none());
    }
}
