//! Calls of a function that nobody calls, in the order in which they are worth trying.

use super::learnt::Learnt;
use super::lengths::Lengths;
use super::made::{Maker, default_numbers};
use super::usage::{Functions, Uses};
use pallas_ir::TensorType;
use pallas_python::call::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::module::Module;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{self, FunctionDef, Name, StmtKind};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A call that can be tried.
pub struct Attempt {
    /// The arguments.
    pub args: CallArgs,
    /// The same for the reader: `x: f32[1024,128], causal: False`.
    pub words: String,
    /// The same as it stands in a call: `x=f32[1024,128], causal=False`.
    pub(super) code: String,
    /// What parameters got, as far as another attempt can give them something else.
    pub(super) made: Vec<Argument>,
}

impl Attempt {
    /// A call with arguments that are not made up.
    pub fn new(args: CallArgs, words: String) -> Self {
        Attempt { args, code: words.clone(), words, made: Vec::new() }
    }

    /// A comment that says that the function is called so.
    pub fn comment(&self) -> String {
        format!("{}{})", super::given::MARK, self.code)
    }
}

/// What a parameter got.
pub(super) struct Argument {
    pub(super) name: Name,
    pub(super) kind: Kind,
    /// It is an array of which nobody says the dtype.
    pub(super) is_of_any_dtype: bool,
}

/// A value that can be made otherwise.
pub(super) enum Kind {
    /// An array, with what each of its dimensions is called: dimensions of one name have one length.
    Array(TensorType, Vec<String>),
    Number(i64),
    /// A member of an enum of this name, which has so many.
    Member(Name, usize),
    /// Nothing: a field of an instance that has `None` as its default.
    LeftOut,
    Other,
}

/// Ranks that arrays get, one attempt for each, where nothing says how many dimensions they have.
const RANKS: [usize; 4] = [2, 4, 3, 1];

/// Makes up arguments for the functions of one module.
pub struct Planner<'a> {
    interp: &'a Interp,
    tree: &'a ast::Module,
    module: &'a Rc<Module>,
    functions: Functions,
}

impl<'a> Planner<'a> {
    /// For the functions of `tree`; `module` is the same as a value.
    pub fn new(interp: &'a Interp, tree: &'a ast::Module, module: &'a Rc<Module>) -> Self {
        let functions = tree.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::FunctionDef(def) => Some((def.name.clone(), def.clone())),
            _ => None,
        });
        Planner { interp, tree, module, functions: functions.collect() }
    }

    /// Calls of a function, in the order in which they are worth trying.
    ///
    /// # Errors
    /// For the reader: which parameter has nothing that fits.
    pub fn attempts(&self, def: &FunctionDef, lengths: Lengths) -> Result<Vec<Attempt>, String> {
        let nothing = Learnt::default();
        let mut attempts: Vec<Attempt> = Vec::new();
        for attempt in self.of_ranks(def, lengths, &nothing, &RANKS) {
            let attempt = attempt?;
            if !attempts.iter().any(|known| known.words == attempt.words) {
                attempts.push(attempt);
            }
        }
        Ok(attempts)
    }

    /// Values for a constructor without its first parameter: what the file has for it (`get_init_inputs`), else made up. Without a
    /// constructor, no values.
    ///
    /// # Errors
    /// What the file's function raises.
    pub fn instance(&self, class: &Value, constructor: Option<&FunctionDef>) -> PyResult<Option<Value>> {
        if super::given::provider(self.tree, "get_init_inputs").is_some() {
            let own = self.module.namespace.borrow().get("get_init_inputs").cloned();
            if let Some(own) = own {
                let values = self.interp.call(&own, CallArgs::default())?;
                let args = CallArgs { positional: self.interp.collect(&values)?.into(), ..CallArgs::default() };
                return self.interp.call(class, args).map(Some);
            }
        }
        let args = match constructor {
            None => CallArgs::default(),
            Some(def) => match self.attempts(def, Lengths::USUAL) {
                Ok(attempts) => attempts.into_iter().next().map(|attempt| attempt.args).unwrap_or_default(),
                Err(_) => return Ok(None),
            },
        };
        self.interp.call(class, args).map(Some)
    }

    /// A call that heeds what calls that failed have taught; `None` if a parameter has nothing that fits.
    pub fn taught(&self, def: &FunctionDef, lengths: Lengths, learnt: &Learnt) -> Option<Attempt> {
        self.of_ranks(def, lengths, learnt, &RANKS[..1]).pop()?.ok()
    }

    /// A call for each rank.
    fn of_ranks(
        &self,
        def: &FunctionDef,
        lengths: Lengths,
        learnt: &Learnt,
        ranks: &[usize],
    ) -> Vec<Result<Attempt, String>> {
        let uses = Uses::of(def, &self.functions);
        let described = described(self.tree, def);
        let attempt = |rank: &usize| {
            let maker = Maker {
                interp: self.interp,
                tree: self.tree,
                module: self.module,
                docstring: def.docstring.as_deref(),
                described: &described,
                uses: &uses,
                lengths,
                learnt,
                rank: *rank,
                apart: RefCell::default(),
                numbers: default_numbers(def),
            };
            maker.call(def)
        };
        ranks.iter().map(attempt).collect()
    }
}

/// What comments behind parameters say of them.
fn described(tree: &ast::Module, def: &FunctionDef) -> HashMap<Name, super::described::Described> {
    let body = def.body.first().map(|stmt| stmt.span.start);
    let end = def.returns.as_ref().map(|returns| returns.span.start).or(body).unwrap_or(def.span.end);
    let starts: Vec<u32> = def.params.iter().map(|param| param.span.start).chain([end]).collect();
    let between = |start: u32, end: u32| tree.slice(pallas_syntax::Span { start, end, ..def.span });
    let said = |param: &ast::Param| {
        let next = starts.iter().copied().filter(|start| *start >= param.span.end).min()?;
        let behind = between(param.span.end, next).lines().next().and_then(super::described::comment);
        // A line of its own stands above what it is about.
        let before = def.params.iter().map(|other| other.span.end).filter(|end| *end <= param.span.start).max();
        let above = || {
            let (_, lines) = between(before.unwrap_or(def.name_span.end), param.span.start).split_once('\n')?;
            super::described::comment(lines)
        };
        Some((param.name.clone(), behind.or_else(above)?))
    };
    def.params.iter().filter_map(said).collect()
}
