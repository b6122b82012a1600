//! One file: which of its sites are traced, and what stands in the way of the others.

use crate::drive;
use crate::sites::{self, Found, Site};
use pallas_engine::syntax::ast::Module;
use pallas_engine::{Analysis, AnalysisOptions, FileId, Finding, Severity, SourceFile, Span};
use std::sync::Arc;

/// What became of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was traced, with so many findings that are errors.
    Traced { errors: usize },
    /// It was reached, and not traced.
    NotTraced(String),
    /// Nothing is known of it.
    NotReached(String),
}

/// A site with its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Surveyed {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) launcher: String,
    pub(crate) outcome: Outcome,
    /// Whether a made-up call has reached it.
    pub(crate) driven: bool,
}

/// A function calls another through at most so many others.
const DEPTH: usize = 4;
/// Functions from which a site is tried to be reached.
const MOST_CALLERS: usize = 3;

/// Analyses a file, then once more with calls of what nobody called.
pub(crate) fn survey(path: &str, shown: &str, text: &str, options: &AnalysisOptions) -> Vec<Surveyed> {
    if !["pallas_call", "core_map", ".kernel("].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let source = Arc::new(SourceFile::new(FileId(0), path, text));
    let module: Module = pallas_engine::syntax::parse(source.clone());
    let found = sites::find(&module);
    if found.sites.is_empty() {
        return Vec::new();
    }
    let plain = Analysis::new(path, text, options);
    let missing: Vec<&Site> = found.sites.iter().filter(|site| !plain.facts.was_evaluated(site.callee)).collect();
    let calls = Calls::new(&found, &missing, &source);
    let driven = (!calls.lines.is_empty()).then(|| {
        let driven = format!("{}{}\n", before_calls(text), calls.lines.join("\n"));
        Analysis::new(path, &driven, options)
    });
    let surveyed = found.sites.iter().map(|site| {
        let by_itself = plain.facts.was_evaluated(site.callee);
        let analysis = driven.as_ref().filter(|_| !by_itself).unwrap_or(&plain);
        let outcome = if analysis.facts.was_evaluated(site.callee) {
            outcome(site, analysis, &found, text.len(), !by_itself)
        } else {
            Outcome::NotReached(calls.why_not(site, analysis, &found, before_calls(text).len()))
        };
        Surveyed {
            file: shown.to_string(),
            line: source.line_of(site.span.start),
            launcher: site.launcher.clone(),
            outcome,
            driven: !by_itself,
        }
    });
    surveyed.collect()
}

/// The file, and what the made-up calls need; they come next.
fn before_calls(text: &str) -> String {
    format!("{}\n{}", text.trim_end(), drive::PRELUDE)
}

fn outcome(site: &Site, analysis: &Analysis, found: &Found, end: usize, driven: bool) -> Outcome {
    let is_here = |span: Span| span.file == FileId(0) && span.start <= site.span.start && site.span.end <= span.end;
    if let Some(launch) =
        analysis.launches.iter().find(|launch| is_here(launch.spans.call) || is_here(launch.spans.apply))
    {
        let errors = analysis.findings.iter().filter(|finding| {
            let of_kernel = launch.spans.kernel.is_some_and(|kernel| finding.labels.iter().any(|l| l.span == kernel));
            finding.severity == Severity::Error && (of_kernel || is_here(finding.span))
        });
        return Outcome::Traced { errors: errors.count() };
    }
    if let Some(why) = analysis.facts.why_unknown(site.callee) {
        return Outcome::NotTraced(why.to_string());
    }
    // The reason is what ended the call that reached the site: a missing name before anything else.
    let function = found.functions.iter().find(|function| Some(&*function.def.name) == site.within.as_deref());
    let around = function.map_or(site.span, |function| function.def.span);
    let touches = |span: Span| {
        span.file == FileId(0) && (around.start <= span.start && span.end <= around.end || span.start as usize >= end)
    };
    let concerns = |finding: &&Finding| touches(finding.span) || finding.labels.iter().any(|label| touches(label.span));
    let mut reasons: Vec<&Finding> = analysis.findings.iter().filter(concerns).collect();
    reasons.sort_by_key(|finding| match finding.code {
        "PL005" | "PL002" => 0,
        "PL312" => 1,
        _ if finding.severity == Severity::Error => 2,
        _ => 3,
    });
    match reasons.first() {
        // What Python itself raises about an argument that was made up says nothing about the launch.
        Some(finding) if driven && is_of_argument(finding) => {
            Outcome::NotReached(format!("the made-up call: {}", finding.message))
        }
        Some(finding) => Outcome::NotTraced(finding.message.clone()),
        None => match analysis.facts.why_unknown(site.span) {
            Some(why) => Outcome::NotTraced(why.to_string()),
            None => Outcome::NotTraced("its arguments are not known".to_string()),
        },
    }
}

