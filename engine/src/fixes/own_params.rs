//! `num_warps=4` beside `grid`: `compiler_params=plgpu.CompilerParams(num_warps=4)`, with the import where there is none.

use super::{Source, tree};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, Expr, ExprKind, Module, StmtKind};

const TRITON: &str = "jax.experimental.pallas.triton";
/// What `pallas_call` took by itself, before JAX had objects for it.
const OWN: [&str; 2] = ["num_warps", "num_stages"];

/// What to do about `pallas_call() got an unexpected keyword argument 'num_warps'`.
pub(crate) fn help(text: &str) -> Option<String> {
    let keyword = text.strip_prefix("TypeError: pallas_call() got an unexpected keyword argument '")?;
    let keyword = keyword.split('\'').next().filter(|keyword| OWN.contains(keyword))?;
    Some(format!(
        "it is a parameter of Triton's: `compiler_params=plgpu.CompilerParams({keyword}=...)`, \
         with `from jax.experimental.pallas import triton as plgpu`"
    ))
}

/// PL001
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    if !finding.help.as_deref().is_some_and(|help| help.starts_with("it is a parameter of Triton's")) {
        return None;
    }
    let args = call(source.module, finding.span)?;
    let is_own = |arg: &Arg| matches!(arg, Arg::Keyword(name, ..) if OWN.contains(&&**name));
    if tree::argument(args, "compiler_params", usize::MAX).is_some() {
        return None;
    }
    let own: Vec<usize> = (0..args.len()).filter(|&number| is_own(&args[number])).collect();
    let texts: Vec<&str> = own.iter().map(|&number| source.text(whole(&args[number]))).collect();
    let (module, import) = match tree::module_name(source.module, TRITON) {
        Some(name) => (name, None),
        None => {
            let name = free_name(source.module);
            let import = format!("\nfrom jax.experimental.pallas import triton as {name}");
            (name.to_string(), Some(Edit { span: behind_imports(source.module)?, replacement: import }))
        }
    };
    let text = format!("compiler_params={module}.CompilerParams({})", texts.join(", "));
    let (&first, rest) = own.split_first()?;
    let mut edits: Vec<Edit> = import.into_iter().collect();
    edits.push(Edit { span: whole(&args[first]), replacement: text.clone() });
    for &number in rest {
        let (before, span) = (whole(&args[number - 1]), whole(&args[number]));
        let span = Span { start: before.end, ..span };
        // A comment in between is somebody's.
        if source.text(span).contains('#') {
            return None;
        }
        edits.push(Edit { span, replacement: String::new() });
    }
    Some(Fix { title: format!("write {text}"), edits })
}

/// The arguments of the `pallas_call` at a place.
fn call(module: &Module, place: Span) -> Option<&[Arg]> {
    let mut found = None;
    tree::each(&module.body, &mut |expr: &Expr| {
        if tree::contains(expr.span, place)
            && let Some((name, args)) = tree::callee(expr)
            && &**name == "pallas_call"
        {
            found = Some(args);
        }
    });
    found
}

/// An argument with its name.
fn whole(arg: &Arg) -> Span {
    match arg {
        Arg::Keyword(_, value, name) => name.cover(value.span),
        Arg::Positional(value) | Arg::Star(value) | Arg::DoubleStar(value) => value.span,
    }
}

/// What to call Triton's module: as JAX's documents do, where the file has not called something else so.
pub(crate) fn free_name(module: &Module) -> &'static str {
    let mut taken = false;
    tree::each(&module.body, &mut |expr| {
        taken |= matches!(&expr.kind, ExprKind::Name(name) if &**name == "plgpu");
    });
    if taken { "pltriton" } else { "plgpu" }
}

/// The end of the last import of Pallas.
pub(crate) fn behind_imports(module: &Module) -> Option<Span> {
    let is_pallas = |name: &str| name.starts_with("jax.experimental.pallas");
    let mut imports = module.body.iter().filter(|statement| match &statement.kind {
        StmtKind::Import(names) => names.iter().any(|alias| is_pallas(&alias.name)),
        StmtKind::ImportFrom { module: Some(from), names, .. } => {
            is_pallas(from) || (&**from == "jax.experimental" && names.iter().any(|alias| &*alias.name == "pallas"))
        }
        _ => false,
    });
    let last = imports.next_back()?.span;
    Some(Span { start: last.end, ..last })
}
