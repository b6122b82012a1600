//! Damaged launches run to an end or to an error, never to a panic, whether the verifier likes them or not.

use crate::support::Random;
use pallas_interpret::{Hooks, run_function, run_launch};
use pallas_ir::text::{parse_function, parse_launch};
use std::path::PathBuf;

/// Stops after a number of programs and turns of loops.
struct Patience(usize);

impl Hooks for Patience {
    fn cancelled(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

#[test]
fn damaged_launches_do_not_panic() {
    let mut random = Random::new();
    let words = [
        "%",
        "[",
        "]",
        ",",
        ":",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "9",
        "squeezed",
        "element(2, 1, 1)",
        "i32",
        "f32",
        "add",
        "mul",
        "padded=true",
        "alias 0 -> 0",
        "input",
        "prefetch",
    ];
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut ran = 0;
    for entry in std::fs::read_dir(folder).expect("the cases are part of the repository") {
        let path = entry.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let parts: Vec<&str> = text.split("\n---\n").collect();
        let inputs = parse_function(parts[0]).expect("a case is well written");
        let inputs = run_function(&inputs, Vec::new(), &mut Patience(10)).expect("constants");
        let launch: Vec<char> = parts[2].chars().collect();
        for _ in 0..200 {
            let places = 1 + random.below(2);
            let Some(damaged) = random.damaged(&launch, &words, places) else { continue };
            if let Ok(launch) = parse_launch(&damaged) {
                ran += usize::from(run_launch(&launch, inputs.clone(), &mut Patience(200)).is_ok());
            }
        }
    }
    assert!(ran > 100, "only {ran} damaged launches ran");
}
