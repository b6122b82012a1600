//! What Pallas's modules offer, with signatures: for completion and signature help. Read once from the modules themselves, as
//! programs see them, so that whatever is added there appears here.

use crate::evaluator::evaluate_once;
use pallas_python::CallArgs;
use pallas_python::Limits;
use pallas_python::interp::Interp;
use pallas_python::value::Value;
use std::sync::OnceLock;

/// The modules that are listed.
pub const MODULES: [&str; 4] = [
    "jax.experimental.pallas",
    "jax.experimental.pallas.tpu",
    "jax.experimental.pallas.triton",
    "jax.experimental.pallas.mosaic_gpu",
];

/// A name that a module offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The module.
    pub module: &'static str,
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: MemberKind,
    /// `(block_shape=None, index_map=None)`: of functions and classes.
    pub signature: Option<String>,
    /// One line; empty where there is none.
    pub doc: String,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A function.
    Function,
    /// A class.
    Class,
    /// Anything else.
    Constant,
}

/// One parameter of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// As the signature writes it: `grid=()`.
    pub text: String,
    /// Given by keyword only.
    pub keyword_only: bool,
    /// `*args` or `**kwargs`.
    pub variadic: bool,
}

/// All members of all modules, by module and in the order of their names.
pub fn members() -> &'static [Member] {
    static MEMBERS: OnceLock<Vec<Member>> = OnceLock::new();
    MEMBERS.get_or_init(|| evaluate_once(Limits::default(), |ready| read(&ready.interp)).unwrap_or_default())
}

/// A member of a module.
pub fn find(module: &str, name: &str) -> Option<&'static Member> {
    members().iter().find(|member| member.module == module && member.name == name)
}

impl Member {
    /// The parameters of its signature.
    pub fn parameters(&self) -> Vec<Parameter> {
        let Some(signature) = &self.signature else { return Vec::new() };
        let inner = signature.trim().strip_prefix('(').unwrap_or(signature);
        let inner = inner.rsplit_once(')').map_or(inner, |(inner, _)| inner);
        let mut parameters = Vec::new();
        let mut keyword_only = false;
        for piece in split(inner) {
            let text = piece.trim();
            match text {
                "" | "/" => continue,
                "*" => keyword_only = true,
                _ => {
                    let variadic = text.starts_with('*');
                    let name = text.trim_start_matches('*').split(['=', ':']).next().unwrap_or_default().trim();
                    parameters.push(Parameter {
                        name: name.to_string(),
                        text: text.to_string(),
                        keyword_only: keyword_only && !variadic,
                        variadic,
                    });
                    keyword_only |= variadic;
                }
            }
        }
        parameters
    }
}

/// The pieces between the commas that stand outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (offset, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(&text[start..offset]);
                start = offset + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn read(interp: &Interp) -> Vec<Member> {
    let mut members = Vec::new();
    for module in MODULES {
        let Ok(Value::Module(namespace)) = interp.import(module) else { continue };
        let mut names: Vec<(String, Value)> =
            namespace.namespace.borrow().iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        names.retain(|(name, value)| !name.starts_with('_') && !matches!(value, Value::Module(_)));
        names.sort_by(|a, b| a.0.cmp(&b.0));
        members.extend(names.into_iter().map(|(name, value)| member(interp, module, name, &value)));
    }
    members
}

fn member(interp: &Interp, module: &'static str, name: String, value: &Value) -> Member {
    let (kind, signature, doc) = match value {
        Value::Native(native) => {
            (MemberKind::Function, Some(native.def.signature.to_string()), native.def.doc.to_string())
        }
        Value::Class(class) => {
            let known = pallas_jax::pallas::spec::CONSTRUCTORS.iter().find(|def| *def.name == *class.name);
            let signature = known.map(|def| def.signature.to_string()).or_else(|| inspected(interp, value));
            (MemberKind::Class, signature, class.doc.to_string())
        }
        Value::Function(_) => {
            let doc = interp.get_attr(value, "__doc__").ok().and_then(|doc| interp.str(&doc).ok());
            let doc = doc.filter(|doc| doc != "None").unwrap_or_default();
            let first = doc.trim().lines().next().unwrap_or_default().to_string();
            (MemberKind::Function, inspected(interp, value), first)
        }
        _ => (MemberKind::Constant, None, String::new()),
    };
    Member { module, name, kind, signature, doc }
}

/// What `inspect.signature` says.
fn inspected(interp: &Interp, value: &Value) -> Option<String> {
    let signature = interp.get_attr(&interp.import("inspect").ok()?, "signature").ok()?;
    let found = interp.call(&signature, CallArgs::positional([value.clone()])).ok()?;
    interp.str(&found).ok().filter(|text| text.starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(module: &str, name: &str) -> Vec<String> {
        let member = find(module, name).unwrap_or_else(|| panic!("{module}.{name}"));
        member.parameters().into_iter().map(|parameter| parameter.name).collect()
    }

    #[test]
    fn functions_and_classes_have_parameters() {
        let call = parameters("jax.experimental.pallas", "pallas_call");
        assert_eq!(call[..4], ["kernel", "out_shape", "grid_spec", "grid"]);
        assert_eq!(parameters("jax.experimental.pallas", "BlockSpec")[..2], ["block_shape", "index_map"]);
        assert_eq!(
            parameters("jax.experimental.pallas.tpu", "PrefetchScalarGridSpec")[..2],
            ["num_scalar_prefetch", "grid"]
        );
        assert!(
            parameters("jax.experimental.pallas.tpu", "CompilerParams").contains(&"dimension_semantics".to_string())
        );
        let grid = &find("jax.experimental.pallas", "pallas_call").expect("there").parameters()[3];
        assert!(grid.keyword_only && grid.text == "grid=()");
    }

    #[test]
    fn constants_are_listed() {
        let any = find("jax.experimental.pallas", "ANY").expect("there");
        assert_eq!((any.kind, &any.signature), (MemberKind::Constant, &None));
    }

    #[test]
    fn commas_in_defaults_do_not_count() {
        assert_eq!(split("a, b=(1, 2), *, c={'x': [1, 2]}"), ["a", " b=(1, 2)", " *", " c={'x': [1, 2]}"]);
    }
}
