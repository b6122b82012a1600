//! Arguments for a function that nobody calls. A parameter that can be left out is left out; the others get a value from
//! their annotation, else from what the body does with them, else from their name.

use super::lengths::Lengths;
use super::usage::{Functions, Use, Uses};
use crate::array::ArrayObject;
use crate::tile::Tile;
use pallas_ir::TensorType;
use pallas_python::call::CallArgs;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::module::Module;
use pallas_python::value::Value;
use pallas_syntax::ast::{self, ExprKind, FunctionDef, Name, Param, StmtKind};
use pallas_tensor::{DType, Shape};
use std::rc::Rc;

/// A call that can be tried.
pub struct Attempt {
    /// The arguments.
    pub args: CallArgs,
    /// The same for the reader: `x: f32[1024,128], causal: False`.
    pub words: String,
}

/// Ranks that arrays get, one attempt for each, where nothing says how many dimensions they have.
const RANKS: [usize; 4] = [2, 4, 3, 1];

/// Instances of classes are made of instances of classes, so deep.
const DEPTH: usize = 3;

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
        let uses = Uses::of(def, &self.functions);
        let mut attempts: Vec<Attempt> = Vec::new();
        for rank in RANKS {
            let maker = Maker {
                interp: self.interp,
                tree: self.tree,
                module: self.module,
                docstring: def.docstring.as_deref(),
                uses: &uses,
                lengths,
                rank,
            };
            let attempt = maker.call(def)?;
            if !attempts.iter().any(|known| known.words == attempt.words) {
                attempts.push(attempt);
            }
        }
        Ok(attempts)
    }
}

struct Maker<'a> {
    interp: &'a Interp,
    tree: &'a ast::Module,
    module: &'a Rc<Module>,
    docstring: Option<&'a str>,
    uses: &'a Uses,
    lengths: Lengths,
    rank: usize,
}

/// A value, and how the reader is told of it.
struct Made {
    value: Value,
    words: String,
}

