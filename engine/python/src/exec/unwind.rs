//! Leaving blocks: what exceptions, `return`, `break` and `continue` run on their way out.

use crate::exceptions::{Traceback, set_field};
use crate::exec::Flow;
use crate::exec::control::{At, Control, Frame, Leave};
use crate::exec::env::Kind;
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::{Abort, Diagnosis, PyResult, Raise, Stop};
use crate::value::Value;
use pallas_syntax::ast::{Name, StmtKind};
use std::rc::Rc;
use std::sync::Arc;

/// A diagnosis kept with a caught exception, so that raising it again does not lose it.
struct KeptDiagnosis(Diagnosis);

impl Object for KeptDiagnosis {
    fn class(&self, interp: &Interp) -> Rc<crate::class::Class> {
        Rc::clone(&interp.types().object)
    }
}

/// The field of an exception that keeps its diagnosis.
const DIAGNOSIS: &str = "__diagnosis__";

/// The diagnosis that an exception was first raised with.
pub(crate) fn kept_diagnosis(exception: &Value) -> Option<Box<Diagnosis>> {
    let field = crate::exceptions::field(exception, DIAGNOSIS)?;
    field.downcast::<KeptDiagnosis>().map(|kept| Box::new(kept.0.clone()))
}

impl Interp {
    /// Leaves open statements until one of them takes over. `Some` is the frame's return value.
    pub(crate) fn unwind(&self, frame: &mut Frame, mut leave: Leave) -> PyResult<Option<Value>> {
        loop {
            let Some(control) = frame.control.pop() else {
                return match leave {
                    // In analysis, after a `return` that may have been reached: so may the exception not have been.
                    Leave::Raise(stop) if !frame.perhaps.is_empty() && matches!(&*stop, Stop::Raise(_)) => {
                        let values = std::mem::take(&mut frame.perhaps);
                        Ok(Some(self.joined(values)))
                    }
                    Leave::Raise(stop) => Err(stop),
                    Leave::Return(value) => Ok(Some(self.joined_return(frame, value))),
                    // The parser has refused these outside loops; a truncated file may still hold one.
                    Leave::Break | Leave::Continue => Ok(None),
                };
            };
            match control {
                Control::Block { stmts, next } => {
                    if frame.control.is_empty() && frame.env.kind == Kind::Module && self.is_analysis() {
                        if let Leave::Raise(stop) = leave {
                            self.skip_statement(frame, &stop, &stmts[..next])?;
                        }
                        frame.control.push(Control::Block { stmts, next });
                        return Ok(None);
                    }
                }
                Control::While { .. } | Control::For { .. } => match leave {
                    Leave::Break => return Ok(None),
                    Leave::Continue => {
                        frame.control.push(control);
                        return Ok(None);
                    }
                    _ => {}
                },
                Control::Try { at } => match leave {
                    Leave::Raise(stop) if self.has_handlers(&at) => match *stop {
                        Stop::Raise(raise) => {
                            self.begin_handling(frame, &raise);
                            frame.control.push(Control::Handlers { at, raise: Box::new(raise), next: 0 });
                            return Ok(None);
                        }
                        abort => leave = Leave::Raise(Box::new(abort)),
                    },
                    _ => match self.run_finally(frame, &at, leave) {
                        Some(passed) => leave = passed,
                        None => return Ok(None),
                    },
                },
                Control::Else { at } => match self.run_finally(frame, &at, leave) {
                    Some(passed) => leave = passed,
                    None => return Ok(None),
                },
                Control::Handlers { at, .. } => {
                    self.end_handling(frame);
                    match self.run_finally(frame, &at, leave) {
                        Some(passed) => leave = passed,
                        None => return Ok(None),
                    }
                }
                Control::Handler { at, name } => {
                    self.close_handler(frame, name);
                    match self.run_finally(frame, &at, leave) {
                        Some(passed) => leave = passed,
                        None => return Ok(None),
                    }
                }
                Control::Finally { pending } => {
                    if matches!(pending, Some(Leave::Raise(_))) {
                        self.end_handling(frame);
                    }
                }
                Control::With { at, exit } => match self.leave_with(frame, &at, &exit, leave) {
                    Some(passed) => leave = passed,
                    None => return Ok(None),
                },
                Control::Uncertain(uncertain) => match self.leave_branch(frame, uncertain, leave)? {
                    Some(passed) => leave = passed,
                    None => return Ok(None),
                },
                Control::Enter { .. } | Control::Cases { .. } | Control::BranchEnd => {}
            }
        }
    }

