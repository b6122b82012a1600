//! One file: which of its sites are traced, and what stands in the way of the others.

use crate::drive;
use crate::drivers::Driver;
use crate::outcome::{Attempt, Outcome, View};
use crate::sites::{self, Found, Site};
use pallas_engine::syntax::ast::Module;
use pallas_engine::{Analysis, AnalysisOptions, FileId, SourceFile, Span};
use std::path::PathBuf;
use std::sync::Arc;

/// Who has come to a site, or nearest to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    File,
    MadeUpCall,
    Driver(String),
}

/// A site with its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Surveyed {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) launcher: String,
    pub(crate) outcome: Outcome,
    pub(crate) by: By,
}

/// How files are surveyed.
pub(crate) struct Survey<'a> {
    pub(crate) options: &'a AnalysisOptions,
    pub(crate) drivers: &'a [Driver],
    /// Whether nothing but the drivers counts.
    pub(crate) only_drivers: bool,
}

impl Survey<'_> {
    /// Analyses a file, then once more with calls of what nobody called; the best outcome counts, that of drivers too.
    pub(crate) fn file(&self, path: &str, shown: &str, text: &str) -> Vec<Surveyed> {
        if !["pallas_call", "core_map", ".kernel("].iter().any(|word| text.contains(word)) {
            return Vec::new();
        }
        let source = Arc::new(SourceFile::new(FileId(0), path, text));
        let module: Module = pallas_engine::syntax::parse(source.clone());
        let found = sites::find(&module);
        if found.sites.is_empty() {
            return Vec::new();
        }
        let on_disk = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
        let of_drivers = |site: &Site| -> Vec<(By, Attempt)> {
            let attempt = |driver: &Driver| {
                let attempt = driver.attempt(&on_disk, site, &found)?;
                Some((By::Driver(driver.name.clone()), attempt))
            };
            self.drivers.iter().filter_map(attempt).collect()
        };
        let driven: Vec<Vec<(By, Attempt)>> = found.sites.iter().map(of_drivers).collect();
        // Nothing is better than a launch that a driver makes.
        let is_traced = |(_, attempt): &(By, Attempt)| matches!(attempt.outcome, Outcome::Traced { .. });
        let is_done = self.only_drivers || driven.iter().all(|attempts| attempts.iter().any(is_traced));
        let by_itself = if is_done { Vec::new() } else { self.by_itself(path, text, &found, &source) };
        let sites = found.sites.iter().zip(driven).enumerate();
        let surveyed = sites.map(|(index, (site, mut attempts))| {
            attempts.extend(by_itself.iter().filter_map(|of_sites| of_sites[index].clone()));
            let (by, outcome) = best(attempts);
            let line = source.line_of(site.span.start);
            Surveyed { file: shown.to_string(), line, launcher: site.launcher.clone(), outcome, by }
        });
        surveyed.collect()
    }

    /// What comes of running the file, and of made-up calls of what that does not reach: an attempt for each site.
    fn by_itself(&self, path: &str, text: &str, found: &Found, source: &SourceFile) -> Vec<Vec<Option<(By, Attempt)>>> {
        let file = FileId(0);
        let plain = Analysis::new(path, text, self.options);
        let of_plain = found.sites.iter().map(|site| {
            let view = View { analysis: &plain, file, calls: Vec::new(), made_up: is_assumed(&plain, site, found) };
            let by = if view.made_up { By::MadeUpCall } else { By::File };
            view.attempt(site, found).map(|attempt| (by, attempt))
        });
        let of_plain: Vec<Option<(By, Attempt)>> = of_plain.collect();
        let is_settled = |site: &Site, seen: &Option<(By, Attempt)>| match seen {
            Some((_, Attempt { outcome: Outcome::Traced { .. }, .. })) => true,
            Some((By::File, _)) => plain.facts.was_evaluated(site.callee),
            _ => false,
        };
        let sites = found.sites.iter().zip(&of_plain);
        let missing: Vec<&Site> = sites.filter(|(site, seen)| !is_settled(site, seen)).map(|(site, _)| site).collect();
        let calls = Calls::new(found, &missing, source);
        let before = before_calls(text);
        let driven = (!calls.lines.is_empty()).then(|| {
            let driven = format!("{before}{}\n", calls.lines.join("\n"));
            Analysis::new(path, &driven, self.options)
        });
        let of_calls = found.sites.iter().map(|site| {
            if !missing.iter().any(|other| other.span == site.span) {
                return None;
            }
            let refused = calls.refused(site).map(|why| Attempt { outcome: Outcome::NotReached(why), came: (0, 0) });
            let analysis = driven.as_ref().filter(|_| refused.is_none());
            let view = analysis.map(|analysis| View {
                analysis,
                file,
                calls: calls.places(site, before.len()),
                made_up: true,
            });
            refused.or_else(|| view?.attempt(site, found)).map(|attempt| (By::MadeUpCall, attempt))
        });
        let of_calls = of_calls.collect();
        vec![of_plain, of_calls]
    }
}

