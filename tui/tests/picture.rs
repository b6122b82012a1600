//! `picture`, through the built binary.

use std::path::PathBuf;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../samples");
    Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .arg("picture")
        .args(arguments)
        .current_dir(samples)
        .env_remove("VIRTUAL_ENV")
        .output()
        .expect("the binary starts")
}

fn drawn(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn views_are_pictures_of_the_size_that_was_asked_for() {
    let mut pictures = Vec::new();
    for view in ["overview", "Grid", "blocks", "source", "findings"] {
        let svg = drawn(&["05_templated_matmul.py", "--no-run", "--view", view, "--size", "100x30"]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{view}");
        assert!(svg.contains("width=\"920\" height=\"560\""), "{view}");
        assert!(svg.contains("matmul_kernel"), "{view}");
        assert!(!pictures.contains(&svg), "{view} looks like another view");
        pictures.push(svg);
    }
}

#[test]
fn keys_are_pressed() {
    let file = ["02_blocked_add.py", "--no-run", "--view", "grid", "--size", "100x30"];
    let plain = drawn(&file);
    assert_eq!(plain, drawn(&file), "the same file gives the same picture");
    assert_ne!(plain, drawn(&[&file[..], &["--keys", "G"]].concat()));
    assert_ne!(plain, drawn(&[&file[..], &["--paper", "light"]].concat()));
    let help = drawn(&[&file[..], &["--keys", "l ?"]].concat());
    assert!(help.contains("move one program"), "the help screen is open");
}

#[test]
fn values_are_waited_for() {
    let svg = drawn(&["02_blocked_add.py", "--view", "values", "--size", "100x30"]);
    assert!(svg.contains("not finite") && !svg.contains("taking values"));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let cases: &[(&[&str], &str)] = &[
        (&["missing.py"], "missing.py: no such file"),
        (&["01_add.py", "--view", "cellar"], "no view is called `cellar`; there are: overview, grid, "),
        (&["01_add.py", "--keys", "ll"], "`ll` is no key"),
        (&["01_add.py", "--size", "12"], "120x40"),
        (&["01_add.py", "--size", "0x4"], "from 1 to 1000"),
        (&["01_add.py", "--machine", "abacus"], "no machine is called"),
        (&["01_add.py", "--no-run", "-o", "/no/such/folder/x.svg"], "/no/such/folder/x.svg: "),
    ];
    for (arguments, said) in cases {
        let output = run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(said), "{arguments:?}: {errors}");
    }
}
