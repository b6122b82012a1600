//! Spellings of Pallas's API that newer versions of JAX do not have (PL008): names that moved, and `BlockSpec` with the index
//! map first. Found in the syntax tree, with the change that follows the API. What Pallas's change log says is the table.

mod imports;
mod refs;

use crate::fixes::{own_params, tree};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind, Module, Stmt, StmtKind};
use pallas_syntax::visit;
use std::collections::HashSet;

/// A name that moved.
struct Moved {
    /// The module that had it.
    module: &'static str,
    name: &'static str,
    /// What happened: `was removed in JAX 0.9.0`.
    what: &'static str,
    now: Now,
}

/// What to write today.
enum Now {
    /// Another name in the same module.
    Name(&'static str),
    /// The same name in another module.
    Module(&'static str),
    /// Something else; a sentence.
    Otherwise(&'static str),
}

const PALLAS: &str = "jax.experimental.pallas";
const TPU: &str = "jax.experimental.pallas.tpu";
const TRITON: &str = "jax.experimental.pallas.triton";
/// Triton's module, when Mosaic GPU was not there yet.
const GPU: &str = "jax.experimental.pallas.gpu";
/// Mosaic GPU's.
const MOSAIC: &str = "jax.experimental.pallas.mosaic_gpu";
const UNBLOCKED: &str = "write `pl.Element(size)` in the block shape for dimensions whose index map gives elements";
/// Private, and imported by many published kernels.
const DTYPES: &str = "jax._src.dtypes";

macro_rules! moved {
    ($($module:ident $name:literal $what:literal $now:expr;)*) => {
        &[$(Moved { module: $module, name: $name, what: $what, now: $now }),*]
    };
}

/// By module.
static MOVED: &[Moved] = moved![
    PALLAS "load" "was removed in JAX 0.9.0" Now::Otherwise("index the Ref (`x_ref[i]`), or use `load` of `jax.experimental.pallas.triton`");
    PALLAS "store" "was removed in JAX 0.9.0" Now::Otherwise("assign to the Ref (`o_ref[i] = value`), or use `store` of `jax.experimental.pallas.triton`");
    PALLAS "swap" "was removed in JAX 0.9.0" Now::Otherwise("read the Ref and assign to it");
    PALLAS "max_contiguous" "moved in JAX 0.8.1" Now::Module(TRITON);
    PALLAS "atomic_add" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_and" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_cas" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_max" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_min" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_or" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_xchg" "moved in JAX 0.7.1" Now::Module(TRITON);
    PALLAS "atomic_xor" "moved in JAX 0.7.1" Now::Module(TRITON);
    TPU "TPUCompilerParams" "was renamed, and removed in JAX 0.8.1" Now::Name("CompilerParams");
    TPU "TPUMemorySpace" "was renamed, and removed in JAX 0.8.1" Now::Name("MemorySpace");
    PALLAS "Unblocked" "was removed in JAX 0.6.1, with `indexing_mode`" Now::Otherwise(UNBLOCKED);
    PALLAS "unblocked" "was removed in JAX 0.6.1, with `indexing_mode`" Now::Otherwise(UNBLOCKED);
    TPU "repeat" "is not in JAX 0.10.2 any more" Now::Otherwise("use `jnp.tile`, which repeats all of the array as it did");
    TPU "TPUInterpretParams" "was renamed" Now::Name("InterpretParams");
    TPU "ANY" "was removed in JAX 0.10.0" Now::Module(PALLAS);
    TPU "delay" "was removed in JAX 0.10.0" Now::Module(PALLAS);
    DTYPES "bit_width" "was renamed" Now::Name("itemsize_bits");
    GPU "TritonCompilerParams" "was renamed, and removed in JAX 0.8.1" Now::Name("CompilerParams");
    MOSAIC "GPUCompilerParams" "was renamed, and is not in JAX 0.10.2 any more" Now::Name("CompilerParams");
    MOSAIC "GPUMesh" "was renamed, and is not in JAX 0.10.2 any more" Now::Name("Mesh");
    MOSAIC "GPUBlockSpec" "was renamed, and is not in JAX 0.10.2 any more" Now::Name("BlockSpec");
    MOSAIC "GPUMemorySpace" "was renamed, and is not in JAX 0.10.2 any more" Now::Name("MemorySpace");
    TPU "run_scoped" "is not in JAX 0.10.2 any more" Now::Module(PALLAS);
    TRITON "TritonCompilerParams" "was renamed, and removed in JAX 0.8.1" Now::Name("CompilerParams");
];

/// Whether JAX 0.10.2 does not have a name in a module any more.
pub fn is_moved(module: &str, name: &str) -> bool {
    MOVED.iter().any(|moved| moved.module == module && moved.name == name)
}

/// What a module writes that moved.
pub(crate) fn find(module: &Module) -> Vec<Finding> {
    let text = &module.source.text;
    if !text.contains("pallas") {
        return Vec::new();
    }
    let mut names: Vec<(&'static str, String)> = Vec::new();
    for wanted in [PALLAS, TPU, TRITON, GPU, MOSAIC, DTYPES] {
        names.extend(tree::module_name(module, wanted).map(|name| (wanted, name)));
    }
    let mut functions: Vec<&str> = Vec::new();
    if text.contains("BlockSpec") {
        tree::in_statements(&module.body, &mut |statement| {
            if let StmtKind::FunctionDef(def) = &statement.kind {
                functions.push(&def.name);
            }
        });
    }
    let mut found = Vec::new();
    imports::find(module, &mut found);
    statements(&module.body, &mut |expr| found.extend(look(module, &names, &functions, expr)));
    // Of `pl.load(...)` the call and the name are looked at: the call says more, and comes first.
    let mut said = HashSet::new();
    found.retain(|finding| said.insert((finding.span, finding.message.clone())));
    found
}

fn look(module: &Module, names: &[(&'static str, String)], functions: &[&str], expr: &Expr) -> Option<Finding> {
    match &expr.kind {
        ExprKind::Attribute { value, name, name_span } => {
            // Few attributes have such a name: what they are attributes of is looked at last.
            let mut moved = MOVED.iter().filter(|moved| *moved.name == **name).peekable();
            moved.peek()?;
            let place = module.slice(value.span);
            let (owner, _) = names.iter().find(|(_, written)| written == place)?;
            let moved = moved.find(|moved| moved.module == *owner)?;
            Some(finding(module, names, expr, *name_span, moved))
        }
        ExprKind::Call { function, args } => {
            // Said of the whole call, as that is what is written in another way.
            let is_pallas = |owner: &Expr| {
                names.iter().any(|(known, written)| *known == PALLAS && written == module.slice(owner.span))
            };
            if let ExprKind::Attribute { value, name, .. } = &function.kind
                && is_pallas(value)
                && let Some(fix) = refs::subscript(module, expr, name, args)
            {
                let moved = MOVED.iter().find(|moved| moved.module == PALLAS && *moved.name == **name)?;
                let mut found = finding(module, names, function, function.span, moved);
                found.fix = Some(fix);
                return Some(found);
            }
            let (name, _) = tree::callee(expr)?;
            if &**name == "pallas_call" {
                return params_in_a_dict(module, names, args);
            }
            if &**name != "BlockSpec" {
                return None;
            }
            let [Arg::Positional(map), Arg::Positional(shape), ..] = args.as_slice() else { return None };
            let is_map = match &map.kind {
                ExprKind::Lambda(_) => true,
                ExprKind::Name(name) => functions.contains(&&**name),
                _ => false,
            };
            let is_shape = matches!(shape.kind, ExprKind::Tuple(_) | ExprKind::List(_));
            if !is_map || !is_shape {
                return None;
            }
            let (map, shape) = (map.span, shape.span);
            let text = |span| module.slice(span).to_string();
            let mut found = plain(
                map.cover(shape),
                format!("{name} takes the block shape first since JAX 0.4.31, and the index map second"),
            );
            found.fix = Some(Fix {
                title: "put the block shape first".to_string(),
                edits: vec![Edit { span: map, replacement: text(shape) }, Edit { span: shape, replacement: text(map) }],
            });
            Some(found)
        }
        _ => None,
    }
}

/// `compiler_params=dict(mosaic=dict(...))`, or for Triton `dict(triton=dict(...))`.
fn params_in_a_dict(module: &Module, names: &[(&'static str, String)], args: &[Arg]) -> Option<Finding> {
    let params = tree::argument(args, "compiler_params", usize::MAX)?;
    let (backend, inner) = match entries(params)?.as_slice() {
        [(name, inner)] => (name.clone(), entries(inner).unwrap_or_default()),
        _ => (String::new(), Vec::new()),
    };
    let mut found = plain(params.span, "compiler_params is no dict since JAX 0.6.1".to_string());
    let wanted = if backend == "triton" { TRITON } else { TPU };
    let owner = names.iter().find(|(module, _)| *module == wanted).map(|(_, written)| written.clone());
    let shown = owner.clone().unwrap_or_else(|| if wanted == TRITON { "plgpu".into() } else { "pltpu".into() });
    let fields: Vec<String> =
        inner.iter().map(|(name, value)| format!("{name}={}", module.slice(value.span))).collect();
    let fields = if fields.is_empty() { "...".to_string() } else { fields.join(", ") };
    let text = format!("{shown}.CompilerParams({fields})");
    found.help = Some(format!("it is an object of the module that compiles it: `{text}`"));
    if owner.is_some() && !inner.is_empty() {
        found.fix = Some(Fix::replace(format!("write {text}"), params.span, text));
    }
    Some(found)
}

/// What stands in `dict(name=value)` or `{"name": value}`; `None` for what is no dict, or has other keys.
fn entries(expr: &Expr) -> Option<Vec<(String, &Expr)>> {
    match &expr.kind {
        ExprKind::Dict(items) => {
            let key = |key: &Option<Expr>| match &key.as_ref()?.kind {
                ExprKind::Constant(Constant::Str(text)) => Some(text.to_string()),
                _ => None,
            };
            items.iter().map(|(name, value)| Some((key(name)?, value))).collect()
        }
        ExprKind::Call { args, .. } if tree::callee(expr).is_some_and(|(name, _)| &**name == "dict") => {
            let mut found = Vec::new();
            for arg in args {
                let Arg::Keyword(name, value, _) = arg else { return None };
                found.push((name.to_string(), value));
            }
            Some(found)
        }
        _ => None,
    }
}

fn finding(module: &Module, names: &[(&'static str, String)], expr: &Expr, name: Span, moved: &Moved) -> Finding {
    let mut found = plain(expr.span, format!("{} {}", module.slice(expr.span), moved.what));
    match moved.now {
        Now::Name(now) => {
            found.help = Some(format!("it is called `{now}` now"));
            found.fix = Some(Fix::replace(format!("write {now}"), name, now));
        }
        Now::Module(now) => {
            found.help = Some(format!("it is in `{now}` now"));
            found.fix = match names.iter().find(|(module, _)| *module == now) {
                Some((_, written)) => {
                    let text = format!("{written}.{}", moved.name);
                    Some(Fix::replace(format!("write {text}"), expr.span, text))
                }
                // With an import of its own.
                None if now == TRITON => own_params::behind_imports(module).map(|behind| {
                    let written = own_params::free_name(module);
                    let text = format!("{written}.{}", moved.name);
                    let import = format!("\nfrom {PALLAS} import triton as {written}");
                    Fix {
                        title: format!("write {text}"),
                        edits: vec![
                            Edit { span: expr.span, replacement: text },
                            Edit { span: behind, replacement: import },
                        ],
                    }
                }),
                None => None,
            };
        }
        Now::Otherwise(help) => found.help = Some(help.to_string()),
    }
    found
}

fn plain(span: Span, message: String) -> Finding {
    crate::findings::proved("PL008", span, message)
}

/// Calls `visit` with every expression that does not stand under a condition: a program that asks which JAX it has knows
/// what it does.
fn statements<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    for statement in body {
        match &statement.kind {
            StmtKind::If { .. } | StmtKind::Try { .. } => continue,
            StmtKind::FunctionDef(def) => {
                visit::defaults(&def.params, &mut |expr| unconditional(expr, visit));
                statements(&def.body, visit);
            }
            StmtKind::ClassDef(class) => statements(&class.body, visit),
            _ => visit::blocks(statement, &mut |block| statements(block, visit)),
        }
        visit::expressions(statement, &mut |expr| unconditional(expr, visit));
    }
}

fn unconditional<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    if matches!(expr.kind, ExprKind::IfExp { .. } | ExprKind::BoolOp { .. }) {
        return;
    }
    visit(expr);
    visit::inside(expr, &mut |child| unconditional(child, visit));
}
