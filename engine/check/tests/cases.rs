//! Launches in text form (`cases/*.ir`) with the findings that they must have, and no others. A case begins with one
//! comment line per finding: `//= PL120 found: message | evidence | help`. `//@ 3, 0, 7` says what the next fetched scalars
//! are, `//@ 3..8` between what they lie.

use pallas_check::{check_with, find};
use pallas_ir::text::parse_launch;
use pallas_ir::{Interval, Known, Launch, Scalars, verify_launch};
use pallas_tensor::Array;
use std::path::PathBuf;

fn cases() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the cases are part of the repository")
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_stem().expect("a file").to_string_lossy();
            let text = std::fs::read_to_string(&path).expect("readable");
            (name.into_owned(), text)
        })
        .collect();
    cases.sort();
    cases
}

/// What a case says of its scalars.
fn scalars(text: &str, launch: &Launch) -> Scalars {
    let number = |text: &str| text.trim().parse::<i32>().expect("a number");
    let lines = text.lines().filter_map(|line| line.strip_prefix("//@ "));
    let known = lines.zip(launch.with_known_elements()).map(|(line, (_, operand))| match line.split_once("..") {
        Some((low, high)) => Some(Known::Bounds(Interval::range(number(low).into(), i64::from(number(high)) - 1))),
        None => {
            let numbers: Vec<i32> = line.split(',').map(number).collect();
            Some(Known::Exact(Array::from_i32s(operand.array.shape.clone(), &numbers).expect("as many as there are")))
        }
    });
    Scalars(known.collect())
}

fn found(text: &str) -> Result<Vec<String>, String> {
    let launch = parse_launch(text).map_err(|e| e.to_string())?;
    if let Some(problem) = verify_launch(&launch).first() {
        return Err(problem.to_string());
    }
    Ok(check_with(&launch, &scalars(text, &launch))
        .iter()
        .map(|finding| {
            [
                format!("{} {}: {}", finding.code, finding.certainty.name(), finding.message),
                finding.evidence.clone().unwrap_or_default(),
                finding.help.clone().unwrap_or_default(),
            ]
            .join(" | ")
        })
        .collect())
}

#[test]
fn launches_have_the_findings_that_they_say() {
    let mut failures = Vec::new();
    let cases = cases();
    for (name, text) in &cases {
        let expected: Vec<String> =
            text.lines().filter_map(|line| line.strip_prefix("//= ")).map(str::to_string).collect();
        match found(text) {
            Ok(found) if found == expected => {}
            Ok(found) => failures.push(format!("{name}:\n{}", found.join("\n"))),
            Err(message) => failures.push(format!("{name}: {message}")),
        }
    }
    assert!(cases.len() > 30, "cases are missing");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Rules about launches that the IR's text cannot say, as the verifier refuses them: their cases are in `tests/findings`.
const NOT_IN_TEXT: [&str; 1] = ["PL131"];

#[test]
fn every_rule_with_a_check_is_found_in_a_case() {
    let cases = cases();
    let checked = |code: &str| !NOT_IN_TEXT.contains(&code);
    for rule in pallas_check::rules::ALL.iter().filter(|rule| rule.check.is_some() && checked(rule.code)) {
        let line = format!("//= {} ", rule.code);
        assert!(cases.iter().any(|(_, text)| text.contains(&line)), "no case for {}", rule.code);
        assert!(find(rule.name).is_some_and(|found| found.code == rule.code));
    }
}