    fn has_handlers(&self, at: &At) -> bool {
        matches!(&at.stmt().kind, StmtKind::Try { handlers, .. } if !handlers.is_empty())
    }

    /// An exception has been caught: it keeps its traceback, and is what a bare `raise` raises.
    fn begin_handling(&self, frame: &mut Frame, raise: &Raise) {
        self.store_traceback(raise);
        if let Some(diagnosis) = &raise.diagnosis {
            set_field(&raise.exception, DIAGNOSIS, Value::object(KeptDiagnosis((**diagnosis).clone())));
        }
        frame.handled.push(raise.exception.clone());
        self.handled.borrow_mut().push(raise.exception.clone());
    }

    fn end_handling(&self, frame: &mut Frame) {
        let popped = (frame.handled.pop(), self.handled.borrow_mut().pop());
        drop(popped);
    }

    /// A handler is over: its name is unbound.
    pub(crate) fn close_handler(&self, frame: &mut Frame, name: Option<Name>) {
        self.end_handling(frame);
        if let Some(name) = name {
            let removed = self.with_names(&frame.env, |names| names.borrow_mut().shift_remove(&name));
            drop(removed);
        }
    }

    /// Starts the `finally` of a `try`; without one, leaves as it was to be.
    pub(crate) fn open_finally(&self, frame: &mut Frame, at: &At, pending: Option<Leave>) -> Flow {
        let StmtKind::Try { finalbody, .. } = &at.stmt().kind else {
            return Flow::Next;
        };
        if finalbody.is_empty() {
            return match pending {
                None => Flow::Next,
                Some(Leave::Raise(stop)) => Flow::Again(stop),
                Some(leave) => Flow::Leave(leave),
            };
        }
        if let Some(Leave::Raise(stop)) = &pending {
            match &**stop {
                Stop::Raise(raise) => self.begin_handling(frame, raise),
                // Limits of the evaluator run no more code.
                Stop::Abort(_) => {
                    return match pending {
                        Some(Leave::Raise(stop)) => Flow::Again(stop),
                        _ => Flow::Next,
                    };
                }
            }
        }
        Flow::Open(Control::Finally { pending }, Arc::clone(finalbody))
    }

    /// As [`Interp::open_finally`] while unwinding: the reason to go on with, or `None` where the `finally` runs first.
    fn run_finally(&self, frame: &mut Frame, at: &At, leave: Leave) -> Option<Leave> {
        match self.open_finally(frame, at, Some(leave)) {
            Flow::Open(control, stmts) => {
                frame.control.push(control);
                frame.control.push(Control::Block { stmts, next: 0 });
                None
            }
            Flow::Again(stop) => Some(Leave::Raise(stop)),
            Flow::Leave(leave) => Some(leave),
            Flow::Next | Flow::Push(_) => None,
        }
    }

    /// A `finally` came to its end: what it interrupted goes on.
    pub(crate) fn close_finally(&self, frame: &mut Frame, pending: Option<Leave>) -> Flow {
        match pending {
            None => Flow::Next,
            Some(Leave::Raise(stop)) => {
                self.end_handling(frame);
                Flow::Again(stop)
            }
            Some(leave) => Flow::Leave(leave),
        }
    }

