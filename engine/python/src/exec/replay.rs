//! How `yield` works inside expressions. Expressions are evaluated by recursion, which cannot be suspended; so a
//! statement that yields is evaluated again from its beginning when the generator goes on, and every subexpression that
//! was finished before gives the value that it gave then. Nothing is done twice, and nothing out of order.

use crate::raise::{Abort, Stop};
use crate::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::Expr;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// What a suspended expression asks of the frame.
pub(crate) enum Request {
    /// `yield value`
    Yield(Value),
    /// `yield from iterator`
    Delegate(Value),
}

/// The finished subexpressions of the statement that is running.
#[derive(Default)]
pub(crate) struct Replay {
    /// Whether the current statement yields, so that its values must be kept.
    pub(crate) active: Cell<bool>,
    finished: RefCell<HashMap<usize, Value>>,
    request: RefCell<Option<Request>>,
    /// The `yield` expression that waits for a value.
    waiting: Cell<usize>,
    waiting_span: Cell<Option<Span>>,
}

impl Replay {
    /// The value of `expr`, if it was finished before the suspension.
    pub(crate) fn get(&self, expr: &Expr) -> Option<Value> {
        self.finished.borrow().get(&address(expr)).cloned()
    }

    /// Keeps the value of `expr`.
    pub(crate) fn keep(&self, expr: &Expr, value: &Value) {
        self.finished.borrow_mut().insert(address(expr), value.clone());
    }

    /// What was made of another part of the tree, such as the items of a star.
    pub(crate) fn get_part<T>(&self, part: &T) -> Option<Value> {
        self.finished.borrow().get(&part_address(part)).cloned()
    }

    /// Keeps what was made of another part of the tree.
    pub(crate) fn keep_part<T>(&self, part: &T, value: &Value) {
        self.finished.borrow_mut().insert(part_address(part), value.clone());
    }

    /// Suspends at `expr`. The error returned unwinds to the frame, which finds the request; no `except` sees it, since
    /// there is none inside an expression.
    pub(crate) fn suspend(&self, expr: &Expr, request: Request) -> Box<Stop> {
        self.waiting.set(address(expr));
        self.waiting_span.set(Some(expr.span));
        *self.request.borrow_mut() = Some(request);
        Box::new(Stop::Abort(Abort::Cancelled))
    }

    /// Whether an expression has just unwound to suspend the frame.
    pub(crate) fn is_suspended(&self) -> bool {
        self.request.borrow().is_some()
    }

    /// What the expression that just unwound has asked for.
    pub(crate) fn take_request(&self) -> Option<Request> {
        self.request.borrow_mut().take()
    }

    /// Where the frame is suspended.
    pub(crate) fn waiting_span(&self) -> Option<Span> {
        self.waiting_span.get()
    }

    /// Gives the waiting `yield` its value.
    pub(crate) fn answer(&self, value: Value) {
        self.finished.borrow_mut().insert(self.waiting.get(), value);
    }

    /// Forgets the values of a statement that is over.
    pub(crate) fn clear(&self) {
        self.active.set(false);
        let finished = std::mem::take(&mut *self.finished.borrow_mut());
        drop(finished);
    }
}

/// A key for the value of an expression.
fn address(expr: &Expr) -> usize {
    (std::ptr::from_ref(expr) as usize) << 1
}

/// A key for another part, which may begin where an expression begins: the lowest bit tells them apart.
fn part_address<T>(part: &T) -> usize {
    ((std::ptr::from_ref(part) as usize) << 1) | 1
}
