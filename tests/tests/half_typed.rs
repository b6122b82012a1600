//! Half-typed files: every sample cut after every line, and at byte positions all over. `check` never panics, never hangs,
//! and always answers.

use pallas_engine::{Analysis, AnalysisOptions, Disk};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the samples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();
    files
}

/// Analyses a text; its answer must not be that the analyser failed, and must come soon.
fn answer(path: &Path, text: &str, options: &AnalysisOptions) {
    let start = Instant::now();
    let analysis = Analysis::new(&path.display().to_string(), text, options);
    let internal = analysis.findings.iter().find(|f| f.code == "PL009");
    assert!(internal.is_none(), "{} cut to {} bytes: {internal:?}", path.display(), text.len());
    // Not a measurement: the bound is a thousand times what it takes, so that only a hang can reach it.
    assert!(start.elapsed() < Duration::from_secs(60), "{} cut to {} bytes hangs", path.display(), text.len());
}

fn options() -> AnalysisOptions {
    // What the cut files may cost is bounded, so that a loop that was cut short of its end stops soon.
    AnalysisOptions { fuel: 200_000, bytes: 64 << 20, ..AnalysisOptions::new(Arc::new(Disk)) }
}

#[test]
fn samples_cut_after_every_line() {
    let options = options();
    for path in samples() {
        let text = std::fs::read_to_string(&path).expect("a sample");
        for (end, _) in text.match_indices('\n') {
            answer(&path, &text[..end], &options);
        }
    }
}

#[test]
fn samples_cut_anywhere() {
    let options = options();
    let samples = samples();
    // A fixed sequence (xorshift), so that a failure can be repeated.
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..500 {
        let path = &samples[next() as usize % samples.len()];
        let text = std::fs::read_to_string(path).expect("a sample");
        let mut end = next() as usize % text.len();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        answer(path, &text[..end], &options);
    }
}
