//! Calls that somebody wrote above a function, for whoever reads the file and for its analysis:
//! `# pallas: call(x=bf16[1024, 128], block=128)`. What such a call shows is not made up.
//!
//! Finds the comments and evaluates them among the names of the file; what comes of the call is judged elsewhere.

use crate::api::struct_type;
use crate::array::ArrayObject;
use crate::tile::Tile;
use pallas_python::CallArgs;
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::module::Module;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{self, FunctionDef, Name, Stmt, StmtKind};
use pallas_syntax::{SourceFile, Span};
use pallas_tensor::DType;
use std::rc::Rc;

/// How the comment begins.
pub const MARK: &str = "# pallas: call(";

/// A call in a comment, or calls that decorators give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The comment, or the decorator, in the file.
    pub span: Span,
    /// The arguments as they are written.
    pub arguments: String,
    kind: Kind,
}

/// What stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The arguments of a call.
    Call,
    /// The beginning of those of a call: its parenthesis is never closed.
    Unclosed,
    /// What decorators say of the calls of a test.
    Cases,
}

/// The calls in the comments right above a function of the module, in order.
pub fn given(module: &ast::Module, def: &FunctionDef) -> Vec<Given> {
    let is_it = |stmt: &&Stmt| matches!(&stmt.kind, StmtKind::FunctionDef(other) if other.span == def.span);
    let mut found = None;
    for stmt in module.body.iter() {
        found = match &stmt.kind {
            StmtKind::FunctionDef(_) => Some(stmt).filter(is_it),
            StmtKind::ClassDef(class) => class.body.iter().find(is_it),
            _ => None,
        };
        if found.is_some() {
            break;
        }
    }
    found.map_or_else(Vec::new, |stmt| above(&module.source, module.place(stmt.span).start))
}

/// The call that a file itself has arguments for, in functions that harnesses of benchmarks look for: `f(*get_inputs())`, for
/// functions that take whatever they are given (`*inputs`), and methods called `forward` or `__call__`.
pub fn provided(module: &ast::Module, def: &FunctionDef, method: Option<&str>) -> Option<Given> {
    let inputs = provider(module, "get_inputs")?;
    let takes_all = def.params.vararg.is_some() && def.params.positional.is_empty() && method.is_none();
    let is_forward = method.is_some_and(|method| matches!(method, "forward" | "__call__"));
    (takes_all || is_forward).then(|| Given::of(inputs.name_span, "*get_inputs()".to_string(), Kind::Call))
}

/// A function of the module that can be called without arguments.
pub(super) fn provider<'a>(module: &'a ast::Module, name: &str) -> Option<&'a FunctionDef> {
    module.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::FunctionDef(def) if &*def.name == name => {
            def.params.iter().all(|param| param.default.is_some()).then_some(&**def)
        }
        _ => None,
    })
}

/// The calls in the lines of comment that end above a place.
fn above(source: &SourceFile, place: u32) -> Vec<Given> {
    let text = &*source.text;
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut end = text[..place as usize].rfind('\n');
    while let Some(newline) = end {
        end = text[..newline].rfind('\n');
        let start = end.map_or(0, |before| before + 1);
        let line = text[start..newline].trim();
        if !line.starts_with('#') {
            break;
        }
        lines.push((start, line));
    }
    lines.reverse();
    let mut found: Vec<Given> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (start, line) in lines {
        let (first, words) = match (open.take(), line.strip_prefix(MARK)) {
            (None, Some(rest)) => (start, rest.to_string()),
            // It goes on until its parentheses are closed.
            (Some((first, words)), _) => (first, words + "\n" + line.trim_start_matches('#')),
            (None, None) => continue,
        };
        match closing(&words) {
            Some(closing) => {
                let span = Span::new(source.id, first, start + line.len());
                found.push(Given::of(span, words[..closing].trim().to_string(), Kind::Call));
            }
            None => open = Some((first, words)),
        }
    }
    // Nobody closed it: that is said when it is evaluated.
    found.extend(open.map(|(first, arguments)| {
        let span = Span::new(source.id, first, place as usize - 1);
        Given::of(span, arguments, Kind::Unclosed)
    }));
    found
}

/// Where the parenthesis that is open at the beginning is closed. Quotes hold what they hold.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (1, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

impl Given {
    pub(super) fn of(span: Span, arguments: String, kind: Kind) -> Self {
        Given { span, arguments, kind }
    }

    /// Whether somebody wrote it down for its analysis.
    pub fn is_comment(&self) -> bool {
        self.kind != Kind::Cases
    }

