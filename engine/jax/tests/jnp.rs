//! Programs with `jax.numpy`: each file of `jnp_cases` runs and must print what real JAX printed (`.stdout`, recorded by
//! tests/goldens/jnp.py). `CASE=name` runs one of them.

use crate::support::{cases, differences, name_and_text, run};
use pallas_python::Mode;
use std::fs;

#[test]
fn programs_print_what_jax_prints() {
    let mut failures = Vec::new();
    for case in cases("jnp_cases") {
        let (name, text) = name_and_text(&case);
        let recorded = fs::read_to_string(case.with_extension("stdout")).expect("every case has a recording");
        failures.extend(differences(&name, &recorded, &run(name.clone(), text, Mode::Run).printed));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The programs catch what they raise, so analysis has nothing to report either.
#[test]
fn analysis_of_the_programs_finds_nothing() {
    for case in cases("jnp_cases") {
        let (name, text) = name_and_text(&case);
        let ended = run(name.clone(), text, Mode::Analysis);
        assert!(!ended.printed.ends_with("<panicked>") && !ended.printed.contains("<aborted"), "{name}");
        assert!(ended.raised.is_empty(), "{name}: {:?}", ended.raised);
    }
}
