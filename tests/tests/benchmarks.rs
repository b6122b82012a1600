//! The programs of `benches/compare` compute what they say, at small sizes: a benchmark of something wrong is worth
//! nothing. `benches/operations.py` times every operation that it lists. How long they take is not looked at here.

use pallas_engine::{Run, RunOptions};
use pallas_tests::{Recorder, run_options};
use std::path::Path;

/// What a program prints, and what it has to say of errors.
fn printed(program: &Path, arguments: &[&str]) -> (String, String) {
    let text = std::fs::read_to_string(program).expect("a program");
    let recorder = Recorder::default();
    let options = RunOptions {
        arguments: arguments.iter().map(|argument| argument.to_string()).collect(),
        import_paths: program.parent().into_iter().map(|folder| folder.display().to_string()).collect(),
        ..run_options(recorder.clone())
    };
    let run = Run::new(&program.display().to_string(), &text, options);
    (recorder.written().0, run.stderr)
}

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
        let (stdout, stderr) = printed(&program, &["check", "small"]);
        if stdout != "equal\n" {
            wrong.push(format!("{}\n{stderr}", program.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_operation_of_the_list_is_timed() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/operations.py");
    let (stdout, stderr) = printed(&program, &["small"]);
    assert_eq!(stderr, "");
    let listed = std::fs::read_to_string(&program).expect("a program").matches("\": lambda a: ").count();
    let timed = stdout.lines().filter(|line| line.rsplit(' ').next().is_some_and(|time| time.parse::<f64>().is_ok()));
    assert_eq!(timed.count(), listed, "{stdout}");
}
