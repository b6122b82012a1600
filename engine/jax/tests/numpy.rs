//! Programs with numpy and with subscripts of JAX arrays: each file of `numpy_cases` runs and must print what real numpy
//! and JAX printed (`.stdout`, recorded by tests/goldens/numpy_cases.py). `CASE=name` runs one of them.

use crate::support::{cases, differences, name_and_text, run};
use pallas_python::Mode;
use std::fs;

#[test]
fn programs_print_what_numpy_and_jax_print() {
    let mut failures = Vec::new();
    for case in cases("numpy_cases") {
        let (name, text) = name_and_text(&case);
        let recorded = fs::read_to_string(case.with_extension("stdout")).expect("every case has a recording");
        failures.extend(differences(&name, &recorded, &run(name.clone(), text, Mode::Run).printed));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn analysis_of_the_programs_ends_quietly() {
    for case in cases("numpy_cases") {
        let (name, text) = name_and_text(&case);
        let ended = run(name.clone(), text, Mode::Analysis);
        let found = &ended.printed;
        let quiet = !found.ends_with("<panicked>") && !found.contains("<aborted");
        assert!(quiet, "{name}: {found}\nraised: {:?}", ended.raised);
    }
}
