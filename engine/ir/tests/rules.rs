//! Type rules against JAX's abstract evaluation: `rules.txt`, written by tests/goldens/type_rules.py.

use pallas_ir::text::parse_function;
use pallas_ir::{Problem, verify_function};

#[test]
fn rules_say_what_jax_says() {
    let rules = include_str!("rules.txt");
    let mut failures = Vec::new();
    let mut count = 0;
    for block in rules.trim_end().split("\n---\n") {
        count += 1;
        let function = parse_function(block).unwrap_or_else(|e| panic!("{e}\n{block}"));
        let found: Vec<String> = verify_function(&function).iter().map(Problem::to_string).collect();
        let expected: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("// problem: ")).collect();
        if found != expected {
            failures.push(format!("{block}\nfound {found:#?}"));
        }
    }
    assert!(count > 300, "rules are missing");
    assert!(failures.is_empty(), "{} of {count}\n{}", failures.len(), failures.join("\n\n"));
}
