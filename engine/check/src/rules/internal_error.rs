//! PL009.

use crate::rule::Rule;
use pallas_ir::Severity;

/// The analyser failed.
pub(super) static RULE: Rule = Rule {
    code: "PL009",
    name: "internal-error",
    severity: Severity::Error,
    summary: "the analyser itself failed on this file",
    doc: r#"
## What it does
Says that the analyser came upon a state that it should never be in. This is a mistake in Pallas Workbench, not in the file.

## Why is this bad?
Nothing is known of the file until the mistake is mended.

## Example
Any file on which it happens. There should be none.

## Use instead
Please report it with the file, or with as much of it as is needed to show the failure.
"#,
    check: None,
};
