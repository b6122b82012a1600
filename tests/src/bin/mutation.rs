//! The mutation score: how many wrong mutants of correct kernels are found, and which are not.
//!
//! ```console
//! $ cargo run --release -p pallas-tests --bin mutation [PROGRAM...]
//! ```
//!
//! tests/goldens/mutants.py makes the mutants and asks JAX.

#![expect(clippy::print_stdout, reason = "a tool that prints")]

use pallas_tests::mutation::{Judge, Score, describe, mutants};
use std::process::ExitCode;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mutants = match mutants() {
        Ok(mutants) => mutants,
        Err(message) => {
            println!("{message}");
            return ExitCode::from(2);
        }
    };
    let (mut judge, mut score) = (Judge::default(), Score::default());
    for mutant in mutants.iter().filter(|mutant| wanted.is_empty() || wanted.contains(&mutant.program)) {
        let outcome = judge.judge(mutant);
        if !outcome.is_as_wanted {
            println!("{}", describe(mutant, &outcome));
        }
        score.count(mutant, &outcome);
    }
    println!("{}", score.summary());
    ExitCode::SUCCESS
}
