//! The command line, through the built binary: what is printed, where, and with which exit code.

mod checked;
mod device;
mod notebooks;
mod shell;
mod strict;
mod tests;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A program with one launch whose blocks leave the array: the grid has a program too many.
const WRONG: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


def add(x):
  return pl.pallas_call(
      add_kernel,
      grid=(5,),
      in_specs=[pl.BlockSpec((2,), lambda i: (i,))],
      out_specs=pl.BlockSpec((2,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
  )(x)


add(jnp.arange(8))
";

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        Case { folder: tempfile::tempdir().expect("a folder") }
    }

    fn with(name: &str, text: impl AsRef<[u8]>) -> Case {
        let case = Case::new();
        fs::write(case.folder.path().join(name), text).expect("written");
        case
    }

    /// Runs the binary in the case's folder, with nothing of this terminal's environment.
    fn run(&self, arguments: &[&str]) -> Output {
        run_in(self.folder.path(), arguments)
    }
}

fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("FORCE_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .env_remove("PYTHONPATH")
        .env_remove("VIRTUAL_ENV")
        .output()
        .expect("the binary starts")
}

/// Exit code, stdout and stderr in one text.
fn shown(output: &Output) -> String {
    format!(
        "exit {:?}\n--- stdout\n{}--- stderr\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn what_was_not_checked_is_said_beside_findings_for_programs() {
    let text = format!("{WRONG}\n\ndef other(path):\n  x = jnp.load(path)\n  return add(x.unheard())\n");
    let case = Case::with("wrong.py", text);
    let says = |text: &[u8]| {
        String::from_utf8_lossy(text).contains("Not checked: wrong.py:23: nobody calls `other` here, and")
    };
    for (format, full) in [("full", true), ("concise", false), ("json", false), ("github", false), ("sarif", false)] {
        let output = case.run(&["check", "wrong.py", "--output-format", format]);
        assert_eq!((says(&output.stdout), says(&output.stderr)), (full, !full), "{format}: {}", shown(&output));
    }
}

#[test]
fn help_names_a_python_where_one_is_used() {
    for (command, expected) in
        [("check", true), ("explain", false), ("compare", false), ("completions", false), ("manual", false)]
    {
        let help = Case::new().run(&[command, "--help"]);
        assert_eq!(String::from_utf8_lossy(&help.stdout).contains("--python"), expected, "{}", shown(&help));
    }
    assert!(Case::new().run(&["explain", "PL120", "--python", "nowhere"]).status.success());
}

#[test]
fn a_null_byte_is_named() {
    let case = Case::with("null.py", "x = 1\0\n");
    let output = case.run(&["check", "null.py"]);
    let expected = "error[PL000]: source code cannot contain null bytes\n --> null.py:1:6";
    assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{}", shown(&output));
}

#[test]
fn help() {
    insta::assert_snapshot!(shown(&Case::new().run(&["--help"])));
}

#[test]
fn nothing_to_do_is_a_usage_error_with_help() {
    let output = Case::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: pallas-tui"));
}

#[test]
fn doctor_says_where_the_numbers_of_machines_come_from() {
    let output = Case::new().run(&["doctor", "--machines"]);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout));
}

