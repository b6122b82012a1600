//! Launches as they come up, each once, with the scalars that it was seen to fetch, and what the rules say of both.

use crate::{rehearsed, room};
use pallas_ir::{Certainty, Finding, Launch, Scalars, Severity};
use std::sync::Arc;

/// Of a launch in a loop, so many different scalars are looked at.
const MOST: usize = 8;

/// A launch that was seen.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) launch: Arc<Launch>,
    /// What was known of its scalars, once each; empty where it fetches none, or nothing was known.
    pub(crate) scalars: Vec<Scalars>,
}

impl Watched {
    /// Notes a launch. A launch in a loop is one launch to the reader: equal ones are kept once. Of a loop whose launches all
    /// differ the first ones are kept; whether there was room is the answer.
    pub(crate) fn note(all: &mut Vec<Watched>, launch: &Arc<Launch>, scalars: Scalars) -> bool {
        if !all.iter().any(|seen| seen.is_of(launch)) {
            if !room::for_another(all.iter().map(|seen| &*seen.launch), launch.spans.apply, room::OF_A_PLACE) {
                return false;
            }
            all.push(Watched { launch: launch.clone(), scalars: Vec::new() });
        }
        Watched::note_scalars(all, launch, scalars);
        true
    }

    /// Notes what a launch that was seen has fetched.
    pub(crate) fn note_scalars(all: &mut [Watched], launch: &Arc<Launch>, scalars: Scalars) {
        if let Some(seen) = all.iter_mut().find(|seen| seen.is_of(launch))
            && scalars.is_known()
            && seen.scalars.len() < MOST
            && !seen.scalars.contains(&scalars)
        {
            seen.scalars.push(scalars);
        }
    }

    /// Notes a launch that was seen another time.
    pub(crate) fn note_again(&self, all: &mut Vec<Watched>) {
        Watched::note(all, &self.launch, Scalars::default());
        for scalars in &self.scalars {
            Watched::note_scalars(all, &self.launch, scalars.clone());
        }
    }

    fn is_of(&self, launch: &Arc<Launch>) -> bool {
        Arc::ptr_eq(&self.launch, launch) || (self.launch.spans.apply == launch.spans.apply && *self.launch == **launch)
    }

    /// Whether the rules say the same of it.
    pub(crate) fn is_like(&self, other: &Watched) -> bool {
        // A launch that is remembered is the same one.
        (Arc::ptr_eq(&self.launch, &other.launch) || self.launch == other.launch) && self.scalars == other.scalars
    }

    /// What is wrong with it, each mistake once.
    pub(crate) fn judge(&self) -> Vec<Finding> {
        let mut findings = self.judge_by_rules();
        let is_new =
            |finding: &Finding| !findings.iter().any(|known| known.code == finding.code && known.span == finding.span);
        let more: Vec<Finding> = rehearsed::findings(&self.launch).into_iter().filter(is_new).collect();
        findings.extend(more);
        findings
    }

    fn judge_by_rules(&self) -> Vec<Finding> {
        let Some((first, others)) = self.scalars.split_first() else { return pallas_check::check(&self.launch) };
        let mut findings = pallas_check::check_with(&self.launch, first);
        for scalars in others {
            let more = pallas_check::check_with(&self.launch, scalars);
            let is_new = |finding: &Finding| {
                !findings.iter().any(|known| known.code == finding.code && known.span == finding.span)
            };
            let more: Vec<Finding> = more.into_iter().filter(is_new).collect();
            findings.extend(more);
        }
        findings
    }
}

/// `PL003`: the launches from a place differ so often that not all are kept.
pub(crate) fn too_many(launch: &Launch) -> Finding {
    Finding {
        code: "PL003",
        severity: Severity::Info,
        certainty: Certainty::Found,
        message: "the launches from here differ each time: not all of them are looked at".to_string(),
        span: launch.spans.apply,
        labels: Vec::new(),
        evidence: None,
        help: Some(
            "each is traced and compiled anew, by JAX, too; a number that differs can be an operand of the kernel"
                .to_string(),
        ),
        fix: None,
    }
}
