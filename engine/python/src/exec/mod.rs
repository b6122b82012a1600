//! The statement machine: runs the statements of a frame step by step over an explicit control stack.
//! Expressions are evaluated by [`crate::eval`].

pub(crate) mod assign;
pub(crate) mod cells;
pub(crate) mod code;
pub(crate) mod control;
pub(crate) mod define;
pub(crate) mod env;
pub(crate) mod program;
pub(crate) mod replay;
pub(crate) mod simple;
pub(crate) mod uncertain;
pub(crate) mod unwind;

use crate::exec::control::{At, Completion, Control, Frame, Leave};
use crate::exec::env::Env;
use crate::exec::replay::Request;
use crate::interp::{FrameRecord, Interp};
use crate::raise::{PyResult, Stop, TraceEntry};
use crate::value::Value;
use pallas_syntax::ast::{Stmt, StmtKind};
use std::rc::Rc;
use std::sync::Arc;

/// What a statement did.
pub(crate) enum Flow {
    /// It is done.
    Next,
    /// It opened something to run first.
    Push(Control),
    /// It opened a statement with these statements inside to run first.
    Open(Control, Arc<[Stmt]>),
    /// It leaves the block.
    Leave(Leave),
    /// `raise` without an exception: the traceback goes on as it was.
    Again(Box<Stop>),
}

impl Frame {
    pub(crate) fn new(env: Rc<Env>, name: Rc<str>, body: &Arc<[Stmt]>) -> Frame {
        Frame {
            env,
            name,
            control: vec![Control::Block { stmts: Arc::clone(body), next: 0 }],
            delegate: None,
            handled: Vec::new(),
            perhaps: Vec::new(),
        }
    }
}

impl Interp {
    /// Runs `run` as a Python frame: it appears in the stack and counts towards the recursion limit.
    pub(crate) fn in_frame<R>(&self, env: &Rc<Env>, name: &Rc<str>, run: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
        let position = self.position.get();
        {
            let mut frames = self.frames.borrow_mut();
            if frames.len() >= self.limits.recursion {
                drop(frames);
                return Err(self.recursion_error("maximum recursion depth exceeded"));
            }
            if let Some(caller) = frames.last_mut() {
                caller.position = position;
            }
            frames.push(FrameRecord { name: Rc::clone(name), position, env: Rc::clone(env) });
        }
        let result = self.charge(1).and_then(|()| self.with_memory(run));
        self.frames.borrow_mut().pop();
        self.position.set(position);
        result
    }

    /// Runs a frame until it returns, yields or fails. The frame is on the stack already.
    pub(crate) fn run_frame(&self, frame: &mut Frame) -> PyResult<Completion> {
        loop {
            let Some(control) = frame.control.pop() else {
                return Ok(Completion::Return(self.joined_return(frame, Value::None)));
            };
            match self.with_memory(|| self.step(frame, control)) {
                Ok(Flow::Next) => {}
                Ok(Flow::Push(control)) => frame.control.push(control),
                Ok(Flow::Open(control, stmts)) => {
                    frame.control.push(control);
                    frame.control.push(Control::Block { stmts, next: 0 });
                }
                Ok(Flow::Leave(leave)) => {
                    if let Some(value) = self.unwind(frame, leave)? {
                        return Ok(Completion::Return(value));
                    }
                }
                Ok(Flow::Again(stop)) => {
                    if let Some(value) = self.unwind(frame, Leave::Raise(stop))? {
                        return Ok(Completion::Return(value));
                    }
                }
                Err(stop) => {
                    match frame.env.replay.as_ref().and_then(|replay| replay.take_request()) {
                        Some(Request::Yield(value)) => return Ok(Completion::Yield(value)),
                        Some(Request::Delegate(iterator)) => {
                            if let Some(value) = self.delegate(frame, iterator)? {
                                return Ok(Completion::Yield(value));
                            }
                            continue;
                        }
                        None => {}
                    }
                    let stop = self.traced(frame, stop);
                    if let Some(value) = self.unwind(frame, Leave::Raise(stop))? {
                        return Ok(Completion::Return(value));
                    }
                }
            }
        }
    }

    /// Notes where in this frame an exception came by.
    pub(crate) fn traced(&self, frame: &Frame, mut stop: Box<Stop>) -> Box<Stop> {
        if let Stop::Raise(raise) = &mut *stop {
            raise.traceback.push(TraceEntry { span: self.position.get(), function: Rc::clone(&frame.name) });
        }
        if let Some(replay) = &frame.env.replay {
            replay.clear();
        }
        stop
    }

