//! Examples of each command, which stand below its options in `--help` and in its page of the manual. Tests parse all of them.

use std::fmt::Write as _;

/// A line as it is typed, and what it is for.
pub(crate) type Example = (&'static str, &'static str);

/// The examples of each subcommand; those of the program itself stand beside its empty name.
pub(crate) const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "",
        &[
            (
                "pallas-tui samples/05_templated_matmul.py",
                "Look at the launches of a file; it runs again on every save",
            ),
            ("pallas-tui check samples/", "What is wrong with the kernels of a folder, without running them"),
            ("pallas-tui help profile", "What a command takes, with examples"),
        ],
    ),
    (
        "run",
        &[
            ("pallas-tui run samples/02_blocked_add.py", "Print what `python` with JAX prints"),
            ("pallas-tui run --report samples/05_templated_matmul.py", "Then say what was launched, and draw the grid"),
            (
                "pallas-tui run --strict samples/15_scratch_accumulator.py",
                "Look for races, and for memory nobody has written",
            ),
            (
                "pallas-tui run --device simulator --verify samples/17_attention.py",
                "As a GPU would, compared with interpret mode",
            ),
        ],
    ),
    (
        "check",
        &[
            ("pallas-tui check samples/", "All files of a folder"),
            (
                "pallas-tui check --select PL2 --target tpu-v5e kernels.py",
                "One family of rules, for one machine; `explain` lists the rules",
            ),
            ("pallas-tui check --output-format sarif kernels/ > findings.sarif", "For a service that scans code"),
        ],
    ),
    (
        "test",
        &[
            ("pallas-tui test", "All tests of this folder"),
            ("pallas-tui test -k 'attention and not bf16' -x", "Those whose names fit, until one fails"),
            ("pallas-tui test --strict test_ops.py::TestAdd::test_rows[8]", "One test; a race fails it, too"),
            ("pallas-tui test --watch --lf", "What failed last, again with every save"),
        ],
    ),
    (
        "profile",
        &[
            (
                "pallas-tui profile samples/15_scratch_accumulator.py",
                "Measured here, modelled on the machine it is for",
            ),
            ("pallas-tui profile kernels.py --machine h100 --report md", "For a review"),
            (
                "pallas-tui profile kernels.py --json before.json --trace trace.json",
                "To compare later, and for Perfetto",
            ),
        ],
    ),
    (
        "watch",
        &[
            ("pallas-tui watch kernels.py", "The terminal program"),
            ("pallas-tui watch kernels.py --headless", "A line for each run, with what changed since the last"),
            (
                "pallas-tui watch kernels.py --headless --exec 'notify-send \"$PALLAS_LINE\"'",
                "A command of yours after each run",
            ),
        ],
    ),
    (
        "picture",
        &[
            ("pallas-tui picture samples/05_templated_matmul.py -o overview.svg", "The view that is shown first"),
            (
                "pallas-tui picture kernels.py --view pipeline --size 160x50 --paper light -o pipeline.svg",
                "Another one, larger, on white",
            ),
            ("pallas-tui picture kernels.py --view grid --keys 'l l j' -o grid.svg", "After some keys were pressed"),
        ],
    ),
    (
        "compare",
        &[
            ("pallas-tui compare before.json after.json", "Launch by launch"),
            ("pallas-tui compare before.json after.json --fail-above 5%", "In CI: 1 if a launch takes longer"),
        ],
    ),
    (
        "tune",
        &[
            ("pallas-tui tune kernels.py --param bm=64,128,256", "Three block sizes"),
            (
                "pallas-tui tune kernels.py matmul --param bm=64,128 --param bk=32,64 --write",
                "Of one function; keep the best",
            ),
            ("pallas-tui tune kernels.py --device cuda --warps 4,8 --stages 2,3,4", "On a GPU"),
        ],
    ),
    (
        "lower",
        &[
            ("pallas-tui lower samples/02_blocked_add.py", "The kernel IR with its launch"),
            ("pallas-tui lower samples/13_row_softmax.py --emit ttir", "Triton IR, as JAX lowers it"),
            ("pallas-tui lower kernels.py --emit cuda --kernel softmax_kernel", "CUDA C++ of one kernel"),
        ],
    ),
    (
        "explain",
        &[
            ("pallas-tui explain PL120", "The page of a rule"),
            ("pallas-tui explain \"Cannot store scalars to VMEM\"", "The rules that a message of JAX's is about"),
            ("pallas-tui explain", "All rules, a line each"),
        ],
    ),
    (
        "doctor",
        &[
            ("pallas-tui doctor", "For a bug report"),
            ("pallas-tui doctor --calibrate", "Measure this CPU, for `profile --machine cpu`"),
            ("pallas-tui doctor --machines", "The machines that are modelled, and where their numbers come from"),
        ],
    ),
    (
        "completions",
        &[
            (
                "pallas-tui completions bash > ~/.local/share/bash-completion/completions/pallas-tui",
                "Bash finds it there by itself",
            ),
            ("pallas-tui completions zsh > ~/.zfunc/_pallas-tui", "For Zsh, where `fpath` has ~/.zfunc"),
            ("pallas-tui completions fish > ~/.config/fish/completions/pallas-tui.fish", "For fish"),
        ],
    ),
    (
        "manual",
        &[
            ("pallas-tui manual --into ~/.local/share/man/man1", "Then `man pallas-tui`, `man pallas-tui-run`"),
            ("pallas-tui manual | man -l -", "Read it once"),
        ],
    ),
];

