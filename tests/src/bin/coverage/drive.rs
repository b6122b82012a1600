//! Calls of functions that nobody calls: Python lines that stand after the file, with arguments made from what the
//! parameters say of themselves.

use crate::sites::{Found, Outer};
use pallas_engine::SourceFile;
use pallas_engine::syntax::ast::{Expr, ExprKind, FunctionDef, Param, StmtKind};
use pallas_engine::syntax::visit;
use std::collections::HashMap;

/// Ranks that arrays get where nothing says how many dimensions they have, one call for each.
const RANKS: [usize; 4] = [2, 4, 3, 1];

/// The lengths of dimensions by what they are called; others get [`LENGTH`].
const LENGTHS: [(&str, usize); 19] = [
    ("b", 2),
    ("batch", 2),
    ("batch_size", 2),
    ("g", 4),
    ("groups", 4),
    ("num_groups", 4),
    ("e", 4),
    ("experts", 4),
    ("num_experts", 4),
    ("h", 8),
    ("heads", 8),
    ("num_heads", 8),
    ("num_q_heads", 8),
    ("num_kv_heads", 8),
    ("d", 128),
    ("head_dim", 128),
    ("n", 512),
    ("m", 512),
    ("k", 512),
];
const LENGTH: usize = 512;

/// The names under which the lines know `jax.numpy`.
const ARRAYS: &str = "__import__('jax').numpy";

/// The lines that call a function, one for each rank of arrays; or why there are none.
pub(crate) fn lines(function: &Outer, found: &Found, source: &SourceFile) -> Result<Vec<String>, String> {
    let mut made: Vec<String> = Vec::new();
    // What a custom rule of differentiation calls is reached by differentiating.
    let is_differentiated = source.text.contains("custom_vjp");
    for rank in RANKS {
        let arguments = MadeUp { def: &function.def, found, source, rank }.arguments()?;
        let name = &function.def.name;
        let line = format!("{name}({arguments})");
        if !made.contains(&line) {
            made.push(line);
            if is_differentiated {
                made.push(format!("_made_up_gradient({name}, {arguments})"));
            }
        }
    }
    Ok(made)
}

/// What the lines need: the gradient of the sum of all outputs, with respect to the arrays of floats.
pub(crate) const PRELUDE: &str = "\
def _made_up_gradient(f, *args, **kwargs):
  import jax
  floats = [i for i, a in enumerate(args) if hasattr(a, 'dtype') and jax.numpy.issubdtype(a.dtype, jax.numpy.floating)]
  def total(*some):
    given = list(args)
    for i, a in zip(floats, some):
      given[i] = a
    return sum(leaf.astype('float32').sum() for leaf in jax.tree.leaves(f(*given, **kwargs)))
  return jax.grad(total, tuple(range(len(floats))))(*[args[i] for i in floats])
";

/// A call that is being made up.
struct MadeUp<'a> {
    def: &'a FunctionDef,
    found: &'a Found,
    source: &'a SourceFile,
    rank: usize,
}

