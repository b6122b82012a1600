//! Top-level statements that launch something, remembered from one analysis of a file to the next: an edit elsewhere does not
//! trace their kernels again.
//!
//! A statement is skipped if nothing that it mentions, directly or through others, has another text ([`Dependences::direct`]), if
//! all of that stays as it is whoever runs, and if it left nothing behind but names of constants and arrays, launches,
//! findings and facts. Those are put where running it would have put them. What else it may have done, nobody sees: a function
//! that was traced already is traced again by the next statement that calls it.

use crate::analysis::{Both, World};
use crate::facts::Facts;
use crate::memory::Memory;
use crate::watched::Watched;
use pallas_ir::Finding;
use pallas_jax::JaxState;
use pallas_jax::kept::Kept;
use pallas_python::Value;
use pallas_python::interp::{Interp, Statements};
use pallas_syntax::ast::{ExprKind, Module, Name, StmtKind};
use pallas_syntax::{Dependences, Item, Span};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// Words of programs whose statements may do more than can be seen: they bind names of others, or give functions derivatives.
const REACHING_OUT: [&str; 4] = ["global ", "nonlocal ", "custom_vjp", "custom_jvp"];

/// What a statement did.
pub(crate) struct Statement {
    names: Vec<(Name, Kept)>,
    launches: Vec<Watched>,
    findings: Vec<Finding>,
    facts: Facts,
    /// The functions of the file that were called on the way.
    entered: Vec<Span>,
    /// Steps that it took.
    steps: u64,
}

/// Knows statements, and remembers those that it sees run.
pub(crate) struct Remembering {
    memory: Memory,
    module: Arc<Module>,
    items: Vec<Item>,
    dependences: Dependences,
    world: World,
    both: Rc<Both>,
    /// Whether what an item has bound so far stays as it is; `None` of those that have not run.
    lasting: RefCell<Vec<Option<bool>>>,
    /// The statement that runs.
    open: RefCell<Option<Open>>,
    /// The environment's hash, for so many sources.
    known_world: Cell<Option<(usize, u64)>>,
}

/// What was there before a statement.
struct Open {
    reasons: Vec<u64>,
    launches: Vec<Watched>,
    findings: Vec<Finding>,
    facts: Facts,
    entered: HashSet<Span>,
    steps: u64,
    sources: usize,
    settings: String,
}

impl Remembering {
    /// For the statements of a module. `None` where nothing can be said of what they do.
    pub(crate) fn new(
        memory: &Memory,
        module: &Arc<Module>,
        dependences: &Dependences,
        world: World,
        both: &Rc<Both>,
    ) -> Option<Remembering> {
        let items = module.items();
        let text = &module.source.text;
        if items.is_empty() || dependences.reach(0).is_none() || REACHING_OUT.iter().any(|word| text.contains(word)) {
            return None;
        }
        Some(Remembering {
            memory: memory.clone(),
            module: module.clone(),
            lasting: RefCell::new(vec![None; items.len()]),
            items,
            dependences: dependences.clone(),
            world,
            both: both.clone(),
            open: RefCell::default(),
            known_world: Cell::new(None),
        })
    }

    /// Whether a statement is of a kind that launches are made by, and mentions nothing that could change.
    fn can_be_kept(&self, number: usize) -> bool {
        let is_call = |kind: &ExprKind| {
            matches!(
                kind,
                ExprKind::Call { .. } | ExprKind::BinOp { .. } | ExprKind::Subscript { .. } | ExprKind::Tuple(_)
            )
        };
        let is_candidate = match self.module.body.get(number).map(|stmt| &stmt.kind) {
            Some(StmtKind::Expr(value) | StmtKind::Assign { value, .. }) => is_call(&value.kind),
            _ => false,
        };
        let lasting = self.lasting.borrow();
        is_candidate
            && self.dependences.reach(number).is_some_and(|reach| {
                reach.iter().all(|other| *other == number || lasting.get(*other).copied().flatten() != Some(false))
            })
    }