impl Maker<'_> {
    fn call(&self, def: &FunctionDef) -> Result<Attempt, String> {
        let mut args = CallArgs::default();
        let mut words = Vec::new();
        let mut take = |param: &Param| match self.argument(param) {
            Some(made) => {
                words.push(format!("{}: {}", param.name, made.words));
                Ok(made.value)
            }
            None => {
                let annotation = param.annotation.as_ref().map(|annotation| self.tree.slice(annotation.span));
                let annotation = annotation.map(|text| format!(": {}", text.replace('\n', " "))).unwrap_or_default();
                Err(format!("no argument can be made up for `{}{annotation}`", param.name))
            }
        };
        let positional = def.params.positional_only.iter().chain(&def.params.positional);
        for param in positional.filter(|param| param.default.is_none()) {
            args.positional.push(take(param)?);
        }
        for param in def.params.keyword_only.iter().filter(|param| param.default.is_none()) {
            let value = take(param)?;
            args.keywords.push((param.name.clone(), value));
        }
        Ok(Attempt { args, words: words.join(", ") })
    }

    fn argument(&self, param: &Param) -> Option<Made> {
        let annotation = param.annotation.as_ref().map(|annotation| match &annotation.kind {
            ExprKind::Constant(_) => self.tree.slice(annotation.span).trim_matches(['"', '\'']),
            _ => self.tree.slice(annotation.span),
        });
        match annotation {
            Some(annotation) => self.annotated(&param.name, annotation, DEPTH),
            None => self.named(&param.name),
        }
    }

    /// By its annotation.
    fn annotated(&self, name: &Name, annotation: &str, depth: usize) -> Option<Made> {
        if let Some((kind, rest)) = annotation.split_once('[')
            && let Some((_, dtype)) =
                JAXTYPING.iter().find(|(known, _)| *known == kind.rsplit('.').next().unwrap_or(kind))
            && let Some(dims) = rest.split(['"', '\'']).nth(1)
        {
            return Some(self.array(self.jaxtyping(dims), *dtype));
        }
        let parts: Vec<&str> = annotation.split('|').map(str::trim).collect();
        if parts.contains(&"None") || annotation.contains("Optional[") {
            return Some(plain(Value::None, "None"));
        }
        // Of a union, the first that something can be made of; what an alias stands for, its name may say.
        let made = parts.into_iter().find_map(|part| self.part(name, part, depth));
        made.or_else(|| self.by_name(name))
    }

    fn part(&self, name: &Name, part: &str, depth: usize) -> Option<Made> {
        let last = part.rsplit('.').next().unwrap_or(part);
        Some(match last {
            "str" => plain(Value::str("x"), "'x'"),
            "int" => self.number(name),
            "float" => plain(Value::Float(1.0), "1.0"),
            "bool" => plain(Value::Bool(false), "False"),
            "Any" => return self.named(name),
            _ if last.ends_with("Array") || last.ends_with("ndarray") || last.ends_with("ArrayLike") => {
                return self.array_named(name);
            }
            "PRNGKey" | "PRNGKeyArray" | "KeyArray" => return self.key(),
            _ if last.to_lowercase().ends_with("dtype") || last == "DTypeLike" => self.dtype(),
            _ if part.contains("Literal[") => {
                let first = part.split_once('[')?.1.split([',', ']']).next()?.trim();
                match first.parse::<i64>() {
                    Ok(number) => plain(Value::from(number), first),
                    Err(_) => plain(Value::str(first.trim_matches(['"', '\''])), first),
                }
            }
            _ if part.contains("Sequence[int") || part.starts_with("tuple[int, ...") => ints(2),
            _ if part.starts_with("tuple[int") || part.starts_with("Tuple[int") => ints(part.matches("int").count()),
            _ if part.contains("Callable") => return self.identity(),
            _ => return self.instance(part, depth),
        })
    }

    /// An instance of a class that the module knows: made of what its constructor must be given, or the first of an enum.
    fn instance(&self, dotted: &str, depth: usize) -> Option<Made> {
        let mut names = dotted.split('.');
        let mut value = self.module.namespace.borrow().get(names.next()?)?.clone();
        for name in names {
            value = self.interp.find_attr(&value, name).ok()??;
        }
        let Value::Class(class) = &value else { return None };
        self.of_class(class, depth)
    }

    fn of_class(&self, class: &Rc<Class>, depth: usize) -> Option<Made> {
        let depth = depth.checked_sub(1)?;
        let value = Value::Class(class.clone());
        if class.lookup("_member_map_").is_some() {
            let first = self.interp.collect(&value).ok()?.into_iter().next()?;
            let words = self.interp.repr(&first).ok()?;
            return Some(Made { value: first, words });
        }
        let signature = self.interp.import("inspect").ok()?;
        let signature = self.interp.call_method(&signature, "signature", [value.clone()]).ok()?;
        let parameters = self.interp.get_attr(&signature, "parameters").ok()?;
        let parameters = self.interp.call_method(&parameters, "values", []).ok()?;
        let mut args = CallArgs::default();
        for parameter in self.interp.collect(&parameters).ok()? {
            let get = |name: &str| self.interp.get_attr(&parameter, name).ok();
            let kind = self.interp.str(&get("kind")?).ok()?;
            let has_default = !matches!(get("default")?, Value::Class(class) if &*class.name == "_empty");
            if has_default || kind.contains("VAR_") || kind.contains("variadic") {
                continue;
            }
            let Value::Str(name) = get("name")? else { return None };
            let name = Name::from(&*name);
            let made = match get("annotation")? {
                Value::Str(annotation) => self.annotated(&name, &annotation, depth)?,
                Value::Class(class) if &*class.name == "_empty" => self.named(&name)?,
                Value::Class(class) => match self.part(&name, &class.name.clone(), 0) {
                    Some(made) => made,
                    None => self.of_class(&class, depth)?,
                },
                other => self.annotated(&name, &self.interp.repr(&other).ok()?, depth)?,
            };
            args.keywords.push((name, made.value));
        }
        let value = self.interp.call(&value, args).ok()?;
        Some(Made { value, words: format!("{}(...)", class.name) })
    }

    /// By what the body does with it, and what it is called.
    fn named(&self, name: &Name) -> Option<Made> {
        let used = self.uses.get(name);
        if used.is_some_and(|used| used.is_array) {
            return self.array_named(name);
        }
        if used.is_some_and(|used| used.is_number) {
            return Some(self.number(name));
        }
        match self.by_name(name) {
            Some(made) => Some(made),
            None if used.is_some_and(|used| used.is_static) => Some(self.number(name)),
            None if &**name == "mesh" => None,
            None => self.array_named(name),
        }
    }

    /// By what it is called, where that says something.
    fn by_name(&self, name: &Name) -> Option<Made> {
        let lowered = name.to_lowercase();
        let is = |parts: &[&str]| parts.iter().any(|part| lowered.contains(part));
        Some(match lowered.as_str() {
            // Beside a query or a value it is the key of an attention.
            "key" if ["query", "value"].iter().any(|other| self.uses.get(other).is_some()) => return None,
            "key" | "rng" | "prng_key" => return self.key(),
            "eps" | "epsilon" | "alpha" | "sm_scale" | "softmax_scale" | "lr" => plain(Value::Float(1.0), "1.0"),
            "shape" => ints(2),
            "n" | "axis" | "seed" => self.number(name),
            _ if lowered.ends_with("_shape") => ints(2),
            _ if is(&["dtype"]) => self.dtype(),
            _ if is(&["causal", "interpret", "debug", "return_", "use_"]) || lowered.starts_with("is_") => {
                plain(Value::Bool(false), "False")
            }
            _ if is(&["block"]) || lowered.starts_with("num_") || lowered.ends_with("_size") => self.number(name),
            _ if lowered.ends_with("_fn") || lowered == "activation" || lowered == "fn" => return self.identity(),
            _ => return None,
        })
    }

    fn array_named(&self, name: &Name) -> Option<Made> {
        let lowered = name.to_lowercase();
        let dtype = if is_index(&lowered) { DType::I32 } else { DType::F32 };
        let unused = Use::default();
        let used = self.uses.get(name).unwrap_or(&unused);
        if let Some(rank) = used.rank {
            return Some(self.array(self.dims(used, rank), dtype));
        }
        if let Some(dims) = self.docstring.and_then(|text| described(text, name)) {
            return Some(self.array(dims.iter().map(|dim| self.lengths.of(dim)).collect(), dtype));
        }
        let rank = match lowered.as_str() {
            "weight" | "bias" | "gamma" | "beta" | "scale" => 1,
            _ if is_index(&lowered) => 1,
            _ => self.rank,
        };
        let rank = rank.max(used.least);
        Some(self.array(self.dims(used, rank), dtype))
    }

    fn dims(&self, used: &Use, rank: usize) -> Vec<usize> {
        // As attention has it: batch, heads, length, features.
        let usual: &[&str] = match rank {
            4 => &["batch", "heads", "length", "head_dim"],
            3 => &["heads", "length", "head_dim"],
            _ => &[],
        };
        let dim = |index: usize| match used.dimension(index, rank) {
            Some(name) => self.lengths.of(&self.uses.representative(name)),
            None => self.lengths.of(usual.get(index).unwrap_or(&"")),
        };
        (0..rank).map(dim).collect()
    }

    /// The dimensions of `"batch *heads 3 d"`.
    fn jaxtyping(&self, dims: &str) -> Vec<usize> {
        let length = |dim: &str| match dim {
            "..." => None,
            _ if dim.starts_with('*') => Some(self.lengths.of("batch")),
            _ => Some(self.lengths.of(dim.rsplit('=').next().unwrap_or(dim).trim_start_matches(['#', '?', '_']))),
        };
        dims.split_whitespace().filter_map(length).collect()
    }

    fn array(&self, dims: Vec<usize>, dtype: DType) -> Made {
        let ty = TensorType::new(dtype, dims.into_iter().collect::<Shape>());
        let words = ty.to_string();
        Made { value: Value::object(ArrayObject { tile: Tile::Abstract(ty) }), words }
    }

    fn number(&self, name: &str) -> Made {
        let name = name.to_lowercase();
        let number: i64 = match name.as_str() {
            _ if name.contains("axis") || name.contains("seed") || name.contains("layer") => 0,
            _ if name.contains("heads") || name.contains("experts") => 8,
            _ if name.contains("stages") || name.contains("warps") || name.starts_with("num_") => 2,
            _ => 128,
        };
        plain(Value::from(number), &number.to_string())
    }

    fn dtype(&self) -> Made {
        match self.interp.import("jax.numpy").and_then(|jnp| self.interp.get_attr(&jnp, "float32")) {
            Ok(value) => plain(value, "float32"),
            Err(_) => plain(Value::str("float32"), "float32"),
        }
    }

    fn key(&self) -> Option<Made> {
        let random = self.interp.import("jax.random").ok()?;
        let key = self.interp.call_method(&random, "key", [Value::from(0_i64)]).ok()?;
        Some(plain(key, "a key"))
    }

    fn identity(&self) -> Option<Made> {
        let builtin = self.interp.import("jax.nn").ok()?;
        Some(plain(self.interp.get_attr(&builtin, "relu").ok()?, "relu"))
    }
}