impl MadeUp<'_> {
    fn arguments(&self) -> Result<String, String> {
        let params = &self.def.params;
        let mut arguments = Vec::new();
        let positional = params.positional_only.iter().chain(&params.positional);
        for param in positional.filter(|param| param.default.is_none()) {
            arguments.push(self.argument(param)?);
        }
        for param in params.keyword_only.iter().filter(|param| param.default.is_none()) {
            arguments.push(format!("{}={}", param.name, self.argument(param)?));
        }
        Ok(arguments.join(", "))
    }

    fn argument(&self, param: &Param) -> Result<String, String> {
        let name = &*param.name;
        match param.annotation.as_ref().map(|annotation| self.annotation_text(annotation)) {
            Some(annotation) => self
                .made_of(name, annotation)
                .ok_or_else(|| format!("no argument can be made up for `{name}: {}`", annotation.replace('\n', " "))),
            None => Ok(from_name(self.def, name, self.rank)),
        }
    }

    fn annotation_text(&self, annotation: &Expr) -> &str {
        match &annotation.kind {
            ExprKind::Constant(_) => self.source.slice(annotation.span).trim_matches(['"', '\'']),
            _ => self.source.slice(annotation.span),
        }
    }

    fn made_of(&self, name: &str, annotation: &str) -> Option<String> {
        let shaped = annotation.split_once('[').filter(|(kind, _)| KINDS.iter().any(|(known, _)| known == kind));
        if let Some((kind, rest)) = shaped
            && let Some(dims) = rest.split(['"', '\'']).nth(1)
        {
            let dtype = KINDS.iter().find(|(known, _)| *known == kind)?.1;
            let lengths: Vec<String> = dims.split_whitespace().filter_map(jaxtyping_length).collect();
            return Some(zeros(&lengths, dtype));
        }
        let is_optional = annotation.split('|').any(|part| part.trim() == "None") || annotation.contains("Optional[");
        if is_optional {
            return Some("None".to_string());
        }
        // Of a union, the first that something can be made of.
        annotation.split('|').map(str::trim).find_map(|part| match part {
            "str" => Some("'x'".to_string()),
            "int" => Some(number(name).to_string()),
            "float" => Some("1.0".to_string()),
            "bool" => Some("False".to_string()),
            _ if part.ends_with("Array") || part.ends_with("ndarray") || part.ends_with("ArrayLike") => {
                Some(from_name(self.def, name, self.rank))
            }
            _ if part.contains("DType") || part.ends_with("dtype") => Some(format!("{ARRAYS}.float32")),
            _ if part.starts_with("Literal[") || part.contains(".Literal[") => {
                let first = part.split_once('[')?.1.split([',', ']']).next()?;
                Some(first.trim().to_string())
            }
            _ if part.contains("Sequence[int") || part.starts_with("tuple[int, ...") => Some("(128, 128)".to_string()),
            _ if part.starts_with("tuple[int") => Some(format!("({})", "128, ".repeat(part.matches("int").count()))),
            _ if part.contains("Callable") && name.contains("activation") => Some("(lambda x: x)".to_string()),
            _ => self.instance(part),
        })
    }

    /// An instance of a class of the module: a dataclass with the fields that it must have, the first of an enum.
    fn instance(&self, name: &str) -> Option<String> {
        if let Some((_, last)) = name.rsplit_once('.') {
            // A class of another module of the package: what it is without arguments.
            let is_class = last.starts_with(char::is_uppercase) && last.chars().all(char::is_alphanumeric);
            return (is_class && last != "Mesh").then(|| format!("{name}()"));
        }
        let class = self.found.classes.iter().find(|class| &*class.name == name)?;
        let is_enum = class.bases.iter().any(|base| self.source.slice(visit::argument(base).span).ends_with("Enum"));
        if is_enum {
            return Some(format!("list({name})[0]"));
        }
        let mut arguments = Vec::new();
        for stmt in class.body.iter() {
            if let StmtKind::AnnAssign { target, annotation, value: None } = &stmt.kind
                && let ExprKind::Name(field) = &target.kind
            {
                let annotation = self.annotation_text(annotation);
                // A class that holds itself is not made up.
                let value = if annotation == name { None } else { self.made_of(field, annotation) };
                arguments.push(format!("{field}={}", value?));
            }
        }
        Some(format!("{name}({})", arguments.join(", ")))
    }
}

/// jaxtyping's kinds of array.
const KINDS: [(&str, &str); 10] = [
    ("Float", "bfloat16"),
    ("Shaped", "bfloat16"),
    ("Num", "float32"),
    ("Real", "float32"),
    ("Int", "int32"),
    ("Integer", "int32"),
    ("Int32", "int32"),
    ("Int8", "int8"),
    ("UInt32", "uint32"),
    ("Bool", "bool_"),
];