    /// Takes one step of an open statement, which has been taken off the stack.
    fn step(&self, frame: &mut Frame, control: Control) -> PyResult<Flow> {
        match control {
            Control::Block { stmts, next } => self.step_block(frame, stmts, next),
            Control::While { at, once } => self.step_while(frame, at, once),
            Control::For { at, iterator, pending, once } => self.step_for(frame, at, iterator, pending, once),
            Control::Try { at } => {
                // The body came to its end.
                let StmtKind::Try { orelse, .. } = &at.stmt().kind else {
                    return Ok(Flow::Next);
                };
                let orelse = Arc::clone(orelse);
                Ok(Flow::Open(Control::Else { at }, orelse))
            }
            Control::Else { at } => Ok(self.open_finally(frame, &at, None)),
            Control::Handlers { at, raise, next } => self.step_handlers(frame, at, raise, next),
            Control::Handler { at, name } => {
                self.close_handler(frame, name);
                Ok(self.open_finally(frame, &at, None))
            }
            Control::Finally { pending } => Ok(self.close_finally(frame, pending)),
            Control::Enter { at, item } => self.step_enter(frame, at, item),
            Control::With { at, exit } => {
                self.position.set(at.stmt().span);
                self.call_values(&exit, [Value::None, Value::None, Value::None])?;
                Ok(Flow::Next)
            }
            Control::Cases { at, subject, next } => self.step_cases(frame, at, subject, next),
            Control::BranchEnd => {
                self.finish_branch(frame);
                Ok(Flow::Next)
            }
            Control::Uncertain(uncertain) => self.step_uncertain(frame, uncertain),
        }
    }

    /// Runs simple statements in a row until the block ends or something else has to run first.
    fn step_block(&self, frame: &mut Frame, stmts: Arc<[Stmt]>, mut next: usize) -> PyResult<Flow> {
        let known = self.statements(&stmts);
        while let Some(stmt) = stmts.get(next) {
            if let Err(stop) = self.charge(1) {
                self.position.set(stmt.span);
                frame.control.push(Control::Block { stmts, next: next + 1 });
                return Err(stop);
            }
            if known.as_ref().is_some_and(|known| known.begin(next, self)) {
                next += 1;
                continue;
            }
            let env = &frame.env;
            if let Some(replay) = &env.replay
                && env.info.yielding.contains(&(std::ptr::from_ref(stmt) as usize))
            {
                replay.active.set(true);
            }
            let result = self.execute(env, &stmts, next);
            if let Some(known) = &known {
                known.end(next, matches!(result, Ok(Flow::Next)), self);
            }
            match result {
                Ok(Flow::Next) => next += 1,
                Ok(flow) => {
                    self.finish_statement(env);
                    frame.control.push(Control::Block { stmts, next: next + 1 });
                    return Ok(flow);
                }
                Err(stop) => {
                    // A statement that is suspended runs again; one that failed does not.
                    let suspended = env.replay.as_ref().is_some_and(|replay| replay.is_suspended());
                    let next = if suspended { next } else { next + 1 };
                    frame.control.push(Control::Block { stmts, next });
                    return Err(stop);
                }
            }
            self.finish_statement(env);
        }
        Ok(Flow::Next)
    }

    /// The values kept for a suspension are not needed any more.
    pub(crate) fn finish_statement(&self, env: &Env) {
        if let Some(replay) = &env.replay
            && replay.active.get()
        {
            replay.clear();
        }
    }

    /// For the parts of open statements that are evaluated outside `step_block`: keeps values where the statement yields.
    fn replaying(&self, env: &Env, at: &At) {
        if let Some(replay) = &env.replay
            && env.info.yielding.contains(&(std::ptr::from_ref(at.stmt()) as usize))
        {
            replay.active.set(true);
        }
    }

    fn is_suspended(&self, env: &Env) -> bool {
        env.replay.as_ref().is_some_and(|replay| replay.is_suspended())
    }

