//! An analysis that remembers earlier ones says what a fresh one says, whatever was edited in between.

use pallas_engine::{Analysis, AnalysisOptions, Disk, Evaluator, Memory, Overlay, Span};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

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

/// All that an analysis says, with places in the file.
fn said(analysis: &Analysis) -> String {
    let mut text = String::new();
    let place = |span: Span| {
        let span = analysis.place(span);
        format!("{}:{}..{}", span.file.0, span.start, span.end)
    };
    for finding in &analysis.findings {
        let labels: Vec<String> =
            finding.labels.iter().map(|label| format!("{} {}", place(label.span), label.text)).collect();
        let fix = finding.fix.as_ref().map(|fix| {
            let edit = |edit: &pallas_engine::Edit| format!("{} {}", place(edit.span), edit.replacement);
            fix.edits.iter().map(edit).collect::<Vec<_>>()
        });
        let _ = writeln!(
            text,
            "{} {:?} {} {} {labels:?} {:?} {:?} {fix:?}",
            finding.code,
            finding.certainty,
            place(finding.span),
            finding.message,
            finding.evidence,
            finding.help
        );
    }
    for launch in &analysis.launches {
        let _ = writeln!(text, "{} {}", place(launch.spans.call), pallas_engine::ir::text::print_launch(launch));
        let operands = launch.operands.iter().filter_map(|operand| operand.spans.spec);
        let _ = writeln!(text, "{:?}", operands.map(place).collect::<Vec<_>>());
    }
    for assumed in &analysis.assumed {
        let at = place(assumed.definition);
        let _ = writeln!(text, "{at} {}({}) {:?}", assumed.function, assumed.arguments, assumed.problem);
    }
    let mut facts: Vec<String> =
        analysis.facts.iter().map(|(span, fact)| format!("{} {fact:?}", place(span))).collect();
    facts.sort();
    text + &facts.join("\n")
}

fn options() -> AnalysisOptions {
    AnalysisOptions::new(Arc::new(Disk))
}

/// Analyses versions of a file one after the other, and each afresh.
fn assert_remembers(path: &str, versions: impl IntoIterator<Item = String>) {
    let remembering =
        AnalysisOptions { memory: Some(Memory::default()), evaluator: Some(Evaluator::new()), ..options() };
    for text in versions {
        let (now, fresh) = (Analysis::new(path, &text, &remembering), Analysis::new(path, &text, &options()));
        let (now, fresh) = (said(&now), said(&fresh));
        let differs = now.lines().zip(fresh.lines()).find(|(now, fresh)| now != fresh);
        assert!(now == fresh, "{path}: {differs:?}\nof {text}");
    }
}

/// Versions of a text that somebody types into.
fn typed(text: &str, random: &mut Random, count: usize) -> Vec<String> {
    const TYPED: &[&str] =
        &["x", "1", "\n", " ", "(", ")", "0", "+ 1", "# note\n", "    ", "def f(): pass\n", ",", "é"];
    let mut versions = vec![text.to_string()];
    let mut now = text.to_string();
    for _ in 0..count {
        let at: Vec<usize> = now.char_indices().map(|(at, _)| at).collect();
        let Some(&at) = at.get(random.below(at.len())) else { break };
        match random.below(3) {
            0 => drop(now.remove(at)),
            _ => now.insert_str(at, TYPED[random.below(TYPED.len())]),
        }
        versions.push(now.clone());
        // Most mistakes are taken back at once.
        if random.below(3) > 0 {
            now.clone_from(&versions[versions.len() - 2]);
            versions.push(now.clone());
        }
    }
    versions
}

const FILE: &str = r#"import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 128
SETTINGS = {"scale": 2.0}


def helper(x):
    return x * SETTINGS["scale"]


def kernel(x_ref, o_ref):
    o_ref[...] = helper(x_ref[...])


def scaled(x):
    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(x.shape[0], BLOCK),),
        in_specs=[pl.BlockSpec((BLOCK,), lambda i: (i,))],
        out_specs=pl.BlockSpec((BLOCK,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x)


def twice_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


def twice(x: jax.Array):
    return pl.pallas_call(twice_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32))(x)
"#;

