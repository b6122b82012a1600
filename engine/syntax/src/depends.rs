//! What can bear on an item: the items whose names occur in it, the items whose names occur in those, and so on, with
//! everything that may change what they made. Reads words, not meaning: a word in a comment counts, so that too much
//! depends on too much rather than too little. Evaluates nothing.
//!
//! Two versions of a module in which an item has the same [`Dependences::of`] treat that item alike.

use crate::ast::{Expr, ExprKind, Module, Stmt, StmtKind};
use crate::items::{Item, hash, mix};
use crate::text_hash;
use crate::visit;
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
struct Deed {
    /// Every item depends on it: imports, settings of packages.
    bears_on_all: bool,
    /// It may call things that change values which others made.
    may_change: bool,
    /// It makes values that can be changed later.
    is_changeable: bool,
}

/// A set of items.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn of(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, item: usize) -> bool {
        let (word, bit) = (&mut self.0[item / 64], 1 << (item % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, item: usize) -> bool {
        self.0[item / 64] & 1 << (item % 64) != 0
    }

    fn items(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len() * 64).filter(|item| self.contains(*item))
    }
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
        let mentions = mentions(self, items);
        let mut mentioned_by = vec![Vec::new(); items.len()];
        for (item, mentions) in mentions.iter().enumerate() {
            mentions.iter().for_each(|other| mentioned_by[*other].push(item));
        }
        let reach = |from: usize| {
            let mut reached = Set::of(items.len());
            let mut left = vec![from];
            reached.insert(from);
            while let Some(item) = left.pop() {
                left.extend(mentions[item].iter().copied().filter(|other| reached.insert(*other)));
            }
            reached
        };
        // Who may change what, directly or through what it calls.
        let changing: Vec<(usize, Set)> =
            (0..items.len()).filter(|item| deeds[*item].may_change).map(|item| (item, reach(item))).collect();
        let close = |from: usize| {
            let mut reached = reach(from);
            let mut left: Vec<usize> = reached.items().collect();
            while let Some(item) = left.pop() {
                if !deeds[item].is_changeable {
                    continue;
                }
                let changed_by = changing.iter().filter(|(_, reach)| reach.contains(item)).map(|(other, _)| *other);
                for other in changed_by.chain(mentioned_by[item].iter().copied()) {
                    if !reached.contains(other) {
                        left.extend(reach(other).items().filter(|more| reached.insert(*more)));
                    }
                }
            }
            reached
        };
        let hashes = (0..items.len()).map(|item| {
            let closed = close(item);
            let bearing = (0..items.len()).filter(|other| closed.contains(*other) || deeds[*other].bears_on_all);
            // That the item itself comes where it does among them matters, too.
            bearing.fold(0, |state, other| mix(state, items[other].hash ^ u64::from(other == item)))
        });
        let hashes = hashes.collect();
        let lasting = self.body.iter().zip(&deeds).map(|(stmt, deed)| match stmt.kind {
            // Classes have attributes, and so have functions that are decorated by the program.
            StmtKind::ClassDef(_) => false,
            StmtKind::FunctionDef(_) => !deed.may_change,
            _ => !deed.is_changeable,
        });
        let reached: Vec<Vec<usize>> =
            (0..items.len()).map(|item| reach(item).items().filter(|other| *other < items.len()).collect()).collect();
        // What comes later bears on nothing that is known not to change.
        let direct = reached.iter().enumerate().map(|(item, reached)| {
            let earlier = (0..item).filter(|other| deeds[*other].bears_on_all);
            let bearing = reached.iter().copied().chain(earlier);
            bearing.fold(0, |state, other| mix(state, items[other].hash ^ u64::from(other == item)))
        });
        Dependences { hashes, direct: direct.collect(), reaches: reached, lasting: lasting.collect() }
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

/// For each item, the items that bind a name which occurs in its text as a word.
fn mentions(module: &Module, items: &[Item]) -> Vec<Vec<usize>> {
    let mut binders: Vec<(u64, usize)> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        binders.extend(item.binds.iter().map(|name| (text_hash::of(name), index)));
    }
    binders.sort_unstable();
    let of = |item: &Item| {
        // The words of a piece are known; it may hold more than the item.
        let words = match module.pieces.iter().find(|piece| piece.source.id == item.span.file) {
            Some(piece) => piece.words.clone(),
            None => words(module.slice(item.span)),
        };
        // Both are in order: step through them together.
        let mut found = Vec::new();
        let mut rest = &*words;
        for (name, index) in &binders {
            rest = &rest[rest.partition_point(|word| word < name)..];
            if rest.first() == Some(name) {
                found.push(*index);
            }
        }
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
