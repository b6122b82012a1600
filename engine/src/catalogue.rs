//! What Pallas's modules offer, with signatures: for completion and signature help. Read once from the modules themselves, as
//! programs see them, so that whatever is added there appears here.

use crate::evaluator::evaluate_once;
use pallas_python::CallArgs;
use pallas_python::Limits;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
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

/// Parameters that calls of older programs have, and JAX 0.10.2 has no more, or not yet: understood, but neither offered nor shown.
const ONLY_UNDERSTOOD: [(&str, &[&str]); 3] = [
    ("pallas_call", &["backend", "out_type", "scratch_types"]),
    ("BlockSpec", &["indexing_mode", "oob_fill_mode"]),
    ("kernel", &["out_shape", "scratch_shapes"]),
];

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
        let Ok(namespace) = interp.import(module) else { continue };
        // Names that are made when somebody asks for one are names as well.
        let value = |name: String| Some((name.clone(), interp.get_attr(&namespace, &name).ok()?));
        let mut names: Vec<(String, Value)> = interp
            .attribute_names(&namespace)
            .into_iter()
            .filter(|name| !name.starts_with('_'))
            .filter_map(value)
            .collect();
        names.retain(|(_, value)| !matches!(value, Value::Module(_)));
        names.sort_by(|a, b| a.0.cmp(&b.0));
        members.extend(names.into_iter().map(|(name, value)| member(interp, module, name, &value)));
    }
    members
}

fn member(interp: &Interp, module: &'static str, name: String, value: &Value) -> Member {
    let constructed = |class: &Class| {
        let known = pallas_jax::pallas::spec::CONSTRUCTORS
            .iter()
            .find(|def| *def.name == *class.name && *def.doc == *class.doc);
        known.map(|def| def.signature.to_string())
    };
    let (kind, signature, doc) = match value {
        Value::Native(native) => {
            (MemberKind::Function, Some(native.def.signature.to_string()), native.def.doc.to_string())
        }
        Value::Class(class) => {
            (MemberKind::Class, constructed(class).or_else(|| inspected(interp, value)), class.doc.to_string())
        }
        Value::Function(_) => {
            let doc = interp.get_attr(value, "__doc__").ok().and_then(|doc| interp.str(&doc).ok());
            let doc = doc.filter(|doc| doc != "None").unwrap_or_default();
            let first = doc.trim().lines().next().unwrap_or_default().to_string();
            (MemberKind::Function, inspected(interp, value), first)
        }
        value => {
            // A memory makes a place in it, for scratch.
            let is_memory = interp.type_of(value).name == Name::from("MemorySpace");
            (MemberKind::Constant, is_memory.then(|| "(shape, dtype)".to_string()), String::new())
        }
    };
    let signature = signature.map(|signature| shown(&name, &signature));
    Member { module, name, kind, signature, doc }
}

/// A signature without what is only understood, and without annotations that say nothing.
fn shown(name: &str, signature: &str) -> String {
    let hidden = ONLY_UNDERSTOOD.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, hidden)| hidden);
    let signature = signature.replace(": 'Any' = ", "=").replace(": 'Any'", "");
    let Some(inner) = signature.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return signature };
    let kept = split(inner).into_iter().map(str::trim);
    let kept = kept.filter(|piece| !hidden.contains(&piece.split(['=', ':']).next().unwrap_or_default().trim()));
    format!("({})", kept.collect::<Vec<_>>().join(", "))
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
        let squeezed = find("jax.experimental.pallas", "squeezed").expect("there");
        assert_eq!((squeezed.kind, &squeezed.signature), (MemberKind::Constant, &None));
        let memory = find("jax.experimental.pallas.tpu", "VMEM").expect("there");
        assert_eq!((memory.kind, memory.signature.as_deref()), (MemberKind::Constant, Some("(shape, dtype)")));
    }

    #[test]
    fn what_only_older_programs_have_is_not_shown() {
        for (name, hidden) in ONLY_UNDERSTOOD {
            let known = parameters("jax.experimental.pallas", name);
            assert!(hidden.iter().all(|hidden| !known.contains(&hidden.to_string())), "{name}: {known:?}");
        }
        let texts = members().iter().filter_map(|member| member.signature.as_deref());
        assert!(texts.clone().count() > 100);
        texts.for_each(|text| assert!(!text.contains("'Any'"), "{text}"));
        assert!(parameters("jax.experimental.pallas.mosaic_gpu", "BlockSpec").contains(&"transforms".to_string()));
        assert_eq!(
            parameters("jax.experimental.pallas", "BlockSpec"),
            ["block_shape", "index_map", "pipeline_mode", "memory_space"]
        );
    }

    #[test]
    fn names_that_are_made_late_are_listed() {
        assert_eq!(parameters("jax.experimental.pallas", "CostEstimate")[..1], ["flops"]);
        assert!(find("jax.experimental.pallas.tpu", "BufferedRef").is_some());
        assert!(find("jax.experimental.pallas.mosaic_gpu", "Barrier").is_some());
    }

    #[test]
    fn commas_in_defaults_do_not_count() {
        assert_eq!(split("a, b=(1, 2), *, c={'x': [1, 2]}"), ["a", " b=(1, 2)", " *", " c={'x': [1, 2]}"]);
    }
}