#[test]
fn doctor_says_what_there_is() {
    let output = Case::new().run(&["doctor"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for word in
        ["version", "system", "terminal    not a terminal", "Python      not needed", "CUDA driver", "NVRTC", "ptxas"]
    {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
}

#[test]
fn explain_lists_rules_and_shows_pages() {
    let list = Case::new().run(&["explain"]);
    assert_eq!(list.status.code(), Some(0));
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let first = list.lines().next().expect("there are rules");
    let code = first.split_whitespace().next().expect("a code");
    let page = Case::new().run(&["explain", &code.to_lowercase()]);
    assert_eq!(page.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&page.stdout).starts_with(&format!("# {code} ")));
    let unknown = Case::new().run(&["explain", "PL999"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no rule is called `PL999`"));
    let family = Case::new().run(&["explain", "pl2"]);
    let family = String::from_utf8_lossy(&family.stdout).into_owned();
    assert!(family.lines().count() > 3 && family.lines().all(|line| line.starts_with("PL2")), "{family}");
    let almost = Case::new().run(&["explain", "block-out-of-bound"]);
    assert_eq!(almost.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&almost.stderr).contains("did you mean `block-out-of-bounds`?"));
}

/// A program with a package of its own, and an environment with packages: Python ones, a compiled one, one that fails, one
/// that takes too long, and a copy of JAX with modules that are written in Python.
fn with_environment() -> Case {
    let packages = "env/lib/python3.11/site-packages";
    let case = Case::new();
    let write = |path: String, text: &str| {
        let path = case.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("env/pyvenv.cfg".to_string(), "home = /nowhere/bin\n");
    write("env/bin/python".to_string(), "");
    write(format!("{packages}/tiles/__init__.py"), "from .sizes import SIZE\nfrom . import sizes\n");
    write(format!("{packages}/tiles/sizes.py"), "SIZE = 128\n");
    write(format!("{packages}/compiled.cpython-311-x86_64-linux-gnu.so"), "");
    write(format!("{packages}/failing.py"), "import not_there\nx = not_there.y + undefined\nGOOD = 3\n");
    write(format!("{packages}/endless.py"), "early = 1\nwhile True:\n    pass\nlate = 2\n");
    write(format!("{packages}/torch/__init__.py"), "raise SystemError('torch is not evaluated')\n");
    write(format!("{packages}/jax/__init__.py"), "raise SystemError('this JAX is not evaluated')\n");
    write(format!("{packages}/jax/experimental/pallas/ops/own.py"), "from ..ops import helper\nvalue = helper.value\n");
    write(format!("{packages}/jax/experimental/pallas/ops/__init__.py"), "");
    write(format!("{packages}/jax/experimental/pallas/ops/helper.py"), "value = 7\n");
    write(format!("{packages}/own.pth"), &format!("{}\n", case.folder.path().join("editable").display()));
    write("editable/edited/__init__.py".to_string(), "where = 'an editable install'\n");
    write("project/kernels/__init__.py".to_string(), "");
    write("project/kernels/shapes.py".to_string(), "ROWS = 8\n");
    write("project/kernels/main.py".to_string(), "from .shapes import ROWS\nassert ROWS == 8\nimport kernels.main\n");
    write("app/__main__.py".to_string(), "import part\nprint(part.name, __name__)\n");
    write("app/part.py".to_string(), "name = 'part of a folder'\n");
    write(
        "good.py".to_string(),
        "import tiles, edited\nfrom jax.experimental.pallas.ops import own\nfrom tiles.sizes import SIZE\n\
         print(tiles.SIZE, SIZE, own.value, edited.where, tiles.sizes.__file__[-8:])\n",
    );
    write(
        "odd.py".to_string(),
        "import compiled\nimport failing\nimport endless\nimport torch\nfrom nowhere import *\n\
         print(compiled.x + failing.x + endless.late + torch.y + star)\nassert failing.GOOD == 3 and endless.early == 1\n",
    );
    case
}

#[test]
fn a_run_imports_from_the_environment() {
    let case = with_environment();
    let expected = "128 128 7 an editable install sizes.py\n";
    for python in ["env", "env/bin/python"] {
        let output = case.run(&["run", "--python", python, "good.py"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", shown(&output));
    }
    // Without an environment: Python's own words, and what to do.
    let output = case.run(&["run", "good.py"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.ends_with("ModuleNotFoundError: No module named 'tiles'\n"), "{stderr}");
    assert!(stderr.contains("no Python environment was given") && stderr.contains("--python PATH"), "{stderr}");
    // The environment around a file is found by itself.
    fs::rename(case.folder.path().join("env"), case.folder.path().join(".venv")).expect("renamed");
    assert_eq!(String::from_utf8_lossy(&case.run(&["run", "good.py"]).stdout), expected);
    let output = case.run(&["run", "--python", "nothing", "good.py"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("nothing: neither a Python interpreter nor the folder of an environment"), "{stderr}");
}

#[test]
fn a_folder_runs_by_its_main_module() {
    let output = with_environment().run(&["run", "app"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "part of a folder __main__\n", "{}", shown(&output));
}

#[test]
fn modules_that_cannot_be_evaluated_are_unknown_to_checks() {
    let case = with_environment();
    let output = case.run(&["check", "--python", "env", "--output-format", "concise", "odd.py"]);
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = found.lines().filter(|line| line.starts_with("odd.py")).collect();
    let expected = [("odd.py:1:", "compiled"), ("odd.py:4:", "`torch` is not evaluated"), ("odd.py:5:", "'nowhere'")];
    assert_eq!(lines.len(), expected.len(), "{found}");
    for (line, (place, what)) in lines.iter().zip(expected) {
        assert!(line.starts_with(place) && line.contains("PL002") && line.contains(what), "{line}");
    }
    // What is wrong inside of installed packages is not the program's concern.
    assert!(!found.contains("failing.py") && !found.contains("endless.py"), "{found}");
}

#[test]
fn a_module_of_a_package_is_checked_where_it_stands() {
    let case = with_environment();
    for (folder, path) in [("", "project/kernels/main.py"), ("project/kernels", "main.py")] {
        let output = run_in(&case.folder.path().join(folder), &["check", path]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    }
}

#[test]
fn a_module_that_its_own_package_imports() {
    let case = Case::new();
    let write = |name: &str, text: &str| {
        let path = case.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("products/__init__.py", "from products.public import product\nfrom products.kernel import size as SIZE\n");
    write("products/public.py", "from products import kernel as backend\nproduct = backend.product\n");
    write("products/common.py", "STEP = 2\n");
    let kernel = "from products import common\ndef product(x):\n    return x * common.STEP\nsize = product(4)\n";
    write("products/kernel.py", kernel);
    let output = case.run(&["check", "products/kernel.py", "products/public.py", "products/__init__.py"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(!shown(&output).contains("warning"), "{}", shown(&output));
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Case::new();
    fs::create_dir(folder.folder.path().join("empty")).expect("made");
    fs::write(folder.folder.path().join("latin.py"), b"x = 1\ny = '\xe9'\n").expect("written");
    let mut text = String::new();
    for arguments in [
        &["check", "missing.py"][..],
        &["check", "empty"],
        &["check", "latin.py"],
        &["run", "missing.py"],
        &["run", "empty"],
        &["run", "latin.py"],
        &["lower", "missing.py"],
        &["missing.py"],
        &["empty"],
        &["--no-tty", "latin.py"],
    ] {
        text.push_str(&format!("$ pallas-tui {}\n{}\n", arguments.join(" "), shown(&folder.run(arguments))));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_empty_file_has_no_problems() {
    let case = Case::with("empty.py", "");
    assert_eq!(
        shown(&case.run(&["check", "empty.py"])),
        "exit Some(0)\n--- stdout\nNo problems: no kernel launches found in 1 file.\n--- stderr\n"
    );
    assert_eq!(shown(&case.run(&["run", "empty.py"])), "exit Some(0)\n--- stdout\n--- stderr\n");
}

/// Two threads of a block; with a barrier, or both at once.
fn two_threads(ordered: bool) -> String {
    let (arrive, wait) = match ordered {
        true => ("plgpu.barrier_arrive(barrier)", "plgpu.barrier_wait(barrier)"),
        false => ("pass", "pass"),
    };
    format!(
        "import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

def kernel(o_ref, barrier):
  @pl.when(lax.axis_index('wg') == 0)
  def _():
    o_ref[...] = jnp.full((8,), 1.0)
    {arrive}

  @pl.when(lax.axis_index('wg') == 1)
  def _():
    {wait}
    o_ref[...] = jnp.full((8,), 2.0)

out = jax.ShapeDtypeStruct((8,), jnp.float32)
launch = plgpu.kernel(kernel, out_type=out, scratch_types=[plgpu.Barrier()], num_threads=2, thread_name='wg')
print(launch()[0])
"
    )
}

#[test]
fn schedules_are_explored_and_replayed() {
    let case = Case::with("racy.py", two_threads(false));
    let explored = case.run(&["run", "--explore", "20", "racy.py"]);
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(1), &b"2.0\n"[..]), "{}", shown(&explored));
    let said = String::from_utf8_lossy(&explored.stderr).into_owned();
    assert!(said.contains("gives `o_ref` of `kernel` (launch 1) other values: 8 of 8 elements"), "{said}");
    let seed = said.split("--schedule ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a way to replay it");
    let replayed = case.run(&["run", "--schedule", seed, "racy.py"]);
    assert_eq!(&*replayed.stdout, b"1.0\n", "{}", shown(&replayed));

    let case = Case::with("ordered.py", two_threads(true));
    let explored = case.run(&["run", "--explore", "20", "ordered.py"]);
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(0), &b"2.0\n"[..]), "{}", shown(&explored));
    assert!(String::from_utf8_lossy(&explored.stderr).contains("20 schedules gave the same results"));
    let wrong = case.run(&["run", "--schedule", "first", "ordered.py"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("not of the form seed=7, nor `late`"), "{}", shown(&wrong));
    let case = Case::with("plain.py", "print(1)\n");
    let explored = case.run(&["run", "--explore", "2", "plain.py"]);
    assert!(String::from_utf8_lossy(&explored.stderr).contains("every schedule is the same"));
}

#[test]
fn copies_are_done_early_and_late_when_schedules_are_explored() {
    let kernel = |wait: &str, late: &str| {
        format!(
            "import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

def kernel(x_hbm, o_ref, tile, sem):
  tile[...] = jnp.zeros_like(tile)
  copy = pltpu.make_async_copy(x_hbm, tile, sem)
  copy.start()
  {wait}
  o_ref[...] = tile[...]
  {late}

out = pl.pallas_call(
    kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA], interpret=pltpu.InterpretParams(),
)(jnp.ones((8, 128), jnp.float32))
print(out[0, 0])
"
        )
    };
    let case = Case::with("early.py", kernel("pass", "copy.wait()"));
    let explored = case.run(&["run", "--quiet", "--explore", "20", "early.py"]);
    // As JAX, which copies when somebody waits.
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(1), &b"0.0\n"[..]), "{}", shown(&explored));
    let said = String::from_utf8_lossy(&explored.stderr).into_owned();
    assert!(said.contains("gives `o_ref` of `kernel` (launch 1) other values: 1024 of 1024 elements"), "{said}");
    let seed = said.split("--schedule ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a way to replay it");
    let replayed = case.run(&["run", "--quiet", "--schedule", seed, "early.py"]);
    assert_eq!(&*replayed.stdout, b"1.0\n", "{}", shown(&replayed));

    let case = Case::with("awaited.py", kernel("copy.wait()", "pass"));
    let explored = case.run(&["run", "--quiet", "--explore", "20", "awaited.py"]);
    assert_eq!((explored.status.code(), &*explored.stdout), (Some(0), &b"1.0\n"[..]), "{}", shown(&explored));
    let none = case.run(&["run", "--quiet", "--explore", "20", "--explore-seconds", "0", "awaited.py"]);
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(said.contains("no schedule came to its end, of 20: the 0 seconds are over"), "{said}");
}

#[test]
fn every_output_format() {
    let case = Case::with("wrong.py", WRONG);
    for format in ["full", "concise", "json", "github", "sarif"] {
        let output = case.run(&["check", "wrong.py", "--output-format", format]);
        assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // Pages of rules are written elsewhere, and the version moves.
        let text = if format == "sarif" { without_rules(&text) } else { text };
        insta::assert_snapshot!(format!("findings_{format}"), text);
    }
}

/// A SARIF log without the texts of its rules.
fn without_rules(text: &str) -> String {
    let mut log: serde_json::Value = serde_json::from_str(text).expect("SARIF is JSON");
    let driver = &mut log["runs"][0]["tool"]["driver"];
    driver["version"] = "VERSION".into();
    for rule in driver["rules"].as_array_mut().expect("rules") {
        assert!(rule["help"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule}");
        rule["help"] = serde_json::Value::Null;
    }
    serde_json::to_string_pretty(&log).expect("it was JSON")
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let case = Case::with("wrong.py", WRONG);
    let plain = case.run(&["check", "wrong.py"]);
    assert!(!plain.stdout.contains(&0x1b), "a pipe gets no colour");
    let colored = case.run(&["check", "wrong.py", "--color", "always"]);
    assert!(colored.stdout.contains(&0x1b));
}

#[test]
fn the_text_report_stands_in_for_the_terminal() {
    let case = Case::with("wrong.py", WRONG);
    insta::assert_snapshot!(shown(&case.run(&["wrong.py"])));
    let asked = case.run(&["--no-tty", "wrong.py"]);
    assert!(asked.stderr.is_empty(), "who asks for it is not told");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let case = Case::with("wrong.py", WRONG);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["--no-tty", "wrong.py"])
        .current_dir(case.folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn settings_files_say_what_is_reported() {
    let case = Case::with("wrong.py", WRONG);
    let write = |name: &str, text: &str| fs::write(case.folder.path().join(name), text).expect("written");
    let check = |arguments: &[&str]| {
        let output = case.run(&[&["check", "--output-format", "concise"], arguments, &["wrong.py"]].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(check(&[]).0, Some(1));
    write("pyproject.toml", "[tool.pallas]\nignore = ['PL120']\n");
    assert_eq!(check(&[]), (Some(0), String::new()));
    assert_eq!(check(&["--isolated"]).0, Some(1));
    assert_eq!(
        check(&["--select", "PL2,PL120", "--ignore", "PL2"]).0,
        Some(1),
        "the command line goes before the file"
    );
    write("pallas.toml", "target = 'v5e'\nseverity = { block-out-of-bounds = 'info' }\n");
    let (code, output) = check(&[]);
    assert_eq!(code, Some(1), "the file itself is wrong: {output}");
    assert!(output.contains("pallas.toml:1:10") && output.contains("PL007") && output.contains("tpu-v5e"), "{output}");
    assert!(output.contains("wrong.py:") && output.contains("info"), "{output}");
    let (code, output) = check(&["--target", "v5e"]);
    assert_eq!((code, output.as_str()), (Some(2), ""));
}

#[test]
fn a_mistyped_command_is_not_taken_for_a_file() {
    for arguments in [&["chekc", "add.py"][..], &["chekc"]] {
        let output = Case::with("add.py", WRONG).run(arguments);
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert_eq!(words, "pallas-tui: there is no command or file `chekc`; did you mean `pallas-tui check`?\n");
    }
}

#[test]
fn a_program_can_be_told_how_many_cores_its_gpu_has() {
    let case = Case::with("a.py", "import jax\nprint(jax.devices()[0].core_count)\n");
    for (target, cores) in [("hopper", "132\n"), ("blackwell", "148\n")] {
        let told = case.run(&["run", "--target", target, "a.py"]);
        assert_eq!(String::from_utf8_lossy(&told.stdout), cores);
    }
    let alone = case.run(&["run", "a.py"]);
    assert!(String::from_utf8_lossy(&alone.stderr).contains("no attribute 'core_count'"));
}

#[test]
fn a_program_can_be_told_which_tpu_it_runs_on() {
    let text = "\
import jax
from jax._src import test_util as jtu
from jax.experimental.pallas import tpu as pltpu
print(jax.default_backend(), jax.devices()[0].platform, jtu.is_device_tpu_at_least(6), jtu.is_device_tpu(6, 'e'))
print(pltpu.get_tpu_info().num_lanes)
";
    let case = Case::with("a.py", text);
    let told = case.run(&["run", "--target", "tpu-v6e", "a.py"]);
    assert_eq!(String::from_utf8_lossy(&told.stdout), "tpu tpu True True\n128\n");
    let alone = case.run(&["run", "a.py"]);
    assert_eq!(String::from_utf8_lossy(&alone.stdout), "cpu cpu False False\n");
    assert!(String::from_utf8_lossy(&alone.stderr).contains("Unsupported TPU device kind: cpu"));
}

#[test]
fn a_hook_of_the_program_is_called_with_what_nobody_has_caught() {
    let run = |body: &str| {
        let text = format!("import sys\ndef hook(kind, error, trace):\n  {body}\nsys.excepthook = hook\n1 / 0\n");
        Case::with("program.py", text).run(&["run", "program.py"])
    };
    let called = shown(&run("print('hook:', kind.__name__, error, trace.tb_lineno, hook is sys.__excepthook__)"));
    assert_eq!(called, "exit Some(1)\n--- stdout\nhook: ZeroDivisionError division by zero 5 False\n--- stderr\n");
    let failed = shown(&run("raise ValueError('in the hook')"));
    let expected = "\
exit Some(1)
--- stdout
--- stderr
Error in sys.excepthook:
Traceback (most recent call last):
  File \"program.py\", line 3, in hook
    raise ValueError('in the hook')
ValueError: in the hook

Original exception was:
Traceback (most recent call last):
  File \"program.py\", line 5, in <module>
    1 / 0
    ~~^~~
ZeroDivisionError: division by zero
";
    assert_eq!(failed, expected);
    // The interpreter's own may be called by it.
    let own = shown(&run("sys.__excepthook__(kind, error, trace)"));
    assert!(own.contains("ZeroDivisionError: division by zero") && own.contains("line 5, in <module>"), "{own}");
}

#[cfg(unix)]
#[test]
fn a_program_ends_when_nobody_reads_what_it_prints() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let case = Case::with("endless.py", "while True:\n  print('x' * 100)\n");
    let mut program = Command::new(env!("CARGO_BIN_EXE_pallas-tui"));
    program.args(["run", "endless.py"]).current_dir(case.folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = program.spawn().expect("the binary starts");
    let mut line = String::new();
    BufReader::new(program.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert_eq!(line.trim_end().len(), 100);
    // The reader is gone: the program would go on for ever otherwise.
    let output = program.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let case = Case::with("k.py", "print(1)\n");
    for arguments in [&["explain"][..], &["check", "k.py"], &["run", "k.py"], &["doctor"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut program = Command::new(env!("CARGO_BIN_EXE_pallas-tui"));
        let output = program.args(arguments).current_dir(case.folder.path()).stdout(full).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?}");
        assert_eq!(said.matches("standard output cannot be written: ").count(), 1, "{arguments:?}: {said}");
    }
}
