//! Words in `dimension_semantics=(...)` that no compiler of Pallas knows (PL131). Read off the text: interpret mode does not
//! look at them, and a launch keeps only what they come to.

use crate::fixes::tree;
use pallas_ir::{Finding, Fix};
use pallas_syntax::ast::{Arg, Constant, Expr, ExprKind, Module};

const WORDS: [&str; 4] = ["parallel", "arbitrary", "core_parallel", "subcore_parallel"];

/// Every such word of a file.
pub(crate) fn find(module: &Module) -> Vec<Finding> {
    let mut found = Vec::new();
    if !module.source.text.contains("dimension_semantics") {
        return found;
    }
    tree::each(&module.body, &mut |expr| {
        let ExprKind::Call { args, .. } = &expr.kind else { return };
        for arg in args {
            if let Arg::Keyword(name, value, _) = arg
                && &**name == "dimension_semantics"
                && let ExprKind::Tuple(axes) | ExprKind::List(axes) = &value.kind
            {
                found.extend(axes.iter().filter_map(unknown));
            }
        }
    });
    found
}

fn unknown(axis: &Expr) -> Option<Finding> {
    let ExprKind::Constant(Constant::Str(word)) = &axis.kind else { return None };
    if WORDS.contains(&&**word) {
        return None;
    }
    // Whatever is not parallel runs in order.
    let meant = WORDS.iter().find(|known| word.eq_ignore_ascii_case(known)).copied();
    let meant = meant.unwrap_or(if word.to_lowercase().starts_with("par") { "parallel" } else { "arbitrary" });
    let message = format!("`dimension_semantics` does not have the word \"{word}\"");
    let mut finding = crate::findings::proved("PL131", axis.span, message);
    finding.help = Some(
        "\"parallel\" where programs may run in any order or on several cores, \"arbitrary\" where they run one after the other"
            .to_string(),
    );
    finding.fix = Some(Fix::replace(format!("write \"{meant}\""), axis.span, format!("\"{meant}\"")));
    Some(finding)
}