/// Whether a finding is an exception that a wrong shape, rank or number brings about in plain Python.
fn is_of_argument(finding: &Finding) -> bool {
    const KINDS: [&str; 4] = ["ValueError", "IndexError", "AssertionError", "ZeroDivisionError"];
    finding.code == "PL001" && KINDS.iter().any(|kind| finding.message.contains(&format!("raises {kind}")))
}

/// The made-up calls.
struct Calls {
    lines: Vec<String>,
    /// For each function with a site: why no call of it could be made.
    impossible: Vec<(String, String)>,
    /// For each function with a site: which lines are to reach it.
    reaching: Vec<(String, Vec<usize>)>,
}

impl Calls {
    fn new(found: &Found, missing: &[&Site], source: &SourceFile) -> Calls {
        let mut calls = Calls { lines: Vec::new(), impossible: Vec::new(), reaching: Vec::new() };
        let mut done: Vec<&str> = Vec::new();
        for within in missing.iter().filter_map(|site| site.within.as_deref()) {
            if done.contains(&within) {
                continue;
            }
            done.push(within);
            let mut reaching = Vec::new();
            let mut problem = "it stands in a class".to_string();
            for caller in callers(found, within) {
                match drive::lines(caller, found, source) {
                    Ok(lines) => {
                        for line in lines {
                            let known = calls.lines.iter().position(|known| *known == line);
                            reaching.push(known.unwrap_or(calls.lines.len()));
                            if known.is_none() {
                                calls.lines.push(line);
                            }
                        }
                    }
                    Err(why) => problem = why,
                }
            }
            if reaching.is_empty() {
                calls.impossible.push((within.to_string(), problem));
            }
            calls.reaching.push((within.to_string(), reaching));
        }
        calls
    }

    /// Why the calls have not reached a site.
    fn why_not(&self, site: &Site, analysis: &Analysis, found: &Found, start: usize) -> String {
        let Some(within) = site.within.as_deref() else {
            return "it stands in a branch that is not taken".to_string();
        };
        if let Some((_, why)) = self.impossible.iter().find(|(name, _)| name == within) {
            return why.clone();
        }
        let lines = self.reaching.iter().find(|(name, _)| name == within).map_or(&[][..], |(_, lines)| lines);
        // The lines stand after the text, one below the other.
        let mut at = start;
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if lines.contains(&number) {
                places.push((at, at + line.len()));
            }
            at += line.len() + 1;
        }
        // What stops a call may stop it inside of the functions that lead to the site.
        let leading = callers(found, within).into_iter().map(|function| function.def.span);
        places.extend(leading.map(|span| (span.start as usize, span.end as usize)));
        let is_there = |span: Span| {
            let inside = |&(from, to): &(usize, usize)| from <= span.start as usize && span.end as usize <= to;
            span.file == FileId(0) && places.iter().any(inside)
        };
        let concerns =
            |finding: &&Finding| is_there(finding.span) || finding.labels.iter().any(|label| is_there(label.span));
        let mut whys: Vec<&Finding> = analysis.findings.iter().filter(concerns).collect();
        whys.sort_by_key(|finding| match finding.code {
            "PL005" | "PL002" => 0,
            "PL312" => 1,
            _ => 2,
        });
        match whys.first() {
            Some(why) => format!("the made-up call: {}", why.message),
            None => "the made-up call does not come there".to_string(),
        }
    }
}

/// The functions that lead to `name`, those that nobody else calls first, public ones before others; at last itself.
fn callers<'a>(found: &'a Found, name: &str) -> Vec<&'a sites::Outer> {
    let Some(own) = found.functions.iter().position(|function| &*function.def.name == name) else { return Vec::new() };
    let mut level = vec![own];
    let mut all = vec![(0, own)];
    for depth in 1..=DEPTH {
        let names: Vec<&str> = level.iter().map(|&index| &*found.functions[index].def.name).collect();
        level = (0..found.functions.len())
            .filter(|index| names.iter().any(|name| found.functions[*index].names.contains(*name)))
            .filter(|index| !all.iter().any(|(_, known)| known == index))
            .collect();
        all.extend(level.iter().map(|&index| (depth, index)));
    }
    let is_public = |index: usize| !found.functions[index].def.name.starts_with('_');
    all.sort_by_key(|&(depth, index)| (!is_public(index), std::cmp::Reverse(depth)));
    let mut picked: Vec<usize> = all.iter().map(|&(_, index)| index).take(MOST_CALLERS).collect();
    if !picked.contains(&own) {
        picked.push(own);
    }
    picked.into_iter().map(|index| &found.functions[index]).collect()
}
