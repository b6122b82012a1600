//! What of scratch memory programs may find as earlier programs have left it: launches as text, in `written/`. A comment in front of a
//! case says, for each scratch Ref, the axis from which on programs run in order, or that none does; and whether anybody may read
//! what nobody has written.

use pallas_ir::text::parse_launch;
use pallas_ir::{Launch, Manner, Written, verify_launch};
use std::path::Path;

/// What is found of a launch: a line for each scratch Ref.
fn found(launch: &Launch) -> Vec<String> {
    let params = launch.kernel.params();
    let scratch = &params[params.len() - launch.scratch.len()..];
    let written = Written::of(&launch.kernel, &launch.grid, scratch.iter().copied());
    let axes: Vec<usize> = (0..launch.grid.len()).collect();
    let line = |&reference: &pallas_ir::ValueId| {
        let name = launch.kernel.value(reference).name.as_deref().unwrap_or("?");
        let carried = match written.carried(reference) {
            None => "nothing is carried".to_string(),
            Some(carried) => {
                let op = launch.kernel.op(carried.op).op.name;
                let how = if carried.manner == Manner::Reads { "reads" } else { "is not followed" };
                format!("in order from axis {} on: `{op}` {how}", carried.axis)
            }
        };
        let defined = if written.is_defined(reference, &axes) { "defined" } else { "perhaps not written" };
        format!("// {name}: {carried}, {defined}")
    };
    scratch.iter().map(line).collect()
}

#[test]
fn what_programs_find_in_scratch_memory_is_known() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written.ir");
    let text = std::fs::read_to_string(file).expect("the cases are part of the repository");
    let mut wrong = Vec::new();
    let cases: Vec<&str> = text.split("\n// ---").skip(1).collect();
    assert!(cases.len() > 20, "cases are missing");
    for case in cases {
        let (title, body) = case.split_once('\n').expect("a title");
        let expected: Vec<&str> = body.lines().filter(|line| line.starts_with("// ")).collect();
        let code: Vec<&str> = body.lines().filter(|line| !line.starts_with("//")).collect();
        let launch = parse_launch(&code.join("\n")).unwrap_or_else(|error| panic!("{title}: {error:?}"));
        assert!(verify_launch(&launch).is_empty(), "{title}: {:?}", verify_launch(&launch));
        let found = found(&launch);
        if found != expected {
            wrong.push(format!("{title}: found\n{}\nexpected\n{}", found.join("\n"), expected.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
