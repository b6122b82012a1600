//! The mutation score: nearly all mutants that JAX computes something else with are found, and no mutant that JAX computes
//! the same with is reported. `cargo run -p pallas-tests --bin mutation` prints the same table.

use pallas_tests::mutation::{Judge, Score, Verdict, describe, mutants};
use std::collections::HashSet;

/// Of the wrong ones, in percent.
const LEAST: f64 = 95.0;

#[test]
fn wrong_mutants_are_found_and_right_ones_left_alone() {
    let mutants = mutants().unwrap_or_else(|message| panic!("{message}"));
    let wrong = mutants.iter().filter(|mutant| mutant.verdict == Verdict::Wrong).count();
    let right = mutants.iter().filter(|mutant| mutant.verdict == Verdict::Right).count();
    let operators: HashSet<&str> = mutants.iter().map(|mutant| mutant.operator.as_str()).collect();
    let is_complete = wrong >= 200 && right >= 100 && operators.len() >= 25;
    assert!(is_complete, "mutants are missing: {wrong} wrong, {right} right, {operators:?}");
    let (mut judge, mut score) = (Judge::default(), Score::default());
    let mut table = String::new();
    // Rules that say what may be meant: mutants have to show that it mostly is not. That they say nothing of right ones is said
    // of all rules below.
    let mut meant = ["PL126", "PL127", "PL128", "PL129", "PL130"].map(|code| (code, 0));
    for mutant in &mutants {
        let outcome = judge.judge(mutant);
        if !outcome.is_as_wanted {
            table.push_str(&describe(mutant, &outcome));
            table.push('\n');
        }
        score.count(mutant, &outcome);
        for (code, found) in &mut meant {
            let is_said = outcome.findings.iter().any(|finding| finding.starts_with(*code));
            *found += usize::from(is_said && mutant.verdict == Verdict::Wrong);
        }
    }
    let summary = score.summary();
    assert_eq!((score.alarms, score.accepted), (0, 0), "{summary}\n{table}");
    assert!(meant.iter().all(|(_, found)| *found > 0), "{meant:?}");
    assert!(score.percent() >= LEAST, "{summary}\n{table}");
}
