//! What generated code says of the axes of the grid that run in order, of the order of blocks, and of products that take a slower way:
//! the cases of `tests/simt/order.md`, which is written to be read.

use pallas_engine::generated::{Form, generated};
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::corpus::root;
use std::sync::Arc;

/// A kernel with its launch, and what is to be said of it.
struct Case {
    title: String,
    program: String,
    said: String,
}

/// The fenced blocks of a document: the line that each stands below a heading with, its kind, and its text.
fn blocks(document: &str) -> Vec<(String, String, String)> {
    let mut blocks: Vec<(String, String, String)> = Vec::new();
    let (mut title, mut inside) = (String::new(), false);
    for line in document.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(kind), false) => {
                blocks.push((title.clone(), kind.to_string(), String::new()));
                inside = true;
            }
            (Some(_), true) => inside = false,
            (None, true) => {
                let (.., text) = blocks.last_mut().expect("a block was begun");
                text.push_str(line);
                text.push('\n');
            }
            (None, false) => {
                if let Some(heading) = line.strip_prefix("## ") {
                    title = heading.to_string();
                }
            }
        }
    }
    blocks
}

fn cases(document: &str) -> Vec<Case> {
    let blocks = blocks(document);
    let [(_, _, prelude), rest @ ..] = &blocks[..] else { panic!("the document has no prelude") };
    let case = |pair: &[(String, String, String)]| {
        let [(title, program, text), (_, answer, said)] = pair else { panic!("a kernel without an answer") };
        assert_eq!((program.as_str(), answer.as_str()), ("python", "text"), "{title}");
        Case { title: title.clone(), program: format!("{prelude}\n{text}"), said: said.clone() }
    };
    rest.chunks(2).map(case).collect()
}

#[test]
fn each_axis_that_runs_in_order_says_why() {
    let document = std::fs::read_to_string(root().join("tests/simt/order.md")).expect("the document");
    let cases = cases(&document);
    assert!(cases.len() >= 10, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let analysis = Analysis::new("order.py", &case.program, &AnalysisOptions::new(Arc::new(Disk)));
        let [launch] = &analysis.launches[..] else {
            wrong.push(format!("{}: {} launches, {:?}", case.title, analysis.launches.len(), analysis.findings));
            continue;
        };
        for form in [Form::Simt, Form::Cuda] {
            let text = generated(&analysis, launch, form).unwrap_or_else(|error| panic!("{}: {error:?}", case.title));
            let told =
                text.lines().map_while(|line| line.strip_prefix("// ").filter(|line| !line.starts_with("Printed")));
            let said: String = told.fold(String::new(), |said, line| said + line + "\n");
            if said != case.said {
                wrong.push(format!("{}: {}:\n{said}should be\n{}", case.title, form.name(), case.said));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
