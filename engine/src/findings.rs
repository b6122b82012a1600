//! From exceptions and aborts of an analysis to findings.

use pallas_check as check;
use pallas_ir::{Certainty, Finding, Fix, Label, Severity};
use pallas_python::interp::Interp;
use pallas_python::raise::{Abort, Raise};
use pallas_syntax::Span;
use pallas_syntax::ast::SyntaxError;

/// Rules about names that the workbench does not have: a run says them beside Python's traceback.
pub(crate) const IMPORTS: [&str; 2] = ["PL002", "PL005"];
/// Rules about threads that wait in vain, or out of step, which end a run.
pub(crate) const WAITS: [&str; 3] = ["PL401", "PL414", "PL423"];

/// `PL000`: the file is not Python.
pub(crate) fn syntax(error: &SyntaxError) -> Finding {
    proved("PL000", error.span, error.message.clone())
}

/// A finding of a rule with nothing but its sentence and place, for rules that look at something else than launches.
pub(crate) fn proved(code: &'static str, span: Span, message: String) -> Finding {
    Finding {
        code,
        severity: severity(code),
        certainty: Certainty::Proved,
        message,
        span,
        labels: Vec::new(),
        evidence: None,
        help: None,
        fix: None,
    }
}

/// An exception that ends a top-level statement. Its diagnosis, if it has one, says which rule it breaks.
pub(crate) fn raised(interp: &Interp, raise: &Raise) -> Finding {
    let mut frames = raise.traceback.iter().filter(|entry| !interp.is_embedded(entry.span.file));
    // What is observed where it is raised has unwound nothing yet: annotations, missing imports.
    let innermost = match raise.traceback.is_empty() {
        true => interp.span(),
        false => frames.next().map(|entry| entry.span).unwrap_or_default(),
    };
    let text = exception_text(interp, raise);
    let mut finding = proved("PL001", innermost, format!("running this raises {text}"));
    if let Some(diagnosis) = &raise.diagnosis {
        if !diagnosis.code.is_empty() {
            finding.code = diagnosis.code;
            finding.severity = severity(diagnosis.code);
            finding.message = first_line(&text);
        }
        if let Some(message) = &diagnosis.message {
            finding.message.clone_from(message);
        }
        finding.span = diagnosis.span.unwrap_or(innermost);
        finding.labels =
            diagnosis.labels.iter().map(|(span, text)| Label { span: *span, text: text.clone() }).collect();
        finding.evidence.clone_from(&diagnosis.evidence);
        finding.help.clone_from(&diagnosis.help);
        finding.fix = diagnosis.fix.clone().map(|(span, replacement, title)| Fix::replace(title, span, replacement));
    } else {
        python(interp, raise, &text, &mut finding);
    }
    if let Some(help) = crate::fixes::own_params::help(&text) {
        finding.help = Some(help);
    }
    // A mistake that shows in an installed package was made where the program called it.
    if interp.is_installed(finding.span.file)
        && let Some(own) = raise.traceback.iter().find(|entry| !interp.is_installed(entry.span.file))
    {
        let inside = std::mem::replace(&mut finding.span, own.span);
        if !interp.is_embedded(inside.file) {
            finding.labels.insert(0, Label { span: inside, text: "raised here".to_string() });
        }
    }
    // The calls that led there, outermost last, so that an error in a helper shows who called it.
    for entry in frames {
        let known = interp.is_installed(entry.span.file)
            || entry.span == finding.span
            || finding.labels.iter().any(|l| l.span == entry.span);
        if !known && finding.labels.len() < 3 {
            let what = if &*entry.function == "<module>" {
                "called here".to_string()
            } else {
                format!("called in `{}`", entry.function)
            };
            finding.labels.push(Label { span: entry.span, text: what });
        }
    }
    without_addresses(&mut finding);
    finding
}

/// Takes the addresses out of what is said: `<function f at 0x7f554c0748e0>`. They are others in every analysis, and tell nobody
/// anything.
pub(crate) fn without_addresses(finding: &mut Finding) {
    const MARK: &str = " at 0x";
    let labels = finding.labels.iter_mut().map(|label| &mut label.text);
    let texts = labels.chain([&mut finding.message]).chain(&mut finding.evidence).chain(&mut finding.help);
    for text in texts {
        while let Some(start) = text.find(MARK) {
            let digits = text[start + MARK.len()..].bytes().take_while(u8::is_ascii_hexdigit).count();
            text.replace_range(start..start + MARK.len() + digits, "");
        }
    }
}

