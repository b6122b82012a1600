//! What may be said of a call with made-up arguments.

use super::driver::Tried;
use super::{Assumed, Seen};
use pallas_ir::{Certainty, Finding, Label, Severity};
use pallas_jax::uncalled::Attempt;
use pallas_syntax::ast::FunctionDef;

/// Mistakes that no argument can be to blame for: rules about specs, index maps, and kernels as such.
const STRUCTURAL: [&str; 17] = [
    "PL002", "PL005", "PL103", "PL106", "PL107", "PL108", "PL109", "PL110", "PL112", "PL113", "PL114", "PL115",
    "PL122", "PL131", "PL308", "PL310", "PL505",
];
/// Mistakes that show for some lengths and not for others.
const GEOMETRIC: [&str; 32] = [
    "PL120", "PL121", "PL123", "PL124", "PL125", "PL126", "PL128", "PL129", "PL132", "PL133", "PL201", "PL202",
    "PL203", "PL204", "PL205", "PL206", "PL207", "PL208", "PL401", "PL402", "PL410", "PL412", "PL413", "PL414",
    "PL415", "PL501", "PL502", "PL503", "PL504", "PL506", "PL507", "PL508",
];

/// Those of them that say how large something is.
const SIZES: [&str; 1] = ["PL502"];

/// Keeps the findings that no argument is to blame for; `others` are those of calls with other arguments.
pub(super) fn judge<const N: usize>(findings: &mut Vec<Finding>, others: impl FnOnce() -> [Vec<Finding>; N]) {
    only_of_launches(findings);
    findings.retain(|finding| !is_of_a_column(finding));
    if findings.iter().all(is_structural) {
        return;
    }
    let others = others();
    // What follows from lengths is said with numbers, and where those are others with other lengths, made-up ones are to blame.
    let same = |a: &Finding, b: &Finding| {
        a.code == b.code && a.span == b.span && (!SIZES.contains(&a.code) || a.message == b.message)
    };
    findings.retain_mut(|finding| {
        if is_structural(finding) {
            return true;
        }
        finding.certainty = Certainty::Possible;
        if finding.severity == Severity::Error {
            finding.severity = Severity::Warning;
        }
        others.iter().all(|other| other.iter().any(|found| same(finding, found)))
    });
}

/// Keeps what is said of launches, and not what values came to.
pub(super) fn only_of_launches(findings: &mut Vec<Finding>) {
    findings.retain(|finding| is_structural(finding) || GEOMETRIC.contains(&finding.code));
}

/// Whether a TPU does not take a block with one column: the array that was made up with more may have one.
fn is_of_a_column(finding: &Finding) -> bool {
    finding.code == "PL501" && finding.message.contains(": 1 along dimension") && finding.message.contains("of 128 nor")
}

pub(super) fn is_structural(finding: &Finding) -> bool {
    match finding.code {
        // A name that is not there, and a name that a module does not have; what a made-up argument lacks is no mistake.
        // Axes of meshes are bound around calls, which nobody makes here.
        "PL001" => finding.message.contains("raises NameError: name '"),
        "PL312" => finding.message.contains("module '"),
        // Index maps divide, or read fetched scalars; those of made-up arrays of floats show by their shape.
        "PL108" => !finding.message.contains("has type float32[") || finding.message.contains("float32[]"),
        // A number that was made up as an array without dimensions may be one of Python's, which kernels may capture.
        "PL305" => names_a_shape(&finding.message),
        // An op that a compiler does not have, whatever it is applied to.
        "PL504" => finding.message.contains(" has no `"),
        code => STRUCTURAL.contains(&code),
    }
}

/// `f32[8,128]`
fn names_a_shape(message: &str) -> bool {
    message.as_bytes().windows(2).any(|pair| pair[0] == b'[' && pair[1].is_ascii_digit())
}

/// A message without what is too long to be read: one may show a made-up array, or its shape, with all its elements.
fn brief(message: &str) -> String {
    const MOST: usize = 400;
    match message.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} ...", message[..end].trim_end()),
        None => message.to_string(),
    }
}

pub(super) fn assumed(def: &FunctionDef, attempt: Option<&Attempt>, problem: Option<String>) -> Assumed {
    Assumed {
        function: def.name.clone(),
        definition: def.span,
        arguments: attempt.map(|attempt| attempt.words.clone()).unwrap_or_default(),
        comment: attempt.map(Attempt::comment).unwrap_or_default(),
        problem,
    }
}

/// What is kept of the call that showed most.
pub(super) fn kept(def: &FunctionDef, tried: Tried) -> (Assumed, Seen) {
    let Tried { mut seen, failure, attempt } = tried;
    let problem = failure.map(|(finding, _)| finding).filter(|_| seen.launches.is_empty());
    let why = match (&problem, seen.launches.is_empty()) {
        (_, false) => None,
        (Some(problem), true) => Some(brief(&problem.message)),
        (None, true) => Some("it launches nothing with such arguments".to_string()),
    };
    seen.findings.extend(problem);
    // How many operands there are, is for those to say who pass any number of them.
    if def.params.vararg.is_some() {
        seen.findings.retain(|finding| !matches!(finding.code, "PL103" | "PL109"));
    }
    // Those of calls that came to a launch have been judged.
    if seen.launches.is_empty() {
        seen.findings.retain(is_structural);
    }
    for finding in &mut seen.findings {
        // Which condition did not hold, is for made-up arguments to say, and for defaults.
        if finding.code == "PL122" && finding.severity == Severity::Warning {
            finding.severity = Severity::Info;
        }
        finding.labels.retain(|label| label.span != def.name_span);
        let text = match attempt.words.as_str() {
            "" => format!("nobody calls `{}` here; it was called without arguments", def.name),
            words => format!("nobody calls `{}` here; it was called with {words}", def.name),
        };
        finding.labels.push(Label { span: def.name_span, text });
    }
    (assumed(def, Some(&attempt), why), seen)
}