    /// The arguments for the reader.
    pub fn words(&self) -> String {
        match self.kind {
            Kind::Cases => "the values that its decorators give".to_string(),
            _ => self.arguments.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// The arguments of each call, evaluated among the names of a module. `f32[8, 128]`, and every `jax.ShapeDtypeStruct`, is an array of which nothing
    /// but its type is known.
    ///
    /// # Errors
    /// What evaluating them raises; `SyntaxError` if they are none.
    pub fn evaluate(&self, interp: &Interp, module: &Rc<Module>) -> PyResult<Vec<CallArgs>> {
        if self.kind == Kind::Unclosed {
            return Err(interp.error(&interp.types().syntax_error, "'(' was never closed"));
        }
        let helpers = interp.import_silently("_pallas_uncalled_given")?;
        let kinds = DType::all().filter(|dtype| dtype.short_name() != "bool");
        let kinds = kinds.map(|dtype| Value::tuple([Value::str(dtype.short_name()), Value::str(dtype.name())]));
        let kinds = interp.call_method(&helpers, "kinds", [Value::list(kinds)])?;
        let mut names = Namespace::default();
        names.extend(named(&kinds));
        names.extend(module.namespace.borrow().iter().map(|(name, value)| (name.clone(), value.clone())));
        let helper = if self.kind == Kind::Cases { "cases" } else { "call" };
        names.insert(Name::from("_pallas_call"), interp.get_attr(&helpers, helper)?);
        let result = interp
            .eval_text("<comment>", &format!("_pallas_call({})", self.arguments), names)
            .unwrap_or_else(|| Err(interp.error(&interp.types().syntax_error, "invalid syntax")))?;
        let mut calls = Vec::new();
        for call in interp.collect(&result)? {
            let mut args = CallArgs::default();
            if let Value::Tuple(parts) = &call
                && let [positional, keywords] = &parts[..]
            {
                args.positional.extend(interp.collect(positional)?.iter().map(|value| arrays(interp, value)));
                args.keywords.extend(named(keywords).map(|(name, value)| (name, arrays(interp, &value))));
            }
            calls.push(args);
        }
        Ok(calls)
    }
}

/// The entries of a dictionary whose keys are strings.
fn named(dict: &Value) -> impl Iterator<Item = (Name, Value)> + use<> {
    let entries: Vec<(Name, Value)> = match dict {
        Value::Dict(dict) => {
            let name = |(key, value): (&Value, &Value)| match key {
                Value::Str(key) => Some((Name::from(&**key), value.clone())),
                _ => None,
            };
            dict.borrow().iter().filter_map(name).collect()
        }
        _ => Vec::new(),
    };
    entries.into_iter()
}

/// A value with arrays where types of arrays stand, in tuples, lists and dictionaries too.
fn arrays(interp: &Interp, value: &Value) -> Value {
    if let Some(ty) = struct_type::declares(value) {
        return Value::object(ArrayObject { tile: Tile::Abstract(ty) });
    }
    match value {
        Value::Tuple(parts) => Value::tuple(parts.iter().map(|part| arrays(interp, part))),
        Value::List(parts) => {
            let parts: Vec<Value> = parts.borrow().iter().map(|part| arrays(interp, part)).collect();
            Value::list(parts)
        }
        Value::Dict(entries) if entries.borrow().keys().all(|key| matches!(key, Value::Str(_))) => {
            interp.dict_of(named(value).map(|(name, value)| (name, arrays(interp, &value))))
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_syntax::FileId;
    use std::sync::Arc;

    fn calls(text: &str) -> Vec<(String, String)> {
        let source = Arc::new(SourceFile::new(FileId(0), "t.py", text));
        let module = pallas_syntax::parse(source.clone());
        let def = module.body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::FunctionDef(def) => Some(def.clone()),
            _ => None,
        });
        let found = given(&module, &def.expect("a function"));
        found.into_iter().map(|given| (given.arguments, source.slice(given.span).to_string())).collect()
    }

    #[test]
    fn comments_above_a_function_are_its_calls() {
        let text = "x = 1\n# Adds.\n# pallas: call(x=f32[8, 128], s=\")\")\n# pallas: call(\n#     x=1,\n# )\n@jit\ndef f(x): pass\n";
        let found = calls(text);
        assert_eq!(found[0].0, "x=f32[8, 128], s=\")\"");
        assert_eq!(found[1], ("x=1,".to_string(), "# pallas: call(\n#     x=1,\n# )".to_string()));
        assert_eq!(calls("# pallas: call(x=1)\n\ndef f(x): pass\n"), []);
        assert_eq!(calls("# pallas: call(x=(1\ndef f(x): pass\n")[0].0, "x=(1");
    }
}