/// Exceptions of Python itself that have a rule of their own.
fn python(interp: &Interp, raise: &Raise, text: &str, finding: &mut Finding) {
    let types = interp.types();
    // An operation of ours that does not know what to do with a value that is known later; Python has no such class.
    if text.contains("'Unknown' object") {
        finding.code = "PL005";
        finding.severity = Severity::Info;
        finding.message =
            "this needs a value that is not known before the program runs: checks go no further here".into();
        return;
    }
    let is_ours = text.contains("provided by the workbench") || text.ends_with("is not provided");
    if is_ours && interp.exception_is(&raise.exception, &types.not_implemented_error) {
        finding.code = "PL005";
        finding.severity = severity("PL005");
        finding.message = first_line(text).trim_start_matches("NotImplementedError: ").to_string();
        finding.help = Some("checks go no further here, and a run stops: nothing is said of the program".to_string());
        return;
    }
    let is_missing = text.contains("No module named") || text.contains("cannot import name");
    let code = if interp.exception_is(&raise.exception, &types.import_error) && is_missing {
        "PL002"
    } else if interp.exception_is(&raise.exception, &types.attribute_error) && text.contains("has no attribute") {
        "PL312"
    } else {
        return;
    };
    finding.code = code;
    finding.severity = severity(code);
    finding.message = first_line(text);
    if code == "PL002" {
        finding.help =
            Some("what is imported from it is unknown to the checks; is its folder on `PYTHONPATH`?".to_string());
    } else {
        let meant = interp.suggestion(&raise.exception).map(|name| format!("did you mean `{name}`?"));
        // The name of another module comes before a name that looks like it.
        finding.help = elsewhere(text).or(meant);
    }
}

/// Which module has a name that another one is said not to have.
fn elsewhere(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("module '")?;
    let (module, rest) = rest.split_once("' has no attribute '")?;
    let name = rest.split('\'').next()?;
    let place = pallas_jax::names::elsewhere(module, name)?;
    Some(format!("`{name}` is in `{place}`"))
}

/// A limit of the evaluator.
pub(crate) fn aborted(abort: &Abort) -> Option<Finding> {
    let (code, span, message, help) = match abort {
        Abort::Cancelled => return None,
        Abort::Fuel { span } => (
            "PL003",
            *span,
            "analysis stopped here: this takes too many steps to evaluate".to_string(),
            "what follows is still analysed; run the file to see all of it",
        ),
        Abort::Memory { span, bytes } => (
            "PL004",
            *span,
            format!("analysis stopped here: this needs {} of memory", human_bytes(*bytes)),
            "analysis never allocates that much; is the size meant?",
        ),
    };
    Some(Finding {
        code,
        severity: severity(code),
        certainty: Certainty::Found,
        message,
        span,
        labels: Vec::new(),
        evidence: None,
        help: Some(help.to_string()),
        fix: None,
    })
}

/// `ValueError: Axis 1 is out of bounds for grid (2,)`
pub(crate) fn exception_text(interp: &Interp, raise: &Raise) -> String {
    let class = interp.type_name(&raise.exception);
    match interp.str(&raise.exception) {
        Ok(text) if !text.is_empty() => format!("{class}: {text}"),
        _ => class,
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

/// The severity that the catalogue gives a rule; errors where it has none (a test sees to it that all have).
pub(crate) fn severity(code: &str) -> Severity {
    check::find(code).map_or(Severity::Error, |rule| rule.severity)
}

fn human_bytes(bytes: u128) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// The place of a file's first line, for findings without a better one.
pub(crate) fn start_of(file: pallas_syntax::FileId) -> Span {
    Span::new(file, 0, 0)
}

/// Whether a finding names lines by their numbers, which are others after an edit above.
pub(crate) fn speaks_of_lines(finding: &Finding) -> bool {
    let labels = finding.labels.iter().map(|label| &label.text);
    labels.chain([&finding.message]).chain(&finding.evidence).chain(&finding.help).any(|text| names_a_line(text))
}

/// The same of a text.
pub(crate) fn names_a_line(text: &str) -> bool {
    let after = |mark: &str| {
        text.match_indices(mark).any(|(at, _)| text[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    after("line ") || after(".py:")
}
