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

/// Kinds of cases that a rule has not, with the reason; the table may only get shorter. `once`: there is one way to write it.
/// `made up`: it depends on arguments, which are made up where nobody calls a function.
const MISSING: &[(&str, &str, &str)] = &[
    ("PL000", "symbolic", "the parser says it, whatever is called"),
    ("PL001", "symbolic", "made up"),
    ("PL002", "symbolic", "imports are made when a file is read"),
    ("PL003", "symbolic", "made up: such a function is given up without a word"),
    ("PL003", "spellings", "once"),
    ("PL004", "symbolic", "made up: such a function is given up without a word"),
    ("PL004", "spellings", "once"),
    ("PL005", "symbolic", "names are looked up when a file is read"),
    ("PL006", "symbolic", "comments are no code"),
    ("PL008", "symbolic", "the tree says it, whatever is called"),
    ("PL010", "symbolic", "made up: what is known of arguments"),
    ("PL101", "symbolic", "made up"),
    ("PL102", "symbolic", "made up"),
    ("PL104", "symbolic", "made up: the ranks of arguments"),
    ("PL105", "symbolic", "made up: blocks may be arguments"),
    ("PL111", "symbolic", "made up: shapes and dtypes of arguments"),
    ("PL127", "symbolic", "made up: the lengths of inputs"),
    ("PL130", "symbolic", "made up: who hands operands over may need them elsewhere"),
    ("PL301", "symbolic", "made up: shapes of arguments"),
    ("PL302", "symbolic", "made up: dtypes of arguments"),
    ("PL303", "symbolic", "made up: shapes of arguments"),
    ("PL304", "symbolic", "made up: dtypes of arguments"),
    ("PL306", "symbolic", "made up: an argument may be static"),
    ("PL307", "symbolic", "made up: an argument may be static"),
    ("PL309", "symbolic", "made up: the ranks of arguments"),
    ("PL311", "symbolic", "made up: shapes of arguments"),
    ("PL313", "symbolic", "the tree says it, of kernels that are launched"),
    ("PL314", "symbolic", "the tree says it, whoever calls"),
    ("PL315", "symbolic", "the tree says it, of arrays that were seen"),
    ("PL320", "symbolic", "made up"),
    ("PL321", "symbolic", "made up: shapes of arguments"),
    ("PL340", "symbolic", "made up"),
    ("PL401", "symbolic", "made up"),
    ("PL402", "symbolic", "made up"),
    ("PL403", "symbolic", "made up"),
    ("PL410", "symbolic", "a run finds it"),
    ("PL411", "symbolic", "made up: shapes of what is allocated"),
    ("PL412", "symbolic", "a run finds it"),
    ("PL413", "spellings", "a write, and no commit behind it"),
    ("PL413", "symbolic", "a run finds it"),
    ("PL414", "symbolic", "a run finds it"),
    ("PL415", "symbolic", "a run finds it"),
    ("PL421", "symbolic", "made up"),
    ("PL422", "symbolic", "made up"),
    ("PL423", "symbolic", "devices are known where something is called"),
    ("PL424", "symbolic", "devices are known where something is called"),
    ("PL425", "symbolic", "devices are known where something is called"),
    ("PL502", "symbolic", "made up: the lengths of inputs"),
];

/// How often a rule is marked in the cases: where something is called, and where nobody calls.
fn marked(rule: &str) -> (usize, usize) {
    let mark = format!("^ {rule} ");
    let (mut called, mut uncalled) = (0, 0);
    for entry in std::fs::read_dir(root().join("findings")).expect("the cases") {
        let path = entry.expect("a case").path();
        let is_case = path.extension().is_some_and(|ending| ending == "py");
        if !is_case {
            continue;
        }
        let count = std::fs::read_to_string(&path).expect("a case").matches(&mark).count();
        match path.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("uncalled")) {
            true => uncalled += count,
            false => called += count,
        }
    }
    (called, uncalled)
}

#[test]
fn rules_have_cases_of_all_kinds() {
    let rows = rows();
    let rules: BTreeSet<String> = rows.iter().map(|row| row.rule.clone()).collect();
    let mut wrong = Vec::new();
    for rule in &rules {
        let (called, uncalled) = marked(rule);
        let has_look_alike =
            rows.iter().any(|row| row.rule == *rule && row.look_alikes.iter().any(|name| !name.is_empty()));
        for (kind, is_there) in [("spellings", called >= 2), ("near miss", has_look_alike), ("symbolic", uncalled >= 1)]
        {
            let is_excused = MISSING.iter().any(|(code, missing, _)| code == rule && *missing == kind);
            match (is_there, is_excused) {
                (false, false) => wrong.push(format!("{rule} has no case of this kind: {kind}")),
                (true, true) => {
                    wrong.push(format!("{rule} has cases of this kind now, the table says it has not: {kind}"))
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let stale = MISSING
        .iter()
        .find(|(code, kind, _)| !rules.contains(*code) || !["spellings", "near miss", "symbolic"].contains(kind));
    assert_eq!(stale, None);
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
