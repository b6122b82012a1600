//! What earlier analyses of a file have found out, kept by what it depends on, so that an edit costs what it touches:
//! the trees of its pieces, what top-level statements did that launch something, what the functions showed that nobody calls,
//! and what the rules said of launches. Decides nothing: whoever asks says on what the answer depends.

use crate::bystander::Bystander;
use crate::files::FileSystem;
use crate::statements::Statement;
use crate::uncalled::Drive;
use crate::watched::Watched;
use pallas_ir::Finding;
use pallas_syntax::ast::Module;
use pallas_syntax::{Dependences, Pieces, SourceFile, Span};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is not asked for in so many analyses is forgotten.
const LONGEST: u64 = 16;

/// The memory of one file. Clones share it.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    pieces: Pieces,
    drives: HashMap<Vec<u64>, (u64, Arc<Drive>)>,
    statements: HashMap<Vec<u64>, (u64, Arc<Statement>)>,
    /// By the place of their application.
    launches: HashMap<Span, Vec<Checked>>,
    bystander: Option<Bystander>,
    /// Counts analyses.
    now: u64,
}

/// A launch, and what is wrong with it.
struct Checked {
    launch: Watched,
    findings: Vec<Finding>,
    used: u64,
}

impl Memory {
    // Each operation leaves the tables whole, so a panic elsewhere has not damaged them.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree of a text, in pieces, with what its statements depend on.
    pub(crate) fn parse(&self, source: &Arc<SourceFile>) -> (Module, Dependences) {
        let module = {
            let mut kept = self.lock();
            kept.now += 1;
            let oldest = kept.now.saturating_sub(LONGEST);
            kept.drives.retain(|_, (used, _)| *used >= oldest);
            kept.statements.retain(|_, (used, _)| *used >= oldest);
            kept.launches.retain(|_, launches| {
                launches.retain(|launch| launch.used >= oldest);
                !launches.is_empty()
            });
            kept.pieces.parse(source)
        };
        let dependences = module.dependences(&module.items());
        (module, dependences)
    }

    /// Whether the file has nothing to do with JAX, as it had not before.
    pub(crate) fn is_bystander(&self, source: &SourceFile, files: &dyn FileSystem) -> bool {
        self.lock().bystander.as_ref().is_some_and(|bystander| bystander.is_still(source, files))
    }

    /// A file around has changed, come or gone: whether this one has to do with JAX is found out anew.
    pub fn look_again(&self) {
        self.lock().bystander = None;
    }

    /// Remembers whether the file has to do with JAX.
    pub(crate) fn note_bystander(&self, bystander: Option<Bystander>) {
        self.lock().bystander = bystander;
    }

    /// What was remembered for the same reasons.
    pub(crate) fn recall(&self, reasons: &[u64]) -> Option<Arc<Drive>> {
        let mut kept = self.lock();
        let now = kept.now;
        let (used, drive) = kept.drives.get_mut(reasons)?;
        *used = now;
        Some(drive.clone())
    }

    /// Remembers.
    pub(crate) fn remember(&self, reasons: Vec<u64>, drive: Arc<Drive>) {
        let mut kept = self.lock();
        let now = kept.now;
        kept.drives.insert(reasons, (now, drive));
    }

    /// What a top-level statement did that was remembered for the same reasons.
    pub(crate) fn recall_statement(&self, reasons: &[u64]) -> Option<Arc<Statement>> {
        let mut kept = self.lock();
        let now = kept.now;
        let (used, statement) = kept.statements.get_mut(reasons)?;
        *used = now;
        Some(statement.clone())
    }

    /// Remembers what a top-level statement did.
    pub(crate) fn remember_statement(&self, reasons: Vec<u64>, statement: Arc<Statement>) {
        let mut kept = self.lock();
        let now = kept.now;
        kept.statements.insert(reasons, (now, statement));
    }

    /// What the rules say of a launch.
    pub(crate) fn check(&self, watched: &Watched) -> Vec<Finding> {
        let place = watched.launch.spans.apply;
        {
            let mut kept = self.lock();
            let now = kept.now;
            let known =
                kept.launches.get_mut(&place).and_then(|all| all.iter_mut().find(|one| one.launch.is_like(watched)));
            if let Some(known) = known {
                known.used = now;
                return known.findings.clone();
            }
        }
        let findings = watched.judge();
        let mut kept = self.lock();
        let checked = Checked { launch: watched.clone(), findings: findings.clone(), used: kept.now };
        kept.launches.entry(place).or_default().push(checked);
        findings
    }
}