    /// All that the statement depends on.
    fn reasons(&self, number: usize, interp: &Interp) -> Option<Vec<u64>> {
        let sources = interp.sources().len();
        let world = match self.known_world.get() {
            Some((known, world)) if known == sources => world,
            _ => {
                let world = self.world.hash(interp, &self.module);
                self.known_world.set(Some((sources, world)));
                world
            }
        };
        // Functions of the program may change settings, and nothing that the statement mentions need say so.
        let mut settings = DefaultHasher::new();
        interp.extension::<JaxState>().settings().hash(&mut settings);
        Some(vec![self.dependences.direct(number)?, world, settings.finish()])
    }

    /// What a statement's names are bound to, if all of it can be kept.
    fn names(&self, number: usize, interp: &Interp) -> Option<Vec<(Name, Kept)>> {
        let Ok(Value::Module(main)) = interp.import("__main__") else { return None };
        let names = main.namespace.borrow();
        let keep = |name: &Name| Some((name.clone(), Kept::of(names.get(name)?)?));
        self.items.get(number)?.binds.iter().map(keep).collect()
    }

    fn replay(&self, number: usize, statement: &Statement, interp: &Interp) -> bool {
        let Ok(Value::Module(main)) = interp.import("__main__") else { return false };
        if interp.fuel_left().is_some_and(|left| left <= statement.steps) || interp.charge(statement.steps).is_err() {
            return false;
        }
        for (name, value) in &statement.names {
            main.namespace.borrow_mut().insert(name.clone(), value.value());
        }
        self.both.replay(&statement.launches, &statement.findings, &statement.facts);
        statement.entered.iter().for_each(|function| interp.note_entered(*function));
        self.set_lasting(number, true);
        true
    }

    fn set_lasting(&self, number: usize, is_lasting: bool) {
        if let Some(slot) = self.lasting.borrow_mut().get_mut(number) {
            *slot = Some(is_lasting);
        }
    }
}

impl Statements for Remembering {
    fn begin(&self, number: usize, interp: &Interp) -> bool {
        if !self.can_be_kept(number) {
            return false;
        }
        let Some(reasons) = self.reasons(number, interp) else { return false };
        if let Some(statement) = self.memory.recall_statement(&reasons) {
            return self.replay(number, &statement, interp);
        }
        let (launches, findings, facts) = self.both.set_aside();
        let open = Open {
            reasons,
            launches,
            findings,
            facts,
            entered: interp.replace_entered(HashSet::new()),
            steps: interp.fuel_left().unwrap_or_default(),
            sources: interp.sources().len(),
            settings: interp.extension::<JaxState>().settings(),
        };
        *self.open.borrow_mut() = Some(open);
        false
    }

    fn end(&self, number: usize, is_done: bool, interp: &Interp) {
        let names = self.names(number, interp);
        self.set_lasting(number, self.dependences.is_lasting(number) || names.is_some());
        let Some(before) = self.open.take() else { return };
        let (launches, findings, facts) = self.both.set_aside();
        self.both.restore(before.launches, before.findings, before.facts);
        self.both.replay(&launches, &findings, &facts);
        let meanwhile = interp.replace_entered(before.entered);
        let entered: Vec<Span> = meanwhile.into_iter().collect();
        entered.iter().for_each(|function| interp.note_entered(*function));
        let is_alone = before.sources == interp.sources().len()
            && before.settings == interp.extension::<JaxState>().settings()
            && !findings.iter().any(crate::findings::speaks_of_lines);
        if let Some(names) = names.filter(|_| is_done && is_alone && !launches.is_empty()) {
            let steps = before.steps.saturating_sub(interp.fuel_left().unwrap_or_default());
            let statement = Statement { names, launches, findings, facts, entered, steps };
            self.memory.remember_statement(before.reasons, Arc::new(statement));
        }
    }
}
