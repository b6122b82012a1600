//! The catalogue against itself and against the sources: every code that is used has its page, and every page its
//! sections.

use pallas_check::rules::ALL;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SECTIONS: [&str; 4] = ["## What it does", "## Why is this bad?", "## Example", "## Use instead"];

#[test]
fn rules_are_in_order_and_well_named() {
    assert!(ALL.windows(2).all(|pair| pair[0].code < pair[1].code));
    for rule in ALL {
        let digits = rule.code.strip_prefix("PL").unwrap_or_default();
        assert!(digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()), "{}", rule.code);
        let is_plain = |b: u8| b.is_ascii_lowercase() || b == b'-';
        assert!(rule.name.bytes().all(is_plain), "{}", rule.name);
        assert!(
            !rule.summary.is_empty() && !rule.summary.ends_with('.') && !rule.summary.contains('\n'),
            "{}",
            rule.code
        );
        let rules = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        let name = rule.name.replace('-', "_");
        let is_there = [format!("{name}.rs"), format!("{name}/mod.rs")].iter().any(|file| rules.join(file).is_file());
        assert!(is_there, "{} is in no file or folder of its name", rule.code);
    }
    let mut names: Vec<&str> = ALL.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ALL.len());
}

#[test]
fn every_page_has_its_sections_with_text_and_code() {
    for rule in ALL {
        let mut rest = rule.doc;
        for section in SECTIONS {
            let at = rest.find(section);
            let at = at.unwrap_or_else(|| panic!("{}: no `{section}`", rule.code));
            rest = &rest[at + section.len()..];
            let text = rest.split("\n## ").next().unwrap_or_default().trim();
            assert!(text.len() > 20, "{}: `{section}` says nothing", rule.code);
        }
        assert_eq!(rule.doc.matches("```").count() % 2, 0, "{}: a code block is open", rule.code);
        let too_long = rule.doc.lines().find(|line| line.contains("TODO"));
        assert_eq!(too_long, None, "{}", rule.code);
    }
}

/// Codes of rules in the sources of the engine: `"PL120"`.
fn codes_in(folder: &Path, found: &mut BTreeMap<String, PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            // Tests may speak of codes that do not exist.
            if name != "tests" && name != "target" {
                codes_in(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for (at, _) in text.match_indices("\"PL") {
                let code: String = text[at + 1..].chars().take(6).collect();
                let is_code = code.len() == 6 && code[2..5].bytes().all(|b| b.is_ascii_digit()) && code.ends_with('"');
                if is_code {
                    found.insert(code[..5].to_string(), path.clone());
                }
            }
        }
    }
}

#[test]
fn every_code_in_the_sources_has_its_page() {
    let engine = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    codes_in(&engine, &mut found);
    assert!(found.len() > 30, "the sources are not where they were");
    for (code, path) in found {
        assert!(pallas_check::find(&code).is_some(), "{code} in {} has no page", path.display());
    }
}
