//! Which Mosaic GPU kernels are lowered, against JAX: the calls of tests/lowering/gpu_answers.tsv (which
//! tests/goldens/gpu_lowering.py wrote by exporting them). What is refused is reported, and nothing else is.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Severity};
use std::path::Path;
use std::sync::Arc;

/// What rules about copies, layouts, products and memory say.
const CODES: [&str; 4] = ["PL502", "PL506", "PL507", "PL508"];

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("lowering").join(name);
    std::fs::read_to_string(path).expect("a file of the tests")
}

#[test]
fn what_mosaic_gpu_refuses_is_reported_and_nothing_else() {
    let (kernels, answers) = (text("gpu_kernels.py"), text("gpu_answers.tsv"));
    let calls: Vec<String> = answers.lines().filter_map(|row| row.split('\t').next()).map(str::to_string).collect();
    assert_eq!(text("gpu_calls.txt").lines().collect::<Vec<_>>(), calls, "the answers are not to these calls");
    let mut program = kernels;
    let mut lines = Vec::new();
    for call in &calls {
        lines.push(program.matches('\n').count() as u32 + 1);
        program.push_str(&format!("jax.eval_shape(*{call})\n"));
    }
    let options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    let analysis = Analysis::new("gpu_kernels.py", &program, &options);
    let line = |span| analysis.source.line_of(span);
    let mut wrong = Vec::new();
    let mut refused = 0;
    for (row, &at) in answers.lines().zip(&lines) {
        let (call, answer) = row.split_once('\t').expect("a call and its answer");
        // What a launch has is found again, since findings of several launches may stand in one place.
        let launch = analysis.launches.iter().find(|launch| line(launch.spans.apply.start) == at);
        let found = launch.map(|launch| pallas_engine::check::check(launch));
        let traced = analysis.findings.iter().filter(|finding| {
            let places = finding.labels.iter().map(|label| label.span.start).chain([finding.span.start]);
            launch.is_none() && places.into_iter().any(|place| line(place) == at)
        });
        let errors = found.iter().flatten().chain(traced).filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<String> = errors.map(|finding| format!("{} {}", finding.code, finding.message)).collect();
        let is_ours = |error: &String| CODES.iter().any(|code| error.starts_with(code));
        refused += usize::from(answer != "ok");
        if launch.is_none() && errors.is_empty() || errors.iter().any(is_ours) != (answer != "ok") {
            wrong.push(format!("{call}: JAX says {answer}; found {errors:?}"));
        }
    }
    assert!(calls.len() > 80 && refused > 40, "calls are missing: {refused} of {}", calls.len());
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
