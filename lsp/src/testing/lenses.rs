//! What can be done with the tests of a file, as lenses above them and as code actions; and what became of each.

use crate::capabilities::TEST;
use crate::positions::LinePosition;
use crate::state::Snapshot;
use crate::to_proto::range;
use pallas_ide as ide;
use serde_json::json;
use tower_lsp_server::ls_types as lsp;

/// What can be done with a test: `Run test`, `Check test (strict)`.
fn commands(snapshot: &Snapshot, test: &ide::Test) -> [lsp::Command; 2] {
    let line = snapshot.analysed.lines.position(test.name_span.start as usize, snapshot.client.encoding).line;
    let noun = if test.is_class { "tests" } else { "test" };
    [(false, format!("Run {noun}")), (true, format!("Check {noun} (strict)"))].map(|(strict, title)| {
        let argument = json!({"uri": snapshot.uri, "line": line, "test": test.name, "strict": strict});
        lsp::Command { title, command: "pallas.test".to_string(), arguments: Some(vec![argument]) }
    })
}

/// The lenses of the tests: what can be done with each, and what became of it.
pub(crate) fn lenses(snapshot: &Snapshot) -> Vec<lsp::CodeLens> {
    let client = &snapshot.client;
    let mut lenses = Vec::new();
    for test in ide::tests(&snapshot.analysed.analysis) {
        let range = range(&snapshot.analysed.lines, test.span.range(), client.encoding);
        // Editors draw it above the line where it begins, and need no more of it.
        let range = lsp::Range { start: range.start, end: range.start };
        let mut add = |command| lenses.push(lsp::CodeLens { range, command: Some(command), data: None });
        if client.settings.may_run {
            commands(snapshot, &test).into_iter().for_each(&mut add);
        }
        if let Some(title) = snapshot.tested.as_ref().and_then(|tested| tested.summary(&test.name)) {
            let title = title.chars().take(100).collect();
            add(lsp::Command { title, command: String::new(), arguments: Some(vec![json!({"test": test.name})]) });
        }
    }
    lenses
}

/// The name of the test at a place, or of the last one above it.
pub(crate) fn nearest(snapshot: &Snapshot, position: lsp::Position) -> Option<String> {
    let position = LinePosition { line: position.line, column: position.character };
    let offset = snapshot.analysed.lines.offset(position, snapshot.client.encoding) as u32;
    let tests = ide::tests(&snapshot.analysed.analysis);
    let inside = tests.iter().filter(|test| test.span.touches(offset)).max_by_key(|test| test.span.start);
    let above =
        || tests.iter().filter(|test| !test.is_class && test.span.start <= offset).max_by_key(|test| test.span.start);
    inside.or_else(above).map(|test| test.name.clone())
}

/// The same as code actions: for the test at a place, else for the file.
pub(crate) fn actions(snapshot: &Snapshot, offset: u32) -> Vec<lsp::CodeAction> {
    let tests = ide::tests(&snapshot.analysed.analysis);
    let here = tests.iter().filter(|test| test.span.touches(offset)).max_by_key(|test| test.span.start);
    let mut actions = Vec::new();
    let mut add = |title: String, command: lsp::Command| {
        actions.push(lsp::CodeAction {
            command: Some(lsp::Command { title: title.clone(), ..command }),
            title,
            kind: Some(lsp::CodeActionKind::from(TEST)),
            ..lsp::CodeAction::default()
        });
    };
    if let Some(test) = here {
        let titles = [format!("Run `{}`", test.name), format!("Check `{}` (strict)", test.name)];
        for (title, command) in titles.into_iter().zip(commands(snapshot, test)) {
            add(title, command);
        }
    }
    if !tests.is_empty() {
        let arguments = Some(vec![json!({"uri": snapshot.uri, "strict": false})]);
        let command = lsp::Command { title: String::new(), command: "pallas.test".to_string(), arguments };
        add("Run this file's tests".to_string(), command);
    }
    actions
}
