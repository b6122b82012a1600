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
    pub(crate) fn get<T>(&self, expr: &T) -> Option<Value> {
        self.finished.borrow().get(&address(expr)).cloned()
    }

    /// Keeps the value of `expr`, or of another part of the tree that is evaluated once per statement.
    pub(crate) fn keep<T>(&self, expr: &T, value: &Value) {
        self.finished
            .borrow_mut()
            .insert(address(expr), value.clone());
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

fn address<T>(part: &T) -> usize {
    std::ptr::from_ref(part) as usize
}
