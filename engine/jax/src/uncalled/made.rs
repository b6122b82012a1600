//! Arguments for a function that nobody calls. A parameter that can be left out is left out; the others get a value from
//! their annotation, else from what the body does with them, else from their name.

use super::arrays::Jaxtyping;
use super::described::Described;
use super::learnt::Learnt;
use super::lengths::Lengths;
use super::planner::{Argument, Attempt, Kind};
use super::usage::Uses;
use pallas_python::call::CallArgs;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::module::Module;
use pallas_python::value::Value;
use pallas_syntax::ast::{self, Constant, ExprKind, FunctionDef, Name, Param};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Instances of classes are made of instances of classes, so deep.
const DEPTH: usize = 3;

/// Makes the arguments of one call.
pub(super) struct Maker<'a> {
    pub(super) interp: &'a Interp,
    pub(super) tree: &'a ast::Module,
    pub(super) module: &'a Rc<Module>,
    pub(super) docstring: Option<&'a str>,
    /// What comments say of parameters.
    pub(super) described: &'a HashMap<Name, Described>,
    pub(super) uses: &'a Uses,
    pub(super) lengths: Lengths,
    /// What earlier calls have taught.
    pub(super) learnt: &'a Learnt,
    /// Of arrays of which nothing says it.
    pub(super) rank: usize,
    /// Names of dimensions whose length nothing says, in the order in which they were met.
    pub(super) apart: RefCell<Vec<String>>,
    /// Parameters whose default is a number: dimensions are called like them.
    pub(super) numbers: HashMap<Name, i64>,
}

/// A value, and how the reader is told of it.
pub(super) struct Made {
    pub(super) value: Value,
    pub(super) words: String,
    pub(super) kind: Kind,
    /// Nobody says the dtype of the array.
    pub(super) is_of_any_dtype: bool,
    /// What the value is made of, where it is a tuple or an instance.
    pub(super) inside: Vec<Argument>,
}

impl Made {
    /// What it is and what it is made of, as an argument or a part of one.
    fn into_arguments(self, name: &Name) -> impl Iterator<Item = Argument> {
        let own = Argument { name: name.clone(), kind: self.kind, is_of_any_dtype: self.is_of_any_dtype };
        std::iter::once(own).chain(self.inside)
    }
}

/// The numbers that parameters have if they are left out.
pub(super) fn default_numbers(def: &FunctionDef) -> HashMap<Name, i64> {
    let number = |param: &Param| match param.default.as_ref()?.kind {
        ExprKind::Constant(Constant::Int(number)) => Some((param.name.clone(), number)),
        _ => None,
    };
    def.params.iter().filter_map(number).collect()
}

