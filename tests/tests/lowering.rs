//! What the compilers of Pallas lower, against JAX: a kernel for each expression of tests/lowering/answers.tsv (which
//! tests/goldens/lowering.py wrote by exporting them), for each target. What is reported is refused; what has no lowering
//! is reported.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Severity};
use std::path::Path;
use std::sync::Arc;

/// Each target's column of the table, and what a launch says to be compiled for it.
const TARGETS: [(usize, &str); 3] =
    [(3, "pltpu.CompilerParams()"), (4, "plt.CompilerParams()"), (5, "plgpu.CompilerParams()")];

const PRELUDE: &str = "\
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plt
from jax.experimental.pallas import mosaic_gpu as plgpu

def ask(kernel, x, out, params):
    launch = pl.pallas_call(kernel, grid=(1,), out_shape=jax.ShapeDtypeStruct(*out), compiler_params=params)
    jax.eval_shape(launch, jax.ShapeDtypeStruct(*x))
";

/// Refused for something that the IR does not show: primitives that are other ops here (`remat2`, `tile`, `split`, `stack`),
/// ways of jax.numpy that are not ours, and what one of two modes of a compiler lowers.
const OTHERWISE: [(&str, &str); 9] = [
    ("jax.checkpoint(jnp.sin)(x)", "pltpu.CompilerParams()"),
    ("jnp.piecewise(x, [x > 0], [1.0, 2.0])", "pltpu.CompilerParams()"),
    ("jnp.piecewise(x, [x > 0], [1.0, 2.0])", "plgpu.CompilerParams()"),
    ("jnp.tile(x, (2, 1))", "plt.CompilerParams()"),
    ("jnp.tile(x, (2, 1))", "plgpu.CompilerParams()"),
    ("jnp.prod(x, axis=1)", "plgpu.CompilerParams()"),
    ("jnp.split(x, 2, axis=0)[0]", "plgpu.CompilerParams()"),
    ("jnp.split(x, 2, axis=1)[1]", "plgpu.CompilerParams()"),
    ("jnp.select([x > 0], [x], 0.0)", "plgpu.CompilerParams()"),
];

fn rows() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("lowering/answers.tsv");
    let text = std::fs::read_to_string(path).expect("the table");
    text.lines().map(|line| line.split('\t').map(str::to_string).collect()).collect()
}

/// Every expression as a kernel with its launch, and the line of its expression.
fn program(rows: &[Vec<String>], params: &str) -> (String, Vec<u32>) {
    let mut text = PRELUDE.to_string();
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        text.push_str(&format!("\ndef kernel_{number}(x_ref, o_ref):\n    x = x_ref[...]\n"));
        lines.push(text.matches('\n').count() as u32 + 1);
        text.push_str(&format!("    y = {}\n    o_ref[...] = y\n\n", row[0]));
        text.push_str(&format!("ask(kernel_{number}, ({}), ({}), {params})\n", row[1], row[2]));
    }
    (text, lines)
}

#[test]
fn what_is_not_lowered_is_reported_and_nothing_else() {
    let rows = rows();
    assert!(rows.len() > 300, "rows are missing");
    let mut wrong = Vec::new();
    let mut counts = Vec::new();
    for (column, params) in TARGETS {
        let (text, lines) = program(&rows, params);
        let options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
        let analysis = Analysis::new("lowering.py", &text, &options);
        let (mut found, mut refused, mut traced) = (0, 0, 0);
        for (row, &line) in rows.iter().zip(&lines) {
            let (expression, answer) = (&row[0], row[column].as_str());
            let here = |code: &str| {
                let mut all = analysis.findings.iter().filter(|f| f.code == code && f.severity == Severity::Error);
                all.find(|finding| {
                    let source = analysis.source_of(finding.span);
                    source.id == analysis.source.id && source.line_of(finding.span.start) == line
                })
            };
            // What is not offered yet, or refused by the evaluator, has no launch to judge.
            let is_traced = analysis.launches.iter().any(|launch| {
                launch.kernel.locations.iter().any(|l| analysis.source_of(l.span).line_of(l.span.start) == line)
            });
            let finding = here("PL504");
            traced += usize::from(is_traced);
            refused += usize::from(answer.contains("Unimplemented primitive"));
            found += usize::from(finding.is_some());
            match finding {
                Some(finding) if matches!(answer, "ok") => {
                    wrong.push(format!("{params} takes `{expression}`: {}", finding.message));
                }
                None if is_traced
                    && answer.contains("Unimplemented primitive")
                    && !OTHERWISE.contains(&(expression.as_str(), params)) =>
                {
                    wrong.push(format!("{params} does not take `{expression}`: {answer}"));
                }
                _ => {}
            }
        }
        counts.push(format!(
            "{params}: {found} reported, {refused} without a lowering, {traced} of {} traced",
            rows.len()
        ));
        assert!(traced * 10 > rows.len() * 9, "{counts:#?}");
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), counts.join("\n"));
}