#[test]
fn every_edit_of_a_step_says_what_a_fresh_analysis_says() {
    let steps = [
        ("o_ref[...] = helper", "o_ref[0] = helper"),
        ("BLOCK = 128", "BLOCK = 64"),
        ("\"scale\": 2.0", "\"scale\": jnp.zeros((4,))"),
        ("def twice_kernel", "# A word before.\n\n\ndef twice_kernel"),
        ("BLOCK = 64", "BLOCK = 64\nSETTINGS[\"scale\"] = 3"),
        ("def scaled(x):", "def scaled(x, y):"),
        ("import jax.numpy as jnp\n", ""),
        ("lambda i: (i,))]", "lambda i: (i + 1,))]"),
        ("def twice(x: jax.Array):", "def twice(x: jax.Array"),
        ("def twice(x: jax.Array", "def twice(x: jax.Array):"),
        ("def scaled(x, y):", "scaled = 1\n\n\ndef scaled(x, y):"),
    ];
    let mut text = FILE.to_string();
    let mut versions = vec![text.clone()];
    for (old, new) in steps {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
        versions.push(text.clone());
    }
    let back: Vec<String> = versions.iter().rev().cloned().collect();
    assert_remembers("/t.py", versions.into_iter().chain(back));
}

#[test]
fn what_is_typed_into_a_file_says_what_a_fresh_analysis_says() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    assert_remembers("/t.py", typed(FILE, &mut random, 120));
}

/// The module makes its launches itself: through jitted functions and without, from what others made, again and again.
const LAUNCHED: &str = r#"import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 128
SEEN = []


def kernel(x_ref, o_ref, *, scale):
    i = pl.program_id(0)
    o_ref[...] = x_ref[...] * scale + i