fn jaxtyping_length(dimension: &str) -> Option<String> {
    let name = dimension.trim_start_matches(['#', '?', '*', '_']);
    match dimension {
        "..." => None,
        _ if dimension.starts_with('*') => Some("2".to_string()),
        _ => Some(length(name).to_string()),
    }
}

/// By what the parameter is called, and what the docstring says of its shape: `q: [batch, heads, length, dim]`.
fn from_name(def: &FunctionDef, name: &str, rank: usize) -> String {
    let lowered = name.to_lowercase();
    if let Some(dims) = def.docstring.as_deref().and_then(|text| described(text, name)) {
        let dtype = if is_index(&lowered) { "int32" } else { "float32" };
        return zeros(&dims, dtype);
    }
    if lowered.ends_with("_shape") || lowered == "shape" {
        return "(128, 128)".to_string();
    }
    if ["weight", "bias", "gamma", "beta", "scale"].contains(&lowered.as_str()) {
        let last = if rank >= 3 { 128 } else { 512 };
        return zeros(&[last.to_string()], "float32");
    }
    if lowered.starts_with("block") || lowered.starts_with("num_") || lowered.ends_with("_size") || lowered == "axis" {
        return number(name).to_string();
    }
    if lowered.contains("dtype") {
        return format!("{ARRAYS}.float32");
    }
    if is_index(&lowered) {
        let shape: HashMap<bool, &[&str]> = HashMap::from([(true, &["4"][..]), (false, &["8"][..])]);
        let lengths: Vec<String> = shape[&lowered.contains("group")].iter().map(|text| (*text).to_string()).collect();
        return zeros(&lengths, "int32");
    }
    let lengths: Vec<String> = match rank {
        1 => vec!["512".to_string()],
        2 => vec!["512".to_string(), "512".to_string()],
        3 => ["8", "512", "128"].map(str::to_string).to_vec(),
        _ => ["2", "8", "512", "128"].map(str::to_string).to_vec(),
    };
    zeros(&lengths, "float32")
}

/// Names of arrays that hold positions and lengths.
fn is_index(name: &str) -> bool {
    ["indices", "lengths", "_lens", "group_sizes", "group_offset", "offsets", "segment", "page", "ids"]
        .iter()
        .any(|part| name.contains(part))
}

/// The shape that a docstring gives a parameter, in brackets or parentheses soon after its name.
fn described(docstring: &str, name: &str) -> Option<Vec<String>> {
    let at = docstring.find(&format!("{name}:"))? + name.len() + 1;
    let rest: String = docstring[at..].chars().take(160).collect();
    // The next parameter's description is not this one's.
    let rest = rest.split(":\n").next()?;
    let open = rest.find(['[', '('])?;
    let close = rest[open..].find([']', ')'])? + open;
    let dims: Vec<&str> = rest[open + 1..close].split(',').map(str::trim).filter(|dim| !dim.is_empty()).collect();
    let is_dim = |dim: &&str| dim.chars().all(|c| c.is_alphanumeric() || c == '_') && dim.len() < 24;
    (dims.len() <= 6 && !dims.is_empty() && dims.iter().all(is_dim))
        .then(|| dims.iter().map(|dim| length(dim).to_string()).collect())
}

fn length(name: &str) -> usize {
    if let Ok(number) = name.parse() {
        return number;
    }
    let name = name.to_lowercase();
    LENGTHS.iter().find(|(known, _)| *known == name).map_or(LENGTH, |(_, length)| *length)
}

fn number(name: &str) -> usize {
    let name = name.to_lowercase();
    match name.as_str() {
        _ if name.contains("axis") || name.contains("seed") || name.contains("layer") => 0,
        _ if name.contains("heads") || name.contains("experts") => 8,
        _ if name.contains("stages") || name.contains("warps") || name.starts_with("num_") => 2,
        _ => 128,
    }
}

fn zeros(lengths: &[String], dtype: &str) -> String {
    let comma = if lengths.len() == 1 { "," } else { "" };
    format!("{ARRAYS}.zeros(({}{comma}), {ARRAYS}.{dtype})", lengths.join(", "))
}
