//! How evaluation stops: Python exceptions with their traceback, and aborts that no `except` may catch.

use crate::value::Value;
use pallas_syntax::Span;
use std::rc::Rc;

/// The result of evaluating something.
pub type PyResult<T> = Result<T, Box<Stop>>;

/// Why evaluation stopped.
pub enum Stop {
    /// A Python exception; `try` may catch it.
    Raise(Raise),
    /// The evaluator's own limit; nothing in the program may catch it.
    Abort(Abort),
}

/// A raised exception.
pub struct Raise {
    /// An instance of a class derived from `BaseException`.
    pub exception: Value,
    /// Innermost first, as unwinding meets them.
    pub traceback: Vec<TraceEntry>,
    /// What the workbench knows beyond the exception's own text.
    pub diagnosis: Option<Box<Diagnosis>>,
}

/// One line of a traceback.
#[derive(Clone, Debug)]
pub struct TraceEntry {
    /// The expression or statement that was being evaluated.
    pub span: Span,
    /// `<module>`, or the function's name.
    pub function: Rc<str>,
}

/// A finding attached to an exception where it is raised, so that `check` can print more than Python would.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// The rule, such as `PL104`.
    pub code: &'static str,
    /// The place to underline; the raising expression if `None`.
    pub span: Option<Span>,
    /// Other places with a note each.
    pub labels: Vec<(Span, String)>,
    /// One sentence that replaces the exception's message in a finding; the exception's own if `None`.
    pub message: Option<String>,
    /// A concrete program and block, as in `program (3, 0): rows 96..128 of x, which has 100`.
    pub evidence: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// Text to put in place of a span, where it is certain.
    pub fix: Option<(Span, String, String)>,
    /// The unknown value of analysis that a native stumbled over: its call gives that value, and nothing is raised.
    pub unknown: Option<Rc<crate::value::Unknown>>,
}

/// Limits of the evaluator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abort {
    /// The step budget of analysis is used up.
    Fuel {
        /// Where it was when it ran out.
        span: Span,
    },
    /// Another edit made this analysis worthless.
    Cancelled,
    /// The memory budget of analysis is used up.
    Memory {
        /// The expression that asked for too much.
        span: Span,
        /// Bytes asked for.
        bytes: u128,
    },
}
