//! What can bear on an item: the items whose names occur in it, the items whose names occur in those, and so on, with
//! everything that may change what they made. Reads words, not meaning: a word in a comment counts, so that too much
//! depends on too much rather than too little. Evaluates nothing.
//!
//! Two versions of a module in which an item has the same [`Dependences::of`] treat that item alike.

use crate::ast::{Expr, ExprKind, Module, Stmt, StmtKind};
use crate::items::{Item, hash, mix};
use crate::reach::Graph;
use crate::text_hash::{self, ByText};
use crate::visit;
use std::collections::HashMap;
use std::sync::Arc;

/// Words of programs that look up names in ways that words do not show: nothing is known of what depends on what.
const REFLECTION: [&str; 8] = ["globals(", "vars(", "locals(", "exec(", "eval(", "sys.modules", "__dict__", "setattr("];

/// For each item of a module, a hash of all that can bear on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependences {
    hashes: Vec<u64>,
    /// What bears on an item where nothing that it mentions can change.
    direct: Vec<u64>,
    /// For each item those that it mentions, directly or through others; none where words do not show that.
    reaches: Vec<Vec<usize>>,
    /// Whether what an item binds stays as it is, whatever others do.
    lasting: Vec<bool>,
}

impl Dependences {
    /// The hash of one item, by its place among [`Module::items`].
    pub fn of(&self, item: usize) -> Option<u64> {
        self.hashes.get(item).copied()
    }

    /// The hash of one item where it is known, by other means than words, that nothing it mentions has been changed by others.
    pub fn direct(&self, item: usize) -> Option<u64> {
        self.direct.get(item).copied()
    }

    /// The items that one mentions, directly or through others, itself included. `None` where words do not show it.
    pub fn reach(&self, item: usize) -> Option<&[usize]> {
        self.reaches.get(item).map(Vec::as_slice)
    }

    /// Whether what an item binds can be told by its text to stay as it is: functions, constants, what packages make.
    pub fn is_lasting(&self, item: usize) -> bool {
        self.lasting.get(item).copied().unwrap_or(false)
    }
}

/// What an item does to the module when it is evaluated.
pub(crate) struct Deed {
    /// Every item depends on it: imports, settings of packages.
    pub(crate) bears_on_all: bool,
    /// It may call things that change values which others made.
    pub(crate) may_change: bool,
    /// It makes values that can be changed later.
    pub(crate) is_changeable: bool,
}

impl Module {
    /// What bears on each of the module's items; `items` are those of [`Module::items`].
    pub fn dependences(&self, items: &[Item]) -> Dependences {
        let text = &self.source.text;
        if REFLECTION.iter().any(|word| text.contains(word)) {
            let all = hash(text);
            return Dependences { hashes: vec![all; items.len()], ..Dependences::default() };
        }
        let imported: Vec<&str> = self
            .body
            .iter()
            .zip(items)
            .filter(|(stmt, _)| is_import(stmt))
            .flat_map(|(_, item)| &item.binds)
            .map(|name| &**name)
            .collect();
        let deeds: Vec<Deed> = self.body.iter().map(|stmt| deed(stmt, &imported)).collect();
        let bears_on_all: Vec<usize> = (0..items.len()).filter(|item| deeds[*item].bears_on_all).collect();
        let mut graph = Graph::new(&deeds, mentions(self, items));
        // What bears on an item, in the order of the file. That the item itself comes where it does among it matters, too.
        let combined = |mut bearing: Vec<usize>, item: usize| {
            bearing.sort_unstable();
            bearing.dedup();
            bearing.iter().fold(0, |state, other| mix(state, items[*other].hash ^ u64::from(*other == item)))
        };
        let hashes = (0..items.len()).map(|item| {
            let mut bearing = graph.closed(item);
            bearing.extend(&bears_on_all);
            combined(bearing, item)
        });
        let hashes = hashes.collect();
        let lasting = self.body.iter().zip(&deeds).map(|(stmt, deed)| match stmt.kind {
            // Classes have attributes, and so have functions that are decorated by the program.
            StmtKind::ClassDef(_) => false,
            StmtKind::FunctionDef(_) => !deed.may_change,
            _ => !deed.is_changeable,
        });
        let reaches: Vec<Vec<usize>> = (0..items.len()).map(|item| graph.mentioned(item)).collect();
        // What comes later bears on nothing that is known not to change.
        let direct = reaches.iter().enumerate().map(|(item, reached)| {
            let earlier = &bears_on_all[..bears_on_all.partition_point(|other| *other < item)];
            combined([reached, earlier].concat(), item)
        });
        Dependences { hashes, direct: direct.collect(), reaches, lasting: lasting.collect() }
    }
}

