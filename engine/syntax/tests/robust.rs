//! Any text parses, in bounded time, without panic; and an edited document is the document of the edited text.

use crate::common::cases::cases;
use crate::common::{module, source};
use pallas_syntax::{Document, Pieces, dump};
use std::time::{Duration, Instant};

/// Marsaglia's xorshift64, so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Generous, since tests share the machine: a parse that hangs or is exponential still fails.
const LIMIT: Duration = Duration::from_secs(10);

fn parse_in_time(text: &str) {
    let start = Instant::now();
    let module = module(text);
    // Every span must lie in the text and on character boundaries.
    for statement in module.body.iter() {
        assert!(text.get(statement.span.range()).is_some(), "{:?} in {text:?}", statement.span);
    }
    for error in &module.errors {
        assert!(text.get(error.span.range()).is_some(), "{error:?} in {text:?}");
    }
    assert!(start.elapsed() < LIMIT, "slow: {text:?}");
}

#[test]
fn every_prefix_of_every_statement_parses() {
    for (_, text) in cases() {
        for item in module(&text).items() {
            let statement = &text[item.span.range()];
            for (end, _) in statement.char_indices() {
                parse_in_time(&statement[..end]);
            }
        }
    }
}

#[test]
fn prefixes_of_whole_files_parse() {
    for (_, text) in cases() {
        for (end, _) in text.char_indices().step_by(101) {
            parse_in_time(&text[..end]);
        }
    }
}

#[test]
fn garbage_parses() {
    const PIECES: &[&str] = &[
        "(", ")", "[", "]", "{", "}", "'", "\"", "\"\"\"", "f'", "f\"{", "\\", "\n", "\n    ", "\t", "def ", "class ",
        "if ", "else", "for ", " in ", "lambda", ":", "=", ":=", "**", "*", ",", ".", "x", "1", "0x", "é", "𝄞",
        "\u{0}", "\r\n", "\r", "#", "@", "!", "$", "match ", "case ", "try:", "except", "\u{feff}", "\u{301}",
        "print ", "async ", "await ", "yield ", "type ", ";", "\\N{", "\u{c}", "import ", "from ", " as ", "return",
        "global ", "with ", "-", "b'", "rb\"",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..1500 {
        let length = random.below(40);
        let text: String = (0..length).map(|_| PIECES[random.below(PIECES.len())]).collect();
        parse_in_time(&text);
    }
}

#[test]
fn deep_nesting_is_refused_and_survived() {
    let deep = [
        "(".repeat(100_000),
        "[".repeat(5_000) + &"]".repeat(5_000),
        "(".repeat(199) + "1" + &")".repeat(199),
        "((".repeat(5_000) + "1" + &"))".repeat(5_000),
        "-".repeat(20_000) + "1",
        "not ".repeat(20_000) + "x",
        "x = ".to_string() + &"a + ".repeat(50_000) + "a",
        "x = ".to_string() + &"a and ".repeat(50_000) + "a",
        "x = ".to_string() + &"a < ".repeat(50_000) + "a",
        "x".to_string() + &".y".repeat(20_000),
        "x".to_string() + &"()".repeat(20_000),
        "x".to_string() + &"[0]".repeat(20_000),
        "lambda: ".repeat(10_000) + "x",
        "x if y else ".repeat(10_000) + "z",
        "2 ** ".repeat(10_000) + "2",
        "a = ".repeat(20_000) + "1",
        "f'{".repeat(1_000) + &"}'".repeat(1_000),
        "if x: pass\n".to_string() + &"elif y: pass\n".repeat(20_000),
        (0..1_000).map(|n| " ".repeat(n) + "if x:\n").collect(),
        "if x: ".repeat(5_000),
        "@a\n".repeat(20_000),
        "match x:\n case ".to_string() + &"[".repeat(1_000) + &"]".repeat(1_000) + ": pass",
        "'a' ".repeat(50_000),
        "x: ".to_string() + &"list[".repeat(2_000) + "int" + &"]".repeat(2_000),
        "x: ".to_string() + &"a[b] | ".repeat(5_000) + "c",
        "f(".repeat(5_000),
        "{1:".repeat(5_000),
        "try:\n".repeat(2_000),
        "\\\n".repeat(10_000),
        "(\n".repeat(3_000),
        "x = (\n".repeat(3_000),
    ];
    for text in deep {
        parse_in_time(&text);
    }
    let nested = |depth: usize| "(".repeat(depth) + "1" + &")".repeat(depth) + "\n";
    assert_eq!(module(&nested(199)).errors, []);
    let errors = module(&nested(201)).errors;
    assert_eq!(errors[0].message, "too many nested parentheses");
}

/// However a text came about, its module is the same.
#[test]
fn edits_give_what_parsing_afresh_gives() {
    const PIECES: &[&str] = &[
        " ",
        "\n",
        "(",
        ")",
        "x",
        "=",
        "'",
        "\"\"\"",
        ":",
        "\n    ",
        "def f():\n",
        "1",
        ",",
        "é",
        "#",
        "[",
        "]",
        "if x:\n    ",
        ".",
        "pass",
        "f'{",
        "}",
        "\t",
        "import a\n",
        "lambda ",
        "return ",
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for (name, text) in cases() {
        let mut document = Document::new(source(&text));
        for step in 0..25 {
            let length = document.source().text.len();
            let start = random.below(length + 1);
            let end = start + random.below(6);
            let piece = PIECES[random.below(PIECES.len())];
            let insert = if random.below(3) == 0 { "" } else { piece };
            document.apply_edit(start..end, insert);
            let edited = dump::module(&document.module());
            let afresh = dump::module(&module(&document.source().text));
            assert_eq!(edited, afresh, "{name}, step {step}");
            if random.below(3) == 0 {
                // Start again from whole code now and then: most edits meet code that parses.
                let length = document.source().text.len();
                document.apply_edit(0..length, &text);
            }
        }
    }
}

/// A file gives the same in pieces as in one.
fn assert_same(pieces: &mut Pieces, text: &str, name: &str) {
    let (cut, whole) = (dump::module(&pieces.parse(&source(text))), dump::module(&module(text)));
    let differs = cut.lines().zip(whole.lines()).find(|(cut, whole)| cut != whole);
    assert!(cut == whole, "{name}: {differs:?} in {text}");
}

#[test]
fn pieces_give_what_the_whole_gives() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut pieces = Pieces::default();
    for (name, text) in cases() {
        if name == "new_syntax" {
            // Quotes inside fields of f-strings: where such a string ends, a broken file around it decides.
            continue;
        }
        assert_same(&mut pieces, &text, &name);
        // Half-typed: a few characters taken out or put in.
        let mut edited = text.clone();
        for _ in 0..20 {
            let ends: Vec<usize> = edited.char_indices().map(|(at, _)| at).collect();
            let Some(&at) = ends.get(random.below(ends.len())) else { break };
            match random.below(4) {
                0 => edited.insert(at, '\n'),
                1 => edited.insert(at, '('),
                2 => edited.insert(at, 'x'),
                _ => drop(edited.remove(at)),
            }
            assert_same(&mut pieces, &edited, &name);
        }
    }
}
