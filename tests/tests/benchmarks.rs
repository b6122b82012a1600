//! The programs of `benches/compare` compute what they say, at small sizes: a benchmark of something wrong is worth
//! nothing. How long they take is not looked at here.

use pallas_engine::{Cancel, Disk, Environment, Run, RunOptions, Schedule};
use pallas_tests::Recorder;
use std::path::Path;
use std::sync::Arc;

#[test]
fn every_benchmark_gives_what_plain_jnp_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/compare");
    let mut programs: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "py") && !path.ends_with("harness.py"))
        .collect();
    programs.sort();
    assert!(programs.len() > 10);
    let mut wrong = Vec::new();
    for program in programs {
        let text = std::fs::read_to_string(&program).expect("a program");
        let recorder = Recorder::default();
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments: vec!["check".to_string(), "small".to_string()],
            import_paths: vec![folder.display().to_string()],
            environment: Environment::default(),
            schedule: Schedule::default(),
            strict: false,
            target: None,
            acceleration: None,
            console: Box::new(recorder.clone()),
            cancel: Cancel::new(),
        };
        let run = Run::new(&program.display().to_string(), &text, options);
        if recorder.written().0 != "equal\n" {
            wrong.push(format!("{}\n{}", program.display(), run.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