impl Maker<'_> {
    pub(super) fn call(&self, def: &FunctionDef) -> Result<Attempt, String> {
        let mut args = CallArgs::default();
        let (mut words, mut arguments) = (Vec::new(), Vec::new());
        let mut take = |param: &Param| match self.argument(param) {
            Some(made) => {
                words.push(format!("{}: {}", param.name, made.words));
                let value = made.value.clone();
                arguments.extend(made.into_arguments(&param.name));
                Ok(value)
            }
            None => {
                let annotation = param.annotation.as_ref().map(|annotation| self.tree.slice(annotation.span));
                let annotation = annotation.map(|text| format!(": {}", text.replace('\n', " "))).unwrap_or_default();
                Err(format!("no argument can be made up for `{}{annotation}`", param.name))
            }
        };
        let is_wanted = |param: &&Param| param.default.is_none() || self.learnt.is_given(&param.name);
        let positional = def.params.positional_only.iter().chain(&def.params.positional);
        for param in positional.filter(|param| param.default.is_none()) {
            args.positional.push(take(param)?);
        }
        if let Some(variadic) = &def.params.vararg {
            for _ in 0..self.learnt.variadic() {
                args.positional.push(take(variadic)?);
            }
        }
        let by_name = def.params.positional.iter().filter(|param| param.default.is_some());
        for param in by_name.chain(&def.params.keyword_only).filter(is_wanted) {
            let value = take(param)?;
            args.keywords.push((param.name.clone(), value));
        }
        let code = words.iter().map(|word: &String| word.replacen(": ", "=", 1)).collect::<Vec<_>>().join(", ");
        Ok(Attempt { args, words: words.join(", "), code, made: arguments })
    }

    fn argument(&self, param: &Param) -> Option<Made> {
        if self.learnt.is_none(&param.name) {
            return Some(plain(Value::None, "None"));
        }
        if let Some(flag) = self.learnt.flag(&param.name) {
            return Some(plain(Value::Bool(flag), if flag { "True" } else { "False" }));
        }
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
            && let Some(kind) = Jaxtyping::of(kind)
            && let Some(dims) = rest.split(['"', '\'']).nth(1)
        {
            return Some(self.jaxtyping(name, dims, kind));
        }
        let parts = alternatives(annotation);
        if parts.iter().any(|part| matches!(*part, "None" | "NoneType")) && !self.learnt.is_given(name) {
            return Some(Made { kind: Kind::LeftOut, ..plain(Value::None, "None") });
        }
        // Of a union, the first that something can be made of; what an alias stands for, its name may say.
        let made = parts.into_iter().find_map(|part| self.part(name, part, depth));
        let is_used = || self.uses.get(name).is_some_and(|used| used.is_array || !used.fields.is_empty());
        made.or_else(|| self.by_name(name)).or_else(|| is_used().then(|| self.named(name))?)
    }

    fn part(&self, name: &Name, part: &str, depth: usize) -> Option<Made> {
        let last = part.rsplit('.').next().unwrap_or(part);
        Some(match last {
            "str" => plain(Value::str("x"), "'x'"),
            "int" => self.number(name),
            "float" => plain(Value::Float(1.0), "1.0"),
            "bool" => plain(Value::Bool(false), "False"),
            "Any" => return self.named(name),
            "tuple" | "Tuple" => return self.taken_apart(name, depth),
            "Mesh" | "AbstractMesh" => return self.mesh(),
            _ if last.ends_with("Array") || last.ends_with("ndarray") || last.ends_with("ArrayLike") => {
                return if self.is_random_key(name) { self.key() } else { self.array_named(name) };
            }
            "PRNGKey" | "PRNGKeyArray" | "KeyArray" => return self.key(),
            // pydantic's numbers.
            _ if last.ends_with("Int") || last.ends_with("PowerOfTwo") || last.starts_with("conint") => {
                self.number(name)
            }
            _ if last.ends_with("Float") && part.contains("pydantic") => plain(Value::Float(1.0), "1.0"),
            "StrictBool" => plain(Value::Bool(false), "False"),
            _ if part.contains("Annotated[") => {
                let inside = part.split_once('[')?.1.strip_suffix(']')?;
                let bare = split_outside(inside, ',').into_iter().next()?;
                return self.annotated(name, bare, depth.checked_sub(1)?);
            }
            _ if last.to_lowercase().ends_with("dtype") || last == "DTypeLike" => self.dtype(),
            _ if part.contains("Literal[") => {
                let first = part.split_once('[')?.1.split([',', ']']).next()?.trim();
                match first.parse::<i64>() {
                    Ok(number) => plain(Value::from(number), first),
                    Err(_) => plain(Value::str(first.trim_matches(['"', '\''])), first),
                }
            }
            _ if part.contains("Sequence[int") || part.starts_with("tuple[int, ...") => self.ints(name, 2),
            _ if part.starts_with("tuple[int") || part.starts_with("Tuple[int") => {
                self.ints(name, part.matches("int").count())
            }
            _ if part.starts_with("list[") || part.starts_with("Sequence[") => {
                let inside = part.split_once('[')?.1.strip_suffix(']')?;
                let element = self.part(name, inside, depth.checked_sub(1)?)?;
                let words = format!("[{}]", element.words);
                let value = Value::list([element.value]);
                Made { value, words, ..element }
            }
            _ if part.contains("Callable") => return self.identity(),
            _ if part.starts_with("tuple[") || part.starts_with("Tuple[") => return self.tuple(name, part, depth),
            _ => return self.named_in_module(name, part, depth),
        })
    }

    /// A tuple of what the annotation lists, each called as the body calls it where it takes the tuple apart.
    fn tuple(&self, name: &Name, part: &str, depth: usize) -> Option<Made> {
        let depth = depth.checked_sub(1)?;
        let inside = part.split_once('[')?.1.strip_suffix(']')?;
        let unpacked = self.uses.unpacked(name);
        let (mut values, mut words, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (at, annotation) in split_outside(inside, ',').into_iter().enumerate() {
            let own = unpacked.and_then(|names| names.get(at)).cloned();
            let own = own.unwrap_or_else(|| Name::from(format!("{name}_{at}")));
            let made = self.annotated(&own, annotation, depth)?;
            values.push(made.value.clone());
            words.push(made.words.clone());
            parts.extend(made.into_arguments(&own));
        }
        let words = format!("({}{})", words.join(", "), if words.len() == 1 { "," } else { "" });
        Some(Made { inside: parts, ..plain(Value::tuple(values), &words) })
    }

    /// A tuple of whatever the body takes it apart into: `q, k, v = residuals`.
    fn taken_apart(&self, name: &Name, depth: usize) -> Option<Made> {
        let names = self.uses.unpacked(name)?;
        // `x, y = y` goes round in circles.
        if names.iter().any(|own| self.uses.unpacked(own).is_some()) {
            return None;
        }
        self.tuple(name, &format!("tuple[{}]", vec!["Any"; names.len()].join(", ")), depth)
    }

    /// What a name of the module stands for: a class gives an instance, made of what its constructor must be given, or the
    /// first of an enum; another name of an annotation (`Tensor = jax.Array`) what that gives.
    fn named_in_module(&self, name: &Name, dotted: &str, depth: usize) -> Option<Made> {
        let mut names = dotted.split('.');
        let mut value = self.module.namespace.borrow().get(names.next()?)?.clone();
        for name in names {
            value = self.interp.find_attr(&value, name).ok()??;
        }
        self.of_annotation(name, &value, depth)
    }

    /// For an annotation as the evaluator has it.
    fn of_annotation(&self, name: &Name, annotation: &Value, depth: usize) -> Option<Made> {
        let depth = depth.checked_sub(1)?;
        match annotation {
            Value::Str(annotation) => self.annotated(name, annotation, depth),
            Value::Class(class) if &*class.name == "_empty" => self.named(name),
            // A native class is known by its name; of what a program has written, its name says nothing.
            Value::Class(class) if class.span.is_none() => match self.part(name, &class.name, 0) {
                Some(made) => Some(made),
                None => self.of_class(class, depth),
            },
            Value::Class(class) => self.of_class(class, depth),
            other if other.is_unknown() => None,
            // What fields of a `NamedTuple` have where annotations are text.
            other if self.interp.type_name(other) == "ForwardRef" => {
                let text = self.interp.get_attr(other, "__forward_arg__").ok()?;
                self.annotated(name, &self.interp.to_str(&text).ok()?, depth)
            }
            // `type Residuals = tuple[...]`
            other if self.interp.type_name(other) == "TypeAliasType" => {
                self.of_annotation(name, &self.interp.get_attr(other, "__value__").ok()?, depth)
            }
            other => self.annotated(name, &self.interp.repr(other).ok()?, depth),
        }
    }

    pub(super) fn of_class(&self, class: &Rc<Class>, depth: usize) -> Option<Made> {
        let value = Value::Class(class.clone());
        if class.lookup("_member_map_").is_some() {
            let members = self.interp.collect(&value).ok()?;
            let name = Name::from(&*class.name);
            let member = members.get(self.learnt.member(&name))?;
            let words = self.interp.repr(member).ok()?;
            return Some(Made { kind: Kind::Member(name, members.len()), ..plain(member.clone(), &words) });
        }
        let signature = self.interp.import("inspect").ok()?;
        let signature = self.interp.call_method(&signature, "signature", [value.clone()]).ok()?;
        let parameters = self.interp.get_attr(&signature, "parameters").ok()?;
        let parameters = self.interp.call_method(&parameters, "values", []).ok()?;
        let (mut args, mut inside) = (CallArgs::default(), Vec::new());
        for parameter in self.interp.collect(&parameters).ok()? {
            let get = |name: &str| self.interp.get_attr(&parameter, name).ok();
            let kind = self.interp.str(&get("kind")?).ok()?;
            let default = get("default")?;
            let has_default = !matches!(&default, Value::Class(class) if &*class.name == "_empty");
            let Value::Str(name) = get("name")? else { return None };
            let name = Name::from(&*name);
            if kind.contains("VAR_") || kind.contains("variadic") {
                continue;
            }
            if has_default && !self.learnt.is_given(&name) {
                if matches!(default, Value::None) {
                    inside.push(Argument { name, kind: Kind::LeftOut, is_of_any_dtype: false });
                }
                continue;
            }
            let Some(made) = self.of_annotation(&name, &get("annotation")?, depth).or_else(|| self.by_name(&name))
            else {
                if has_default {
                    continue;
                }
                return None;
            };
            args.keywords.push((name.clone(), made.value.clone()));
            inside.extend(made.into_arguments(&name));
        }
        let value = self.interp.call(&value, args).ok()?;
        Some(Made { inside, ..plain(value, &format!("{}(...)", class.name)) })
    }

    /// By what the body does with it, and what it is called.
    fn named(&self, name: &Name) -> Option<Made> {
        let used = self.uses.get(name);
        if used.is_some_and(|used| used.fields.iter().any(|field| self.learnt.is_missing(field)))
            && let Some(made) = self.configured(name, DEPTH)
        {
            return Some(made);
        }
        if used.is_some_and(|used| used.is_array) {
            return self.array_named(name);
        }
        if let Some(made) = self.taken_apart(name, DEPTH) {
            return Some(made);
        }
        if let Some(text) = used.and_then(|used| used.text.as_ref()) {
            return Some(plain(Value::str(&**text), &format!("'{text}'")));
        }
        if used.is_some_and(|used| used.is_float) {
            return Some(plain(Value::Float(1.0), "1.0"));
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
    pub(super) fn by_name(&self, name: &Name) -> Option<Made> {
        let lowered = name.to_lowercase();
        let is = |parts: &[&str]| parts.iter().any(|part| lowered.contains(part));
        Some(match lowered.as_str() {
            _ if self.is_random_key(name) => return self.key(),
            "eps" | "epsilon" | "alpha" | "sm_scale" | "softmax_scale" | "lr" => plain(Value::Float(1.0), "1.0"),
            "precision" => plain(Value::None, "None"),
            "shape" => self.ints(name, 2),
            "n" | "axis" | "seed" => self.number(name),
            _ if lowered.ends_with("_shape") => self.ints(name, 2),
            _ if is(&["dtype"]) => self.dtype(),
            _ if is(&["causal", "interpret", "debug", "return_", "use_", "save_"]) || lowered.starts_with("is_") => {
                plain(Value::Bool(false), "False")
            }
            _ if is(&["block", "_bytes"]) || lowered.starts_with("num_") || lowered.ends_with("_size") => {
                self.number(name)
            }
            _ if lowered.ends_with("_fn") || lowered == "activation" || lowered == "fn" => return self.identity(),
            _ => return None,
        })
    }

    /// Whether the name is that of a key of random numbers. Beside a query or a value it is the key of an attention.
    fn is_random_key(&self, name: &Name) -> bool {
        match &*name.to_lowercase() {
            "key" => !["query", "value"].iter().any(|other| self.uses.get(other).is_some()),
            lowered => ["rng", "prng", "prng_key", "rng_key", "random_key"].contains(&lowered),
        }
    }

    pub(super) fn number(&self, name: &Name) -> Made {
        let lowered = name.to_lowercase();
        let usual = match lowered.as_str() {
            _ if lowered.contains("axis") || lowered.contains("seed") || lowered.contains("layer") => 0,
            _ if lowered.starts_with("split") => 1,
            "num_warps" => 4,
            _ if lowered.contains("heads") || lowered.contains("experts") => 8,
            // Heads come in whole groups.
            _ if lowered.ends_with("groups") && !lowered.starts_with("num_") => 4,
            _ if lowered.starts_with("num_")
                || ["stages", "warps", "buffer"].iter().any(|part| lowered.contains(part)) =>
            {
                2
            }
            _ if lowered.contains("bytes") => 64 << 20,
            _ => 128,
        };
        let number = self.learnt.number(name).unwrap_or(usual);
        Made { kind: Kind::Number(number), ..plain(Value::from(number), &number.to_string()) }
    }

    fn ints(&self, name: &Name, count: usize) -> Made {
        let usual = if name.to_lowercase().starts_with("num_") { 2 } else { 128 };
        let number = self.learnt.number(name).unwrap_or(usual);
        let words = format!("({})", vec![number.to_string(); count].join(", "));
        Made { kind: Kind::Number(number), ..plain(Value::tuple(vec![Value::from(number); count]), &words) }
    }

    /// A mesh of two devices along each axis; no program of its own runs on it.
    fn mesh(&self) -> Option<Made> {
        let usual = [Name::from("x")];
        let names = if self.learnt.mesh().is_empty() { &usual[..] } else { self.learnt.mesh() };
        let sharding = self.interp.import("jax.sharding").ok()?;
        let lengths = Value::tuple(names.iter().map(|_| Value::from(2_i64)));
        let axes = Value::tuple(names.iter().map(|name| Value::str(&**name)));
        let mesh = self.interp.call_method(&sharding, "AbstractMesh", [lengths, axes]).ok()?;
        let twos = vec!["2"; names.len()].join(", ");
        let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let comma = if names.len() == 1 { "," } else { "" };
        let words = format!("jax.sharding.AbstractMesh(({twos}{comma}), ({}{comma}))", quoted.join(", "));
        Some(plain(mesh, &words))
    }

    fn dtype(&self) -> Made {
        match self.interp.import("jax.numpy").and_then(|jnp| self.interp.get_attr(&jnp, "float32")) {
            Ok(value) => plain(value, "jnp.float32"),
            Err(_) => plain(Value::str("float32"), "'float32'"),
        }
    }

    fn key(&self) -> Option<Made> {
        let random = self.interp.import("jax.random").ok()?;
        let key = self.interp.call_method(&random, "key", [Value::from(0_i64)]).ok()?;
        Some(plain(key, "jax.random.key(0)"))
    }

    fn identity(&self) -> Option<Made> {
        let builtin = self.interp.import("jax.nn").ok()?;
        Some(plain(self.interp.get_attr(&builtin, "relu").ok()?, "jax.nn.relu"))
    }
}

/// What an annotation allows: the members of `A | B`, `Union[A, B]`, and `Optional[A]`, which is `None`, too.
fn alternatives(annotation: &str) -> Vec<&str> {
    let annotation = annotation.trim();
    let inside = |form: &str| {
        let (front, inside) = annotation.split_once('[')?;
        inside.strip_suffix(']').filter(|_| front.rsplit('.').next() == Some(form))
    };
    match (inside("Optional"), inside("Union")) {
        (Some(inside), _) => alternatives(inside).into_iter().chain(["None"]).collect(),
        (_, Some(inside)) => split_outside(inside, ',').into_iter().flat_map(alternatives).collect(),
        _ => match split_outside(annotation, '|') {
            members if members.len() > 1 => members.into_iter().flat_map(alternatives).collect(),
            members => members,
        },
    }
}

/// The parts of `A, B[C, D], E`.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let outside = move |c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == separator && depth == 0
    };
    text.split(outside).map(str::trim).filter(|part| !part.is_empty()).collect()
}

pub(super) fn plain(value: Value, words: &str) -> Made {
    Made { value, words: words.to_string(), kind: Kind::Other, is_of_any_dtype: false, inside: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn annotations_are_taken_apart_outside_of_brackets() {
        let cases = [
            ("jax.Array | None", &["jax.Array", "None"][..]),
            ("Optional[dict[str, int] | list[int]]", &["dict[str, int]", "list[int]", "None"]),
            ("typing.Union[A, tuple[B, C | D], None]", &["A", "tuple[B, C | D]", "None"]),
            ("tuple[A, Optional[B]]", &["tuple[A, Optional[B]]"]),
            ("", &[]),
        ];
        for (annotation, expected) in cases {
            assert_eq!(alternatives(annotation), expected, "{annotation}");
        }
    }
}