/// Whether an analysis has come to a site by a call that it made up itself.
fn is_assumed(analysis: &Analysis, site: &Site, found: &Found) -> bool {
    let leading = found.callers(site.within.as_deref().unwrap_or_default());
    analysis.assumed.iter().any(|assumed| leading.iter().any(|function| function.def.name == assumed.function))
}

/// The best outcome. Among equals that of calls that are meant, drivers first; of what is not reached, that which came furthest.
fn best(attempts: Vec<(By, Attempt)>) -> (By, Outcome) {
    let is_meant = |by: &By| *by != By::MadeUpCall;
    let errors: Vec<String> = attempts
        .iter()
        .filter(|(by, _)| is_meant(by))
        .flat_map(|(_, attempt)| match &attempt.outcome {
            Outcome::Traced { errors } => errors.clone(),
            _ => Vec::new(),
        })
        .collect();
    let key = |(by, attempt): &(By, Attempt)| {
        let rank = attempt.outcome.rank();
        (rank, rank > 1 && is_meant(by), attempt.came)
    };
    // The first of equals: drivers stand in front.
    let best = attempts.into_iter().reduce(|best, next| if key(&next) > key(&best) { next } else { best });
    match best {
        // Errors in a launch that a driver makes are not hidden by another one.
        Some((by, Attempt { outcome: Outcome::Traced { .. }, .. })) if is_meant(&by) => {
            (by, Outcome::Traced { errors })
        }
        Some((by, attempt)) => (by, attempt.outcome),
        None => (By::File, Outcome::NotReached("nothing calls it".to_string())),
    }
}

/// The file, and what the made-up calls need; they come next.
fn before_calls(text: &str) -> String {
    format!("{}\n{}", text.trim_end(), drive::PRELUDE)
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
            for caller in found.callers(within) {
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

    /// Why no call could be made for a site.
    fn refused(&self, site: &Site) -> Option<String> {
        let Some(within) = site.within.as_deref() else {
            return Some("it stands in a branch that is not taken".to_string());
        };
        self.impossible.iter().find(|(name, _)| name == within).map(|(_, why)| why.clone())
    }

    /// Where the lines for a site stand: after so much text, one below the other.
    fn places(&self, site: &Site, start: usize) -> Vec<Span> {
        let of_site = self.reaching.iter().find(|(name, _)| Some(&**name) == site.within.as_deref());
        let lines = of_site.map_or(&[][..], |(_, lines)| lines);
        let mut at = start;
        let mut places = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if lines.contains(&number) {
                places.push(Span::new(FileId(0), at, at + line.len()));
            }
            at += line.len() + 1;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(by: By, outcome: Outcome, came: usize) -> (By, Attempt) {
        (by, Attempt { outcome, came: (came, 0) })
    }

    #[test]
    fn the_best_outcome_counts() {
        let driver = || By::Driver("attention".to_string());
        let (traced, stopped) = (Outcome::Traced { errors: Vec::new() }, Outcome::NotTraced("a name".to_string()));
        let reasons = ["a shape", "a rank"].map(|why| Outcome::NotReached(why.to_string()));
        // A launch is better than the reason why there is none, wherever it came from.
        let all = vec![attempt(driver(), stopped.clone(), 9), attempt(By::MadeUpCall, traced.clone(), 3)];
        assert_eq!(best(all), (By::MadeUpCall, traced));
        // What a driver says of a site that it reaches is better than what a made-up call says.
        let all = vec![attempt(driver(), stopped.clone(), 3), attempt(By::MadeUpCall, stopped.clone(), 9)];
        assert_eq!(best(all), (driver(), stopped));
        // Of those that do not reach it, the one that came furthest.
        let all = vec![attempt(driver(), reasons[0].clone(), 3), attempt(By::MadeUpCall, reasons[1].clone(), 9)];
        assert_eq!(best(all), (By::MadeUpCall, reasons[1].clone()));
    }

    #[test]
    fn errors_of_drivers_are_added_up() {
        let traced = |error: &str| Outcome::Traced { errors: vec![error.to_string()] };
        let names = ["one", "two"].map(|name| By::Driver(name.to_string()));
        let all = vec![
            attempt(names[0].clone(), traced("a"), 1),
            attempt(names[1].clone(), traced("b"), 1),
            attempt(By::MadeUpCall, traced("c"), 5),
        ];
        let errors = vec!["a".to_string(), "b".to_string()];
        assert_eq!(best(all), (names[0].clone(), Outcome::Traced { errors }));
    }
}