/// The words of a text, each once: hashes, in order. Two words with one hash would be one too many, which does no harm.
pub(crate) fn words(text: &str) -> Arc<[u64]> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<u64> =
        text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).map(text_hash::of).collect();
    words.sort_unstable();
    words.dedup();
    words.into()
}

/// For each item, the items that bind a name which occurs in its text as a word, in order.
fn mentions(module: &Module, items: &[Item]) -> Vec<Vec<usize>> {
    let mut binders: HashMap<u64, Vec<usize>, ByText> = HashMap::default();
    for (index, item) in items.iter().enumerate() {
        item.binds.iter().for_each(|name| binders.entry(text_hash::of(name)).or_default().push(index));
    }
    let of = |item: &Item| {
        // The words of a piece are known; it may hold more than the item.
        let words = match module.pieces.with_id(item.span.file) {
            Some(piece) => piece.words.clone(),
            None => words(module.slice(item.span)),
        };
        let mut found: Vec<usize> = words.iter().filter_map(|word| binders.get(word)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    items.iter().map(of).collect()
}

fn is_import(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Import(_) | StmtKind::ImportFrom { .. })
}

fn deed(stmt: &Stmt, imported: &[&str]) -> Deed {
    let is_imported = |expr: &Expr| root(expr).is_some_and(|name| imported.contains(&name));
    let nothing = Deed { bears_on_all: false, may_change: false, is_changeable: false };
    match &stmt.kind {
        StmtKind::Import(_) | StmtKind::ImportFrom { .. } => Deed { bears_on_all: true, ..nothing },
        StmtKind::FunctionDef(def) => {
            let mut is_plain = def.decorators.iter().all(is_imported);
            visit::defaults(&def.params, &mut |default| is_plain &= is_fixed(default) || is_imported(default));
            Deed { may_change: !is_plain, ..nothing }
        }
        StmtKind::ClassDef(def) => Deed { may_change: !def.decorators.iter().all(is_imported), ..nothing },
        // `config["block"] = 128`
        StmtKind::Assign { targets, .. } if !targets.iter().all(is_name) => {
            Deed { may_change: true, is_changeable: true, ..nothing }
        }
        StmtKind::Assign { value, .. } | StmtKind::AnnAssign { value: Some(value), .. } => {
            let is_fixed = is_fixed(value);
            // What packages make is taken for values that stay as they are; numpy's arrays do not.
            let is_made = matches!(&value.kind, ExprKind::Call { function, .. } if is_imported(function))
                && !mentions_numpy(value);
            Deed { may_change: !is_fixed && !is_made, is_changeable: !is_fixed && !is_made, ..nothing }
        }
        StmtKind::Expr(value) => match &value.kind {
            ExprKind::Constant(_) => nothing,
            // `jax.config.update(...)`
            ExprKind::Call { function, .. } if is_imported(function) => {
                Deed { bears_on_all: true, may_change: true, ..nothing }
            }
            _ => Deed { may_change: true, ..nothing },
        },
        StmtKind::AnnAssign { value: None, .. } | StmtKind::TypeAlias { .. } | StmtKind::Pass | StmtKind::Error => {
            nothing
        }
        _ => Deed { may_change: true, is_changeable: true, ..nothing },
    }
}

fn is_name(target: &Expr) -> bool {
    matches!(target.kind, ExprKind::Name(_))
}

/// The name that a chain of attributes, subscripts and calls begins with.
fn root(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => root(value),
        ExprKind::Call { function, .. } => root(function),
        _ => None,
    }
}

/// Whether an expression's value can neither change nor have changed anything: constants and what operators make of them,
/// names, attributes, functions.
fn is_fixed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Lambda(_) | ExprKind::Name(_) => true,
        ExprKind::Tuple(_)
        | ExprKind::Attribute { .. }
        | ExprKind::UnaryOp { .. }
        | ExprKind::BinOp { .. }
        | ExprKind::Compare { .. }
        | ExprKind::BoolOp { .. } => {
            let mut all = true;
            visit::children(expr, &mut |child| all &= is_fixed(child));
            all
        }
        _ => false,
    }
}

fn mentions_numpy(expr: &Expr) -> bool {
    root(expr).is_some_and(|name| name == "np" || name == "numpy" || name == "collections")
}