    /// Tries the handlers of a `try` in order.
    pub(crate) fn step_handlers(&self, frame: &mut Frame, at: At, raise: Box<Raise>, next: usize) -> PyResult<Flow> {
        let StmtKind::Try { handlers, .. } = &at.stmt().kind else {
            return Ok(Flow::Next);
        };
        for (index, handler) in handlers.iter().enumerate().skip(next) {
            if handler.is_star {
                self.position.set(handler.span);
                frame.control.push(Control::Handlers { at: at.clone(), raise, next: handlers.len() });
                return Err(self.syntax_error("except* is not supported"));
            }
            let matched = match &handler.exception {
                None => Ok(true),
                Some(expected) => self.eval(&frame.env, expected).and_then(|expected_class| {
                    self.position.set(expected.span);
                    self.exception_matches(&raise.exception, &expected_class)
                }),
            };
            match matched {
                Ok(false) => {}
                Ok(true) => {
                    if let Some(name) = &handler.name {
                        self.store_name(&frame.env, name, raise.exception.clone())?;
                        if self.observing.get() {
                            self.observe(handler.span, &raise.exception);
                        }
                    }
                    let body = Arc::clone(&handler.body);
                    let name = handler.name.clone();
                    return Ok(Flow::Open(Control::Handler { at, name }, body));
                }
                Err(stop) => {
                    frame.control.push(Control::Handlers { at: at.clone(), raise, next: index });
                    return Err(stop);
                }
            }
        }
        self.end_handling(frame);
        Ok(self.open_finally(frame, &at, Some(Leave::Raise(Box::new(Stop::Raise(*raise))))))
    }

    /// Calls `__exit__`: the reason to go on with, or `None` where an exception was swallowed.
    fn leave_with(&self, frame: &mut Frame, at: &At, exit: &Value, leave: Leave) -> Option<Leave> {
        let result = match &leave {
            Leave::Raise(stop) => match &**stop {
                Stop::Raise(raise) => {
                    self.begin_handling(frame, raise);
                    self.position.set(at.stmt().span);
                    let class = Value::Class(self.type_of(&raise.exception));
                    let traceback = Value::object(Traceback { entries: raise.traceback.clone() });
                    let result = self
                        .call_values(exit, [class, raise.exception.clone(), traceback])
                        .and_then(|swallow| self.truth(&swallow));
                    self.end_handling(frame);
                    result
                }
                Stop::Abort(_) => return Some(leave),
            },
            _ => {
                self.position.set(at.stmt().span);
                self.call_values(exit, [Value::None, Value::None, Value::None]).map(|_| false)
            }
        };
        match (result, leave) {
            (Ok(true), Leave::Raise(_)) => None,
            (Ok(_), leave) => Some(leave),
            (Err(stop), _) => Some(Leave::Raise(self.traced(frame, stop))),
        }
    }

    /// In analysis, an exception ends only the top-level statement that raised it: the observer hears of it, and the
    /// names that the statement was to bind are unknown.
    fn skip_statement(&self, frame: &Frame, stop: &Stop, done: &[pallas_syntax::ast::Stmt]) -> PyResult<()> {
        if let Stop::Abort(Abort::Cancelled) = stop {
            return Err(Box::new(Stop::Abort(Abort::Cancelled)));
        }
        self.observe_raised(stop);
        if let Stop::Abort(abort) = stop {
            if self.imports.is_importing() {
                // An imported module has one budget for all of it.
                return Err(Box::new(Stop::Abort(abort.clone())));
            }
            if let Some(fuel) = self.limits.fuel {
                self.refuel(fuel);
                self.forget_bytes();
            }
        }
        let Some(stmt) = done.last() else {
            return Ok(());
        };
        let why = match stop {
            Stop::Raise(raise) => self.exception_line(&raise.exception),
            Stop::Abort(_) => "the analysis of this statement took too long".to_owned(),
        };
        for name in super::uncertain::bound_names(std::slice::from_ref(stmt)) {
            let bound = self.with_names(&frame.env, |names| names.borrow().contains_key(&name));
            if !bound {
                self.store_name(&frame.env, &name, Value::unknown(why.clone(), Some(stmt.span)))?;
            }
        }
        Ok(())
    }
}
