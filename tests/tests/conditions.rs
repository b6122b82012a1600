//! The tables of docs/conditions.md against the cases and the catalogue: a case marks its rule, a look-alike does not, no rule
//! is missing. And cases as they are typed: cut at the ends of lines and in the middle of them, they have an answer.

use pallas_engine::{Analysis, AnalysisOptions, Disk};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A row: the rule, the cases that mark it, and those that do not.
struct Row {
    rule: String,
    cases: Vec<String>,
    look_alikes: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("../docs/conditions.md")).expect("the tables");
    let cells =
        |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let names = |cell: &str| cell.split(", ").map(|name| name.trim_matches('`').to_string()).collect();
    text.lines()
        .filter(|line| line.starts_with("| ") && line.contains("| PL"))
        .map(|line| match cells(line).as_slice() {
            [_, rule, cases, look_alikes] => {
                Row { rule: rule.clone(), cases: names(cases), look_alikes: names(look_alikes) }
            }
            _ => panic!("not a row: {line}"),
        })
        .collect()
}

fn case(name: &str) -> String {
    let path = root().join("findings").join(format!("{name}.py"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn tables_say_what_the_cases_say() {
    let rows = rows();
    assert!(rows.len() > 50, "rows are missing");
    for row in &rows {
        let mark = format!("^ {} ", row.rule);
        for name in &row.cases {
            assert!(case(name).contains(&mark), "{name} does not mark {}", row.rule);
        }
        for name in &row.look_alikes {
            assert!(!case(name).contains(&mark), "{name} marks {}", row.rule);
        }
    }
}

/// About settings files, and about the analyser itself.
const ELSEWHERE: [&str; 2] = ["PL007", "PL009"];

#[test]
fn no_rule_is_missing() {
    let listed: BTreeSet<String> = rows().into_iter().map(|row| row.rule).collect();
    let rules: BTreeSet<String> = pallas_engine::check::rules::ALL
        .iter()
        .map(|rule| rule.code.to_string())
        .filter(|code| !ELSEWHERE.contains(&code.as_str()))
        .collect();
    assert_eq!(listed, rules);
}

#[test]
fn cases_have_an_answer_while_they_are_typed() {
    let options = AnalysisOptions { fuel: 200_000, bytes: 64 << 20, ..AnalysisOptions::new(Arc::new(Disk)) };
    let names: BTreeSet<String> = rows().into_iter().flat_map(|row| row.cases).collect();
    for name in names {
        let text = case(&name);
        // The last lines hold the launch: they are cut at every 41st character, the others are whole.
        let begin = text.rmatch_indices('\n').nth(8).map_or(0, |(at, _)| at);
        for end in (begin..text.len()).step_by(41).filter(|&end| text.is_char_boundary(end)) {
            let analysis = Analysis::new("typed.py", &text[..end], &options);
            let failed = analysis.findings.iter().find(|finding| finding.code == "PL009");
            assert!(failed.is_none(), "{name} cut to {end} bytes: {failed:?}");
        }
    }
}
