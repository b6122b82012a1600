//! The control stack of a frame: which statements are open, innermost last. A frame is nothing but this stack and its
//! names, so a generator is a frame that is put aside.

use crate::class::Namespace;
use crate::exec::env::Env;
use crate::raise::{Raise, Stop};
use crate::value::Value;
use pallas_syntax::ast::{Name, Stmt};
use std::rc::Rc;
use std::sync::Arc;

/// A statement, by its place in its block.
#[derive(Clone)]
pub(crate) struct At {
    pub(crate) block: Arc<[Stmt]>,
    pub(crate) index: usize,
}

impl At {
    pub(crate) fn stmt(&self) -> &Stmt {
        &self.block[self.index]
    }
}

/// Why a block was left before its end.
pub(crate) enum Leave {
    /// An exception, or an abort.
    Raise(Box<Stop>),
    Return(Value),
    Break,
    Continue,
}

/// One open statement.
pub(crate) enum Control {
    /// Statements in sequence.
    Block { stmts: Arc<[Stmt]>, next: usize },
    /// A `while`; `once` where an unknown `break` has been passed, so that the loop ends after this round.
    While { at: At, once: bool },
    /// A `for`; `pending` is an item that its target has not received yet.
    For { at: At, iterator: Value, pending: Option<Value>, once: bool },
    /// The body of a `try` is running.
    Try { at: At },
    /// The `else` of a `try` is running: its exceptions go past the handlers, but not past `finally`.
    Else { at: At },
    /// An exception looks for its handler, from the one at `next` on.
    Handlers { at: At, raise: Box<Raise>, next: usize },
    /// A handler is running.
    Handler { at: At, name: Option<Name> },
    /// A `finally` is running; afterwards the block is left as it was to be.
    Finally { pending: Option<Leave> },
    /// A `with` is to enter its context managers from `item` on, then run its body.
    Enter { at: At, item: usize },
    /// The body of a `with` is running; `exit` is the bound `__exit__` of a manager.
    With { at: At, exit: Value },
    /// A `match` tries its cases from `next` on.
    Cases { at: At, subject: Value, next: usize },
    /// In analysis: stands under the statements of a branch and is reached at their end.
    BranchEnd,
    /// In analysis: branches of a test that is not known, each run from the same beginning.
    Uncertain(Box<Uncertain>),
}

/// The branches of an unknown test.
pub(crate) struct Uncertain {
    /// Names as they were.
    pub(crate) before: Namespace,
    /// Names after each branch that came to its end.
    pub(crate) after: Vec<Namespace>,
    /// Branches still to run, last first, with the names that their patterns bind.
    pub(crate) remaining: Vec<(Vec<Name>, Arc<[Stmt]>)>,
    /// Values of the branches that returned.
    pub(crate) returned: Vec<Value>,
    /// Whether some branch came to its end, or was cut off by an exception.
    pub(crate) passed: bool,
    /// Whether some branch left the loop.
    pub(crate) broke: bool,
}

/// A frame: its names and its open statements.
pub(crate) struct Frame {
    pub(crate) env: Rc<Env>,
    /// `<module>`, or the function's name.
    pub(crate) name: Rc<str>,
    pub(crate) control: Vec<Control>,
    /// What a generator delegates to: `yield from`.
    pub(crate) delegate: Option<Value>,
    /// Exceptions whose handlers run in this frame; they are taken off the interpreter's list while it is suspended.
    pub(crate) handled: Vec<Value>,
    /// In analysis: values returned under unknown tests.
    pub(crate) perhaps: Vec<Value>,
}

/// How a frame stopped running.
pub(crate) enum Completion {
    Return(Value),
    Yield(Value),
}
