//! Reads a settings file, and says where it is wrong.

use super::{Selector, Settings, SettingsFile, TargetDevice, severity};
use crate::files;
use pallas_ir::Finding;
use pallas_syntax::{FileId, SourceFile, Span};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What settings there are.
const KEYS: [&str; 5] = ["ignore", "python", "select", "severity", "target"];

/// Reads a file; `None` if it is a `pyproject.toml` that says nothing of us.
pub(super) fn read(path: &str, text: &str) -> Option<SettingsFile> {
    let is_ours = !path.ends_with("pyproject.toml");
    if !is_ours && !text.contains("pallas") {
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { problems: Vec::new(), folder: path.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let mut settings = Settings::default();
    if is_ours {
        reader.table(table.get_ref(), &mut settings);
        let errors: Vec<(Range<usize>, String)> = errors
            .iter()
            .map(|error| (error.span().unwrap_or_default(), format!("this is not TOML: {}", error.message())))
            .collect();
        // What a broken line was taken for is no problem of its own.
        let line = |span: &Range<usize>| text[..span.start.min(text.len())].matches('\n').count();
        reader.problems.retain(|(span, _)| errors.iter().all(|(broken, _)| line(broken) != line(span)));
        reader.problems.extend(errors);
    } else {
        // What else is wrong with the file is for its owners to say.
        let ours = member(table.get_ref(), "tool").and_then(|tool| member(tool, "pallas"))?;
        reader.table(ours, &mut settings);
    }
    let source = Arc::new(SourceFile::new(FileId(0), path, text));
    let mut problems: Vec<Finding> =
        reader.problems.into_iter().map(|(span, message)| problem(span, message)).collect();
    problems.sort_by_key(|finding| finding.span);
    Some(SettingsFile { source, settings, problems })
}

/// A file that cannot be read.
pub(super) fn unreadable(path: &str, message: String) -> SettingsFile {
    SettingsFile {
        source: Arc::new(SourceFile::new(FileId(0), path, "")),
        settings: Settings::default(),
        problems: vec![problem(0..0, message)],
    }
}

fn problem(span: Range<usize>, message: String) -> Finding {
    let span = Span::new(FileId(0), span.start, span.end);
    crate::findings::proved("PL007", span, message)
}

fn member<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t DeTable<'i>> {
    match table.iter().find(|(name, _)| &**name.get_ref() == key)?.1.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

struct Reader<'a> {
    problems: Vec<(Range<usize>, String)>,
    /// Where the file is.
    folder: &'a str,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, settings: &mut Settings) {
        for (key, value) in table.iter() {
            match &**key.get_ref() {
                "select" => settings.select = self.selectors("select", value),
                "ignore" => settings.ignore = self.selectors("ignore", value).unwrap_or_default(),
                "severity" => self.severities(value, settings),
                "target" => {
                    settings.target = self
                        .text("target", "tpu-v5e", value)
                        .and_then(|name| self.kept(value.span(), TargetDevice::parse(name)));
                }
                "python" => {
                    let python = self.text("python", ".venv", value);
                    let python = python.map(files::native);
                    settings.python = python.map(|path| match files::is_absolute(&path) {
                        true => path,
                        false => format!("{}/{}", self.folder, path.trim_start_matches("./")),
                    });
                }
                other => {
                    let close = KEYS.iter().find(|known| is_close(known, other));
                    let help = match close {
                        Some(known) => format!("did you mean `{known}`?"),
                        None => format!("there are: {}", KEYS.join(", ")),
                    };
                    self.problems.push((key.span(), format!("`{other}` is no setting; {help}")));
                }
            }
        }
    }

    /// The value, or a problem at a place.
    fn kept<T>(&mut self, span: Range<usize>, value: Result<T, String>) -> Option<T> {
        value.map_err(|message| self.problems.push((span, message))).ok()
    }

    fn text<'t>(&mut self, key: &str, example: &str, value: &'t Spanned<DeValue<'_>>) -> Option<&'t str> {
        let text = value.get_ref().as_str();
        self.kept(value.span(), text.ok_or_else(|| format!("`{key}` is a text such as `\"{example}\"`")))
    }

    fn selectors(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<Selector>> {
        let DeValue::Array(items) = value.get_ref() else {
            self.problems.push((value.span(), format!("`{key}` is a list of rules such as `[\"PL203\"]`")));
            return None;
        };
        let mut selectors = Vec::new();
        for item in items.iter() {
            if let Some(text) = self.text("a rule", "PL203", item) {
                selectors.extend(self.kept(item.span(), Selector::parse(text)));
            }
        }
        Some(selectors)
    }

    fn severities(&mut self, value: &Spanned<DeValue<'_>>, settings: &mut Settings) {
        let DeValue::Table(table) = value.get_ref() else {
            self.problems.push((value.span(), "`severity` is a table such as `{ PL203 = \"warning\" }`".to_string()));
            return;
        };
        for (key, value) in table.iter() {
            let selector = self.kept(key.span(), Selector::parse(key.get_ref()));
            let level =
                self.text("a severity", "warning", value).and_then(|name| self.kept(value.span(), severity(name)));
            settings.severity.extend(selector.zip(level));
        }
    }
}

/// Whether a name is one letter away from another, or has its letters in another order.
pub(super) fn is_close(known: &str, name: &str) -> bool {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.to_ascii_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let (known, name) = (letters(known), letters(name));
    let (short, long) = if known.len() < name.len() { (&known, &name) } else { (&name, &known) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let mut missing = 0;
    let mut rest = short.iter().peekable();
    for letter in long {
        match rest.next_if_eq(&letter) {
            Some(_) => {}
            None if short.len() == long.len() => {
                missing += 1;
                rest.next();
            }
            None => missing += 1,
        }
    }
    missing <= 1
}
