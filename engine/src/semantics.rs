//! Words in `dimension_semantics=(...)` that no compiler of Pallas knows (PL131). Read off the text: interpret mode does not
//! look at them, and a launch keeps only what they come to.

use crate::fixes::tree;
use pallas_ir::{Finding, Fix};
use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind, Module};

const WORDS: [&str; 4] = ["parallel", "arbitrary", "core_parallel", "subcore_parallel"];

/// Those of Mosaic GPU: its parameters are made by a function of its module.
const GPU_WORDS: [&str; 2] = ["parallel", "sequential"];

/// Every such word of a file.
pub(crate) fn find(module: &Module) -> Vec<Finding> {
    let mut found = Vec::new();
    if !module.source.text.contains("dimension_semantics") {
        return found;
    }
    tree::each(&module.body, &mut |expr| {
        let ExprKind::Call { function, args, .. } = &expr.kind else { return };
        let is_gpu = is_of_gpus(function, &module.source.text);
        for arg in args {
            if let Arg::Keyword(name, value, _) = arg
                && &**name == "dimension_semantics"
                && let ExprKind::Tuple(axes) | ExprKind::List(axes) = &value.kind
            {
                found.extend(axes.iter().filter_map(|axis| unknown(axis, is_gpu)));
            }
        }
    });
    found
}

/// Whether `plgpu.CompilerParams` is that of Mosaic GPU, by what the file imports under that name.
fn is_of_gpus(function: &Expr, text: &str) -> bool {
    let ExprKind::Attribute { value, .. } = &function.kind else { return false };
    match &value.kind {
        ExprKind::Attribute { name, .. } => &**name == "mosaic_gpu",
        ExprKind::Name(name) => {
            let import = format!("mosaic_gpu as {name}");
            let ends = |(at, _): (usize, &str)| {
                !text[at + import.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            };
            &**name == "mosaic_gpu" || text.match_indices(&import).any(ends)
        }
        _ => false,
    }
}

fn unknown(axis: &Expr, is_gpu: bool) -> Option<Finding> {
    let ExprKind::Constant(Constant::Str(word)) = &axis.kind else { return None };
    if WORDS.contains(&&**word) || is_gpu && GPU_WORDS.contains(&&**word) {
        return None;
    }
    let ordered = if is_gpu { "sequential" } else { "arbitrary" };
    // Whatever is not parallel runs in order.
    let meant = WORDS.iter().find(|known| word.eq_ignore_ascii_case(known)).copied();
    let meant = meant.unwrap_or(if word.to_lowercase().starts_with("par") { "parallel" } else { ordered });
    let message = format!("`dimension_semantics` does not have the word \"{word}\"");
    let mut finding = crate::findings::proved("PL131", axis.span, message);
    finding.help = Some(match is_gpu {
        true => {
            "\"parallel\" where blocks of the GPU may run in any order, \"sequential\" where one block goes along the axis"
                .to_string()
        }
        false => {
            "\"parallel\" where programs may run in any order or on several cores, \"arbitrary\" where they run one after the \
             other"
                .to_string()
        }
    });
    finding.fix = Some(Fix::replace(format!("write \"{meant}\""), axis.span, format!("\"{meant}\"")));
    Some(finding)
}
