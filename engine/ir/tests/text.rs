//! The text form: cases in `cases/`, and texts that are cut or damaged.
//!
//! A case without marks is well formed and in the form in which it prints. `// problem:` lines are what the verifier
//! says of it, `// error:` is what the reader says.

use pallas_ir::text::{ParseError, parse_function, parse_launch};
use pallas_ir::{Problem, verify_function, verify_launch};
use std::path::PathBuf;

struct Case {
    name: String,
    text: String,
}

impl Case {
    fn marks(&self, mark: &str) -> Vec<&str> {
        let lines = self.text.lines();
        lines.filter_map(|line| line.strip_prefix(mark)).collect()
    }

    /// The text without the marks.
    fn body(&self) -> String {
        let lines = self.text.lines().filter(|line| !line.starts_with("// "));
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .expect("the cases are part of the repository")
        .map(|entry| {
            let path = entry.expect("readable").path();
            Case {
                name: path.file_name().expect("a file").to_string_lossy().into(),
                text: std::fs::read_to_string(&path).expect("readable"),
            }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() > 15, "cases are missing");
    cases
}

/// Reads a function or launch, prints it, and verifies it.
fn read(text: &str) -> Result<(String, Vec<Problem>), ParseError> {
    if text.contains("launch grid") && !text.contains("func ") {
        let launch = parse_launch(text)?;
        Ok((launch.to_string(), verify_launch(&launch)))
    } else {
        let function = parse_function(text)?;
        Ok((function.to_string(), verify_function(&function)))
    }
}

/// What is wrong with a case, if anything.
fn check(case: &Case) -> Result<(), String> {
    let equal = |found: &str, expected: &str| match found == expected {
        true => Ok(()),
        false => Err(format!("found\n{found}\nexpected\n{expected}")),
    };
    let result = read(&case.text);
    if let [error] = case.marks("// error: ").as_slice() {
        return match result {
            Ok(_) => Err("reads".to_owned()),
            Err(found) => equal(&found.to_string(), error),
        };
    }
    let (printed, problems) = result.map_err(|error| error.to_string())?;
    let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
    equal(&problems.join("\n"), &case.marks("// problem: ").join("\n"))?;
    if problems.is_empty() {
        equal(&printed, &case.body())?;
    }
    let (again, _) = read(&printed).map_err(|error| format!("{error}\n{printed}"))?;
    equal(&again, &printed)
}

#[test]
fn cases_read_print_and_verify_as_they_say() {
    let failures: Vec<String> =
        cases().iter().filter_map(|case| Some(format!("{}: {}", case.name, check(case).err()?))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn cut_texts_are_errors_not_panics() {
    for case in cases() {
        let body = case.body();
        for end in (0..body.len()).filter(|&end| body.is_char_boundary(end)) {
            if let Ok((printed, _)) = read(&body[..end]) {
                // Only blanks can be missing from a text that still reads.
                assert_eq!(printed, read(&body).map(|(text, _)| text).unwrap_or_default());
            }
        }
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let marks = ["%", "(", ")", "[", "]", "{", "}", ",", ":", "=", "-1", "0", "\"", "yield ", "ref<"];
    for case in cases() {
        let body: Vec<char> = case.body().chars().collect();
        for _ in 0..400 {
            let mut damaged = body.clone();
            let at = random(damaged.len());
            let length = random(12).min(damaged.len() - at);
            let with: Vec<char> = match random(3) {
                0 => Vec::new(),
                1 => marks[random(marks.len())].chars().collect(),
                _ => {
                    let from = random(body.len());
                    body[from..(from + random(20)).min(body.len())].to_vec()
                }
            };
            damaged.splice(at..at + length, with);
            let damaged: String = damaged.into_iter().collect();
            if let Ok((printed, _)) = read(&damaged) {
                // What reads, prints as something that reads to the same.
                let again = read(&printed).unwrap_or_else(|e| panic!("{e}\n{damaged}\n---\n{printed}"));
                assert_eq!(again.0, printed, "{damaged}");
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let mut text = String::from("func @f(%x: bool[]) {");
    for _ in 0..100_000 {
        text.push_str("cond %x {");
    }
    assert!(parse_function(&text).is_err());
    let brackets = "[".repeat(100_000);
    assert!(parse_function(&format!("func @f() {{ %0 = constant dense<{brackets}")).is_err());
}