fn plain(value: Value, words: &str) -> Made {
    Made { value, words: words.to_string() }
}

fn ints(count: usize) -> Made {
    let words = format!("({})", vec!["128"; count].join(", "));
    plain(Value::tuple(vec![Value::from(128_i64); count]), &words)
}

/// jaxtyping's kinds of array.
const JAXTYPING: [(&str, DType); 11] = [
    ("Float", DType::BF16),
    ("Float32", DType::F32),
    ("BFloat16", DType::BF16),
    ("Shaped", DType::BF16),
    ("Num", DType::F32),
    ("Real", DType::F32),
    ("Int", DType::I32),
    ("Integer", DType::I32),
    ("Int32", DType::I32),
    ("UInt32", DType::U32),
    ("Bool", DType::Bool),
];

/// Names of arrays that hold positions and lengths.
fn is_index(name: &str) -> bool {
    ["indices", "lengths", "_lens", "group_sizes", "group_offset", "offsets", "segment", "page_", "_ids"]
        .iter()
        .any(|part| name.contains(part))
}

/// The dimensions that a docstring gives a parameter, in brackets or parentheses soon after its name:
/// `q: Queries, [batch, heads, length, dim].`
fn described<'a>(docstring: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let at =
        docstring.match_indices(name).map(|(at, _)| at + name.len()).find(|at| docstring[*at..].starts_with(':'))?;
    let rest = &docstring[at + 1..];
    let end = rest.char_indices().nth(160).map_or(rest.len(), |(end, _)| end);
    // The next parameter's description is not this one's.
    let rest = rest[..end].split(":\n").next()?;
    let open = rest.find(['[', '('])?;
    let close = rest[open..].find([']', ')'])? + open;
    let dims: Vec<&str> = rest[open + 1..close].split(',').map(str::trim).filter(|dim| !dim.is_empty()).collect();
    let is_dim = |dim: &&str| dim.chars().all(|c| c.is_alphanumeric() || c == '_') && dim.len() < 24;
    (dims.len() <= 6 && !dims.is_empty() && dims.iter().all(is_dim)).then_some(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_say_shapes() {
        let text =
            "Attention.\n\nArgs:\n  q: Queries, [batch, heads, n, 64].\n  scale: a factor (optional, if given)\n";
        assert_eq!(described(text, "q"), Some(vec!["batch", "heads", "n", "64"]));
        assert_eq!(described(text, "scale"), None);
        assert_eq!(described(text, "k"), None);
    }
}
