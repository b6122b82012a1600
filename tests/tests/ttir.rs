//! Triton IR of the kernels in `tests/ttir`: `NAME.ttir` is what MLIR has verified, and found to be what JAX lowers the same
//! kernels to (`tests/goldens/ttir.py --write`). What has no Triton IR says why, at the op.

use pallas_engine::{Analysis, AnalysisOptions, Disk};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ttir")
}

fn analysed(name: &str) -> Analysis {
    let text = fs::read_to_string(folder().join(name)).expect("the program");
    Analysis::new(name, &text, &AnalysisOptions::new(Arc::new(Disk)))
}

#[test]
fn kernels_have_the_recorded_triton_ir() {
    let mut programs: Vec<PathBuf> =
        fs::read_dir(folder()).expect("tests/ttir").map(|entry| entry.expect("an entry").path()).collect();
    programs.retain(|path| path.extension().is_some_and(|e| e == "ttir"));
    programs.sort();
    assert!(programs.len() >= 7, "programs are missing: {programs:?}");
    let mut wrong = Vec::new();
    for recorded in programs {
        let name = recorded.with_extension("py").file_name().expect("a name").to_string_lossy().to_string();
        let analysis = analysed(&name);
        let modules: Vec<String> = analysis
            .launches
            .iter()
            .map(|launch| match pallas_engine::ttir::lower(launch) {
                Ok(module) => module.to_string(),
                Err(refusal) => format!("refused: {refusal}\n"),
            })
            .collect();
        let expected = fs::read_to_string(&recorded).expect("the recording");
        let text = modules.join("\n");
        if text != expected {
            let line = text.lines().zip(expected.lines()).position(|(a, b)| a != b).unwrap_or(0);
            wrong.push(format!(
                "{name}, line {}:\n  now      {}\n  recorded {}",
                line + 1,
                text.lines().nth(line).unwrap_or("(the end)"),
                expected.lines().nth(line).unwrap_or("(the end)")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n(tests/goldens/ttir.py --write compares with JAX and records)", wrong.join("\n"));
}

#[test]
fn what_triton_has_not_is_refused_at_its_line() {
    let analysis = analysed("refused.py");
    let mut text = String::new();
    for launch in &analysis.launches {
        let refusal = pallas_engine::ttir::lower(launch).expect_err("no Triton IR");
        let location = refusal.location.as_ref().expect("an op is to blame");
        let line = analysis.sources[0].line_column(location.span.start).line;
        text.push_str(&format!("{} line {line}: {refusal}\n", launch.kernel.name));
    }
    insta::assert_snapshot!(text);
}
