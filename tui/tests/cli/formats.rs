//! Findings in every format, with and without colour.

use super::{Case, WRONG, shown};

#[test]
fn every_output_format() {
    let case = Case::with("wrong.py", WRONG);
    for format in ["full", "concise", "json", "github", "sarif"] {
        let output = case.run(&["check", "wrong.py", "--output-format", format]);
        assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // Pages of rules are written elsewhere, and the version moves.
        let text = if format == "sarif" { without_rules(&text) } else { text };
        insta::assert_snapshot!(format!("findings_{format}"), text);
    }
}

/// A SARIF log without the texts of its rules.
fn without_rules(text: &str) -> String {
    let mut log: serde_json::Value = serde_json::from_str(text).expect("SARIF is JSON");
    let driver = &mut log["runs"][0]["tool"]["driver"];
    driver["version"] = "VERSION".into();
    for rule in driver["rules"].as_array_mut().expect("rules") {
        assert!(rule["help"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule}");
        rule["help"] = serde_json::Value::Null;
    }
    serde_json::to_string_pretty(&log).expect("it was JSON")
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let case = Case::with("wrong.py", WRONG);
    let plain = case.run(&["check", "wrong.py"]);
    assert!(!plain.stdout.contains(&0x1b), "a pipe gets no colour");
    let colored = case.run(&["check", "wrong.py", "--color", "always"]);
    assert!(colored.stdout.contains(&0x1b));
}

#[test]
fn the_text_report_stands_in_for_the_terminal() {
    let case = Case::with("wrong.py", WRONG);
    insta::assert_snapshot!(shown(&case.run(&["wrong.py"])));
    let asked = case.run(&["--no-tty", "wrong.py"]);
    assert!(asked.stderr.is_empty(), "who asks for it is not told");
}