/// The examples of a command, for below its options: what it is for as a comment, the line below that.
pub(crate) fn below_help(examples: &[Example], bold: clap::builder::styling::Style) -> clap::builder::StyledStr {
    let mut text = format!("{bold}Examples:{bold:#}\n");
    for (line, purpose) in examples {
        // A string takes whatever is written to it.
        let _ = writeln!(text, "  # {purpose}\n  {line}\n");
    }
    text.truncate(text.trim_end().len());
    text.into()
}

#[cfg(test)]
mod tests {
    use super::EXAMPLES;
    use std::path::Path;

    /// The words of a line, as a shell takes it apart: quotes, and what goes to a file or another program is left out.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        let (mut word, mut quote) = (String::new(), None);
        for letter in line.chars() {
            match (letter, quote) {
                ('\'' | '"', None) => quote = Some(letter),
                (letter, Some(open)) if letter == open => quote = None,
                (' ', None) => words.push(std::mem::take(&mut word)),
                _ => word.push(letter),
            }
        }
        assert_eq!(quote, None, "a quote is open in {line}");
        words.push(word);
        words.into_iter().take_while(|word| word != ">" && word != "|").collect()
    }

    #[test]
    fn each_command_has_examples_that_parse() {
        let mut command = super::super::command();
        command.build();
        for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
            let name = subcommand.get_name();
            assert!(EXAMPLES.iter().any(|(of, _)| *of == name), "`{name}` has no examples");
        }
        for (name, examples) in EXAMPLES {
            for (line, _) in *examples {
                let words = words(line);
                assert_eq!(words[0], "pallas-tui");
                let parsed = super::super::command().try_get_matches_from(&words);
                // `help` is answered as an error is.
                if name.is_empty() && words[1] == "help" {
                    continue;
                }
                let parsed = parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
                match parsed.subcommand() {
                    Some((taken, of)) => {
                        assert!(taken == *name || name.is_empty(), "{line}");
                        // What is an option of ours has not gone to the program.
                        let passed = of.try_get_many::<String>("arguments").ok().flatten();
                        assert_eq!(passed.into_iter().flatten().count(), 0, "{line}");
                    }
                    None => assert!(name.is_empty(), "{line}"),
                }
            }
        }
    }

    #[test]
    fn samples_in_examples_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let lines = EXAMPLES.iter().flat_map(|(_, examples)| *examples).map(|(line, _)| *line);
        for word in lines.flat_map(words).filter(|word| word.starts_with("samples/")) {
            assert!(root.join(&word).exists(), "{word} is not there");
        }
    }
}