    fn step_while(&self, frame: &mut Frame, at: At, once: bool) -> PyResult<Flow> {
        let StmtKind::While { test, body, orelse } = &at.stmt().kind else {
            return Ok(Flow::Next);
        };
        if once {
            return Ok(Flow::Next);
        }
        self.position.set(test.span);
        self.charge(1)?;
        self.replaying(&frame.env, &at);
        let truth = match self.test(&frame.env, test) {
            Ok(truth) => truth,
            Err(stop) => {
                if self.is_suspended(&frame.env) {
                    frame.control.push(Control::While { at, once });
                }
                return Err(stop);
            }
        };
        self.finish_statement(&frame.env);
        match truth {
            Some(true) => {
                let body = Arc::clone(body);
                Ok(Flow::Open(Control::While { at, once }, body))
            }
            Some(false) => Ok(Flow::Push(Control::Block { stmts: Arc::clone(orelse), next: 0 })),
            None => {
                let body = Arc::clone(body);
                frame.control.push(Control::While { at, once: true });
                Ok(Flow::Push(self.uncertain(&frame.env, vec![(Vec::new(), body)])))
            }
        }
    }

    fn step_for(
        &self,
        frame: &mut Frame,
        at: At,
        iterator: Value,
        pending: Option<Value>,
        once: bool,
    ) -> PyResult<Flow> {
        let StmtKind::For { target, body, orelse, .. } = &at.stmt().kind else {
            return Ok(Flow::Next);
        };
        if once {
            return Ok(Flow::Next);
        }
        self.position.set(at.stmt().span);
        self.charge(1)?;
        let item = match pending {
            Some(item) => Some(item),
            None => self.next(&iterator)?,
        };
        let Some(item) = item else {
            return Ok(Flow::Push(Control::Block { stmts: Arc::clone(orelse), next: 0 }));
        };
        self.replaying(&frame.env, &at);
        if let Err(stop) = self.assign(&frame.env, target, item.clone()) {
            if self.is_suspended(&frame.env) {
                frame.control.push(Control::For { at, iterator, pending: Some(item), once });
            }
            return Err(stop);
        }
        self.finish_statement(&frame.env);
        let body = Arc::clone(body);
        Ok(Flow::Open(Control::For { at, iterator, pending: None, once }, body))
    }

    fn step_cases(&self, frame: &mut Frame, at: At, subject: Value, next: usize) -> PyResult<Flow> {
        let StmtKind::Match { cases, .. } = &at.stmt().kind else {
            return Ok(Flow::Next);
        };
        if subject.is_unknown() {
            let branches = cases.iter().map(|case| (pattern_names(&case.pattern), Arc::clone(&case.body))).collect();
            return Ok(Flow::Push(self.uncertain(&frame.env, branches)));
        }
        for (index, case) in cases.iter().enumerate().skip(next) {
            self.position.set(case.span);
            self.replaying(&frame.env, &at);
            let result = self.case_matches(&frame.env, case, &subject);
            match result {
                Ok(matched) => {
                    self.finish_statement(&frame.env);
                    if matched {
                        return Ok(Flow::Push(Control::Block { stmts: Arc::clone(&case.body), next: 0 }));
                    }
                }
                Err(stop) => {
                    if self.is_suspended(&frame.env) {
                        frame.control.push(Control::Cases { at: at.clone(), subject, next: index });
                    }
                    return Err(stop);
                }
            }
        }
        Ok(Flow::Next)
    }

    fn case_matches(&self, env: &Rc<Env>, case: &pallas_syntax::ast::MatchCase, subject: &Value) -> PyResult<bool> {
        let mut captures = Vec::new();
        if !self.matches(env, &case.pattern, subject, &mut captures)? {
            return Ok(false);
        }
        for (name, value) in captures {
            self.store_name(env, &name, value)?;
        }
        match &case.guard {
            // An unknown guard is taken: what follows is analysed rather than skipped.
            Some(guard) => Ok(self.test(env, guard)?.unwrap_or(true)),
            None => Ok(true),
        }
    }
}

/// The names that a pattern binds.
fn pattern_names(pattern: &pallas_syntax::ast::Pattern) -> Vec<pallas_syntax::ast::Name> {
    use pallas_syntax::ast::Pattern;
    let mut names = Vec::new();
    let mut rest = vec![pattern];
    while let Some(pattern) = rest.pop() {
        match pattern {
            Pattern::Capture { pattern, name, .. } => {
                names.push(name.clone());
                rest.extend(pattern.as_deref());
            }
            Pattern::Star(name) => names.extend(name.clone()),
            Pattern::Sequence(items) | Pattern::Or(items) => rest.extend(items),
            Pattern::Mapping { patterns, rest: others, .. } => {
                rest.extend(patterns);
                names.extend(others.clone());
            }
            Pattern::Class { positional, keywords, .. } => {
                rest.extend(positional);
                rest.extend(keywords.iter().map(|(_, pattern)| pattern));
            }
            Pattern::Wildcard | Pattern::Value(_) | Pattern::Singleton(_) => {}
        }
    }
    names
}