@functools.partial(jax.jit, static_argnames=("scale",))
def scaled(x, scale=2):
    return pl.pallas_call(
        functools.partial(kernel, scale=scale),
        grid=(pl.cdiv(x.shape[0], BLOCK),),
        in_specs=[pl.BlockSpec((BLOCK,), lambda i: (i,))],
        out_specs=pl.BlockSpec((BLOCK,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x)


def twice_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + x_ref[...]


def twice(x):
    return pl.pallas_call(twice_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def noted(x):
    SEEN.append(x.shape)
    return twice(x)


x = jnp.ones((512,))
y = scaled(x)
z = twice(y)
first, second = scaled(z), scaled(z, scale=3)
w = noted(z)
if len(SEEN) > 1:
    LARGE = 64
again = scaled(x)
short = twice(x[:len(SEEN)])
pl.pallas_call(lambda x_ref, o_ref: twice_kernel(x_ref, o_ref), out_shape=x)(z)
twice(scaled(jnp.ones((256,), jnp.int32)))
"#;

#[test]
fn launches_of_the_module_say_what_a_fresh_analysis_says() {
    let steps = [
        ("* scale", "* scale * 2"),
        ("BLOCK = 128", "BLOCK = 256"),
        ("x_ref[...] + x_ref[...]", "x_ref[...] + x_ref[0]"),
        ("y = scaled(x)", "# A word before.\n\n\ny = scaled(x)"),
        ("w = noted(z)", "w = noted(z)\nv = noted(z)"),
        ("SEEN = []", "SEEN = [1, 2]"),
        ("lambda i: (i,))],", "lambda i: (i + 1,))],"),
        ("z = twice(y)", "z = twice(undefined)"),
        ("z = twice(undefined)", "z = twice(y"),
        ("z = twice(y", "z = twice(y)"),
        ("import functools\n", "import functools\njax = None\n"),
        ("jax = None\n", ""),
        ("x = jnp.ones((512,))", "x = jnp.ones((512,), jnp.bfloat16)"),
        ("def twice(x):", "def twice(x, *, more=[]):\n    more.append(1)"),
        ("BLOCK = 256", "BLOCK = 256\njax.config.update('jax_enable_x64', True)"),
    ];
    let mut text = LAUNCHED.to_string();
    let mut versions = vec![text.clone()];
    for (old, new) in steps {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
        versions.push(text.clone());
    }
    let back: Vec<String> = versions.iter().rev().cloned().collect();
    assert_remembers("/t.py", versions.into_iter().chain(back));
    let mut random = Random(0xd1b5_4a32_d192_ed03);
    assert_remembers("/t.py", typed(LAUNCHED, &mut random, 120));
}

#[test]
fn settings_that_a_function_changes_are_seen() {
    let text = r#"import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def setup():
    jax.config.update("jax_enable_x64", True)

def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + jnp.sum(jnp.arange(4)).astype(x_ref.dtype)

def launch(n):
    x = jnp.arange(n)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

setup()
y = launch(8)
"#;
    let off = text.replace("True", "False");
    assert_remembers("/t.py", [text.to_string(), off.clone(), text.to_string(), off]);
}

#[test]
fn an_edit_of_one_kernel_leaves_the_launches_of_others() {
    let remembering =
        AnalysisOptions { memory: Some(Memory::default()), evaluator: Some(Evaluator::new()), ..options() };
    let before = Analysis::new("/t.py", LAUNCHED, &remembering);
    let edited = format!("# A word before.\n{}", LAUNCHED.replace("x_ref[...] + x_ref", "x_ref[...] * x_ref"));
    let after = Analysis::new("/t.py", &edited, &remembering);
    let same: Vec<bool> =
        after.launches.iter().map(|now| before.launches.iter().any(|then| Arc::ptr_eq(then, now))).collect();
    assert!(same[0], "`y = scaled(x)` has nothing to do with the kernel that was edited: {same:?}");
    assert!(!same[1], "`z = twice(y)` has");
    assert_eq!(after.launches.len(), before.launches.len());
    let place = |analysis: &Analysis| analysis.place(analysis.launches[0].spans.call).start;
    assert_eq!(place(&after), place(&before) + "# A word before.\n".len() as u32);
}

#[test]
fn what_is_typed_into_samples_says_what_a_fresh_analysis_says() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let mut paths: Vec<_> =
        std::fs::read_dir(samples).expect("there").map(|entry| entry.expect("there").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    assert!(paths.len() > 10, "the samples were not found");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        assert_remembers(&path.to_string_lossy(), typed(&text, &mut random, 4));
    }
}

#[test]
fn what_has_nothing_to_do_with_jax_is_not_analysed_until_it_has() {
    let remembering =
        AnalysisOptions { memory: Some(Memory::default()), evaluator: Some(Evaluator::new()), ..options() };
    let parsed = |text: &str| {
        let analysis = Analysis::new("/t.py", text, &remembering);
        (!analysis.module.body.is_empty(), analysis.speaks_of_jax())
    };
    assert_eq!(parsed("import os\nx = 1\n"), (true, false));
    assert_eq!(parsed("import os\nx = 12\n"), (false, false));
    assert_eq!(parsed("import os, sys\nx = 12\n"), (true, false));
    assert_eq!(parsed("import os, jax\nx = 12\n"), (true, true));
    assert_eq!(parsed("import os, sys\nx = 12\n"), (true, false));
}

#[test]
fn an_edit_of_one_function_leaves_what_is_known_of_another() {
    let remembering =
        AnalysisOptions { memory: Some(Memory::default()), evaluator: Some(Evaluator::new()), ..options() };
    let before = Analysis::new("/t.py", FILE, &remembering);
    let edited = format!("# A word before.\n{}", FILE.replace("x_ref[...] + x_ref", "x_ref[...] * x_ref"));
    let after = Analysis::new("/t.py", &edited, &remembering);
    let same: Vec<bool> =
        before.launches.iter().zip(&after.launches).map(|(before, after)| Arc::ptr_eq(before, after)).collect();
    assert_eq!(same, [true, false]);
    let call = |analysis: &Analysis| analysis.place(analysis.launches[0].spans.call).start;
    assert_eq!(call(&after), call(&before) + "# A word before.\n".len() as u32);
}

#[test]
fn imports_are_found_however_often_a_program_is_analysed() {
    let helper: HashMap<String, Arc<str>> =
        HashMap::from([("/work/helper.py".to_string(), "import jax\n\ndef f(x):\n  return x\n".into())]);
    let files = Arc::new(Overlay::new(helper, Arc::new(Disk)));
    // The next interpreter has `sys` before it has a program.
    let evaluator = Some(Evaluator::new());
    for round in 0..3 {
        let options = AnalysisOptions { evaluator: evaluator.clone(), ..AnalysisOptions::new(files.clone()) };
        let text = format!("import sys\nimport jax\nfrom helper import f\n\nassert sys.path\nf({round})\n");
        let analysis = Analysis::new("/work/main.py", &text, &options);
        assert!(analysis.findings.is_empty(), "{round}: {:?}", analysis.findings);
    }
}

#[test]
fn messages_say_no_addresses() {
    let text = "def itself():\n  pass\n\nraise ValueError(itself)\n";
    let analysis = Analysis::new("/work/main.py", text, &options());
    let message = &analysis.findings.first().expect("a finding").message;
    assert!(message.contains("<function itself>") && !message.contains("0x"), "{message}");
}
