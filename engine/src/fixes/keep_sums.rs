//! `jnp.dot(x, y)` that is rounded before it goes on in 32 bits: `jnp.dot(x, y, preferred_element_type=jnp.float32)`.

use super::{Source, tree};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, ExprKind};

/// Functions of `jax.numpy` that take the keyword.
const PRODUCTS: [&str; 5] = ["dot", "matmul", "einsum", "tensordot", "vdot"];

/// PL205
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let ExprKind::Call { function, args } = &tree::at(source.module, finding.span)?.kind else { return None };
    let ExprKind::Attribute { value, name, .. } = &function.kind else { return None };
    let numpy = tree::module_name(source.module, "jax.numpy")?;
    let is_product = source.text(value.span) == numpy && PRODUCTS.contains(&&**name);
    // Who has said what the sums are rounded to has said it.
    let says = |arg: &Arg| match arg {
        Arg::Keyword(name, ..) => &**name == "preferred_element_type",
        Arg::DoubleStar(_) | Arg::Star(_) => true,
        Arg::Positional(_) => false,
    };
    let last = match args.last()? {
        Arg::Positional(value) | Arg::Keyword(_, value, _) => value.span,
        Arg::Star(_) | Arg::DoubleStar(_) => return None,
    };
    if !is_product || args.iter().any(says) {
        return None;
    }
    let after = Span { start: last.end, ..last };
    let edit = Edit { span: after, replacement: format!(", preferred_element_type={numpy}.float32") };
    Some(Fix { title: "keep the sums in float32".to_string(), edits: vec![edit] })
}
