//! `profile` and `compare`, through the built binary.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A matmul with its sum in scratch, and an addition that is launched twice.
const KERNELS: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def matmul_kernel(x_ref, y_ref, o_ref, acc_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)

  acc_ref[...] += x_ref[...] @ y_ref[...]

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o_ref[...] = acc_ref[...]


def matmul(x, y):
  return pl.pallas_call(
      matmul_kernel,
      grid=(2, 2, 2),
      in_specs=[
          pl.BlockSpec((128, 128), lambda i, j, k: (i, k)),
          pl.BlockSpec((128, 128), lambda i, j, k: (k, j)),
      ],
      out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((256, 256), x.dtype),
      scratch_shapes=[pltpu.VMEM((128, 128), jnp.float32)],
      interpret=True,
  )(x, y)


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


def add(x):
  block = pl.BlockSpec((8, 128), lambda i: (i, 0))
  return pl.pallas_call(
      add_kernel, grid=(4,), in_specs=[block], out_specs=block, out_shape=x, interpret=True
  )(x)


z = matmul(jnp.ones((256, 256)), jnp.ones((256, 256)))
a = add(add(jnp.zeros((32, 128))))
print(z[0, 0], a[0, 0])
";

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("kernels.py"), KERNELS).expect("written");
        Case { folder }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("COLUMNS")
            .env_remove("PYTHONPATH")
            .env_remove("VIRTUAL_ENV")
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .output()
            .expect("the binary starts")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("written");
    }

    fn json(&self, name: &str) -> serde_json::Value {
        let text = fs::read_to_string(self.folder.path().join(name)).expect("it was written");
        serde_json::from_str(&text).expect("it is JSON")
    }
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
fn help_of_profile_and_compare() {
    let case = Case::new();
    let texts = [&["profile", "--help"], &["compare", "--help"]].map(|arguments| shown(&case.run(arguments)));
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn the_report_as_text_and_as_markdown() {
    let case = Case::new();
    insta::assert_snapshot!("profile_text", shown(&case.run(&["profile", "--timing", "off", "kernels.py"])));
    let markdown = case.run(&["profile", "--no-run", "--machine", "h100", "--report", "md", "kernels.py"]);
    insta::assert_snapshot!("profile_markdown", shown(&markdown));
}

#[test]
fn what_is_measured_stands_beside_what_is_modelled() {
    let case = Case::new();
    let output = case.run(&["profile", "kernels.py", "--json", "report.json", "--trace", "trace.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "the report went elsewhere");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "256.0 2.0\n",
        "what the program prints goes to standard error"
    );
    let report = case.json("report.json");
    let launches = report["launches"].as_array().expect("launches");
    assert_eq!(launches.len(), 2);
    let (matmul, add) = (&launches[0], &launches[1]);
    assert_eq!(matmul["modelled"]["flops"], 2u64 * 256 * 256 * 256 + 2 * 256 * 256);
    let measured = &add["measured"];
    assert_eq!((measured["runs"].as_u64(), measured["programs"].as_u64()), (Some(2), Some(8)));
    for launch in launches {
        let measured = &launch["measured"];
        let number = |name: &str| measured[name].as_f64().expect("a time");
        let stages = number("copy_in") + number("compute") + number("copy_out");
        assert!(number("compute") > 0.0 && number("copy_in") > 0.0 && stages <= number("time") * 1.001, "{measured}");
        let lines = measured["lines"].as_array().expect("lines");
        let sum: f64 = lines.iter().filter_map(|line| line["time"].as_f64()).sum();
        assert!((sum - number("compute")).abs() <= 0.01 * number("compute"), "lines add up to the kernel's time");
        let first = lines[0]["place"]["line"].as_u64().expect("a line");
        assert!((7..18).contains(&first) || (34..37).contains(&first), "line {first} is in no kernel");
    }
    // x, y and the output's block each come in; each of the four output blocks goes back once.
    let stages = matmul["measured"]["operands"].as_array().expect("operands");
    let copies: Vec<(u64, &str, u64)> = stages
        .iter()
        .filter_map(|sum| Some((sum["operand"].as_u64()?, sum["stage"].as_str()?, sum["copies"].as_u64()?)))
        .collect();
    assert_eq!(copies, [(0, "copy_in", 8), (1, "copy_in", 8), (2, "copy_in", 4), (2, "copy_out", 4)]);
    let trace = case.json("trace.json");
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.len() > 100));
}

#[test]
fn without_a_clock_nothing_is_measured() {
    let case = Case::new();
    for (way, exit) in [(&["--timing", "off"][..], Some(0)), (&["--no-run"], None)] {
        let arguments: Vec<&str> =
            ["profile", "--json", "-"].iter().chain(way).chain(&["kernels.py"]).copied().collect();
        let output = case.run(&arguments);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("standard output is the report");
        assert!(report["launches"].as_array().is_some_and(|launches| launches.len() == 2));
        assert!(report["launches"][0]["measured"].is_null() && report["totals"]["measured"].is_null());
        assert_eq!(report["program"]["exit"].as_i64(), exit);
    }
}

#[test]
fn reports_are_compared() {
    let case = Case::new();
    for (name, text) in [
        ("before", KERNELS.to_string()),
        ("after", KERNELS.replace("(128, 128)", "(64, 64)").replace("(2, 2, 2)", "(4, 4, 4)")),
    ] {
        case.write(&format!("{name}.py"), &text);
        let json = format!("{name}.json");
        let output = case.run(&["profile", "--no-run", &format!("{name}.py"), "--json", &json]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    }
    let mut text = String::new();
    for arguments in [
        &["compare", "before.json", "after.json"][..],
        &["compare", "before.json", "after.json", "--fail-above", "5%"],
        &["compare", "after.json", "before.json", "--fail-above", "5%"],
        &["compare", "before.json", "missing.json"],
        &["compare", "before.json", "kernels.py"],
        &["compare", "before.json", "after.json", "--fail-above", "much"],
    ] {
        text.push_str(&format!("$ pallas-tui {}\n{}\n", arguments.join(" "), shown(&case.run(arguments))));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_cannot_be_profiled_is_said() {
    let case = Case::new();
    case.write("plain.py", "print('no kernels here')\n");
    case.write("fails.py", "raise ValueError('not today')\n");
    fs::create_dir(case.folder.path().join("folder")).expect("made");
    let mut text = String::new();
    for arguments in [
        &["profile", "missing.py"][..],
        &["profile", "folder"],
        &["profile", "kernels.py", "--machine", "abacus"],
        &["profile", "kernels.py", "--timing", "off", "--json", "folder"],
        &["profile", "plain.py"],
        &["profile", "fails.py"],
    ] {
        text.push_str(&format!("$ pallas-tui {}\n{}\n", arguments.join(" "), shown(&case.run(arguments))));
    }
    insta::assert_snapshot!(text);
}

fn samples() -> Vec<std::path::PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("samples");
    let mut files: Vec<_> = fs::read_dir(samples)
        .expect("samples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    files.sort();
    assert!(files.len() >= 18);
    files
}

#[test]
fn every_sample_profiles() {
    let case = Case::new();
    for (number, file) in samples().iter().enumerate() {
        let path = file.display().to_string();
        let machine = ["v5e", "v5p", "v6e", "a100", "h100", "h200", "b200"][number % 7];
        let output = case.run(&[
            "profile",
            &path,
            "--machine",
            machine,
            "--json",
            "r.json",
            "--trace",
            "t.json",
            "--report",
            "text",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let report = case.json("r.json");
        for launch in report["launches"].as_array().expect("launches") {
            assert_eq!(
                (&launch["machine"]["key"], &launch["machine"]["named"]),
                (&machine.into(), &true.into()),
                "{path}"
            );
            let modelled = &launch["modelled"];
            assert!(modelled["time"].as_f64().is_some_and(|time| time > 0.0), "{path}: {launch}");
            assert!(modelled["utilisation"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{path}");
            assert!(!launch["measured"].is_null(), "{path}: {} was not timed", launch["kernel"]);
        }
    }
}

/// What kernels are for, by the beginning of the file's and the kernel's names: the others are plain, or a TPU's.
const FOR_GPUS: &[(&str, &str)] = &[
    ("11_masking.py masked", "h100"),
    ("19", "h100"),
    ("20", "h100"),
    ("21", "h100"),
    ("25", "b200"),
    ("26", "h100"),
    ("27", "h100"),
    ("28", "b200"),
    ("29", "h100"),
    ("30", "h100"),
    ("31", "b200"),
    ("32", "h100"),
    ("33", "h100"),
    ("34", "h100"),
    ("35", "h100"),
];

#[test]
fn every_sample_is_modelled_on_a_machine_that_it_is_for() {
    let case = Case::new();
    let mut wrong = Vec::new();
    for file in samples() {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let path = file.display().to_string();
        let output = case.run(&["profile", &path, "--no-run", "--json", "r.json", "--report", "text"]);
        let (report, text) = (case.json("r.json"), String::from_utf8_lossy(&output.stdout).into_owned());
        let launches = report["launches"].as_array().expect("launches");
        assert!(!launches.is_empty(), "{name}: {text}");
        for launch in launches {
            let (kernel, machine) = (launch["kernel"].as_str().expect("a name"), &launch["machine"]);
            let own = format!("{name} {kernel}");
            let known = FOR_GPUS.iter().find(|(begin, _)| own.starts_with(begin));
            let expected = known.map_or("v5e", |(_, machine)| machine);
            let (name_of, why) =
                (machine["name"].as_str().expect("a name"), machine["why"].as_str().expect("a reason"));
            if machine["key"] != expected {
                wrong.push(format!("{own}: {name_of} because {why}"));
            }
            assert!(text.contains(&format!("{name_of} because {why}; --machine takes another")), "{text}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Waits until a child has printed this to the pipe.
fn read_until(pipe: &mut impl std::io::Read, text: &str) -> String {
    let (mut read, mut bytes) = (String::new(), [0; 4096]);
    while !read.contains(text) {
        let count = pipe.read(&mut bytes).expect("the pipe is open");
        assert!(count > 0, "no {text:?} in {read}");
        read.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    read
}

#[cfg(unix)]
#[test]
fn what_was_finished_before_ctrl_c_is_kept_and_said() {
    use std::io::Read;
    let case = Case::new();
    case.write("endless.py", &KERNELS.replace("print(z[0, 0], a[0, 0])", "print('waiting')\nwhile True:\n  pass"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["profile", "endless.py", "--json", "report.json", "--report", "text"])
        .current_dir(case.folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut errors = child.stderr.take().expect("it is piped");
    read_until(&mut errors, "waiting");
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let (mut out, mut rest) = (String::new(), String::new());
    child.stdout.take().expect("it is piped").read_to_string(&mut out).expect("read");
    errors.read_to_string(&mut rest).expect("read");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{rest}");
    assert_eq!(rest, "pallas-tui: endless.py: stopped; the report holds 2 launches that ran\n", "no bar in a pipe");
    assert!(out.contains("measured, interpret mode") && out.contains("note: the program was stopped"), "{out}");
    let report = case.json("report.json");
    assert_eq!(report["program"]["cancelled"], true);
    assert_eq!(report["launches"][1]["measured"]["runs"], 2);
    let overhead = report["launches"][0]["measured"]["overhead"].as_f64();
    assert!(overhead.is_some_and(|overhead| overhead > 0.0), "reading the clock costs something: {overhead:?}");
}

#[cfg(unix)]
#[test]
fn long_work_shows_a_bar_on_a_terminal() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    let case = Case::new();
    // Programs that are many rather than long, so that the bar has something to count.
    let many = KERNELS.replace("grid=(4,)", "grid=(200000,)").replace("lambda i: (i, 0)", "lambda i: (0, 0)");
    case.write("many.py", &many);
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 100, pixel_width: 0, pixel_height: 0 });
    let pair = pair.expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pallas-tui"));
    command.args(["profile", "many.py", "--json", "report.json"]);
    command.cwd(case.folder.path());
    command.env("TERM", "xterm");
    command.env("LC_ALL", "C.UTF-8");
    let mut child = pair.slave.spawn_command(command).expect("the binary starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    read_until(&mut reader, "of 200000 programs, ");
    let mut keys = pair.master.take_writer().expect("a writer");
    std::io::Write::write_all(&mut keys, b"\x03").expect("the terminal takes keys");
    let rest = read_until(&mut reader, "stopped; ");
    let (_, said) = rest.rsplit_once("\x1b[2K").expect("the bar is taken off");
    assert!(said.starts_with("pallas-tui: many.py: stopped; "), "{said:?}");
    assert_eq!(child.wait().expect("it ends").exit_code(), 130);
    let report = case.json("report.json");
    let measured = &report["launches"][1]["measured"];
    assert!(measured["programs"].as_u64().is_some_and(|programs| programs > 0 && programs < 400_000), "{measured}");
}

#[test]
fn this_cpu_is_measured_and_kept() {
    let case = Case::new();
    let before = shown(&case.run(&["doctor"]));
    assert!(before.contains("`doctor --calibrate` measures and keeps it"), "{before}");
    let doctor = shown(&case.run(&["doctor", "--calibrate"]));
    for word in ["latency     ", "B/s", "f32 matrix  ", "FLOP/s"] {
        assert!(doctor.contains(word), "{word} is missing in\n{doctor}");
    }
    let output = case.run(&["profile", "--no-run", "--machine", "cpu", "--json", "-", "kernels.py"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("standard output is the report");
    let machine = &report["machine"];
    assert_eq!(machine["name"], "this CPU (interpret mode)");
    for number in [&machine["latency"], &machine["bandwidth"], &machine["vector"], &machine["matrix"][0]["rate"]] {
        assert_eq!(number["source"], "measured on this machine");
        assert!(number["value"].as_f64().is_some_and(|value| value > 0.0), "{number}");
    }
    // What was kept is what is used: to twelve digits, which no second measurement would give.
    let kept: serde_json::Value = serde_json::from_str(
        &fs::read_to_string(case.folder.path().join("cache/pallas-workbench/cpu.json")).expect("kept"),
    )
    .expect("it is JSON");
    for name in ["latency", "bandwidth", "vector"] {
        let (used, kept) = (machine[name]["value"].as_f64(), kept[name].as_f64());
        let (used, kept) = (used.expect("a number"), kept.expect("a number"));
        assert!((used - kept).abs() <= 1e-12 * kept, "{name}: {used} and {kept}");
    }
    let after = shown(&case.run(&["doctor"]));
    assert!(after.contains("f32 matrix  "), "{after}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_check_that_is_stopped_prints_what_it_found() {
    use std::io::Read;
    use std::process::Stdio;
    let case = Case::new();
    case.write("a.py", "import jax.numpy as jnp\njnp.ones((2, 3)) @ jnp.ones((2, 3))\n");
    // Many files that each take as long as an analysis may.
    let slow = "total = 0\nfor outer in range(100000):\n  for inner in range(100000):\n    total += inner\n";
    (0..200).for_each(|number| case.write(&format!("slow{number}.py"), slow));
    let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["check", "--output-format", "concise", "."])
        .current_dir(case.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // Before it listens, a signal would just end it.
    let listens = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("signals");
        u64::from_str_radix(caught.trim(), 16).expect("a mask") & 2 != 0
    };
    while !listens() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.take().expect("it is piped").read_to_string(&mut out).expect("read");
    child.stderr.take().expect("it is piped").read_to_string(&mut errors).expect("read");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{errors}");
    assert!(out.contains("a.py:2:") || errors.contains("stopped after 0 of"), "{out}{errors}");
    assert!(errors.starts_with("pallas-tui: stopped after ") && errors.ends_with(" of 202 files\n"), "{errors}");
}

#[test]
fn a_profile_on_the_simulator_has_lanes_of_multiprocessors_everywhere() {
    let case = Case::new();
    let arguments = ["--device", "simulator", "--json", "run.json", "--trace", "trace.json", "--report", "text"];
    let output = case.run(&[&["profile", "kernels.py"][..], &arguments].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("measured, the simulator: "), "{text}");
    assert!(text.contains("shared memory") && text.contains("notes its times"), "{text}");
    let json = |name: &str| -> serde_json::Value {
        let text = fs::read_to_string(case.folder.path().join(name)).expect("it is written");
        serde_json::from_str(&text).expect("JSON")
    };
    let report = json("run.json");
    let measured = &report["launches"][0]["measured"];
    let device = &measured["on_device"];
    assert_eq!((measured["programs"].as_u64(), device["lost"].as_u64()), (Some(8), Some(0)));
    assert!(device["lanes"]["lanes"][0]["name"].as_str().is_some_and(|name| name.starts_with("SM ")), "{device}");
    // The second launch ran twice, and was measured once.
    let again = &report["launches"][1]["measured"];
    assert_eq!((again["runs"].as_u64(), again["programs"].as_u64()), (Some(2), Some(8)));
    let trace = json("trace.json");
    let events = trace["traceEvents"].as_array().expect("events");
    let named =
        |what: &str| events.iter().any(|event| event["args"]["name"].as_str().is_some_and(|name| name.contains(what)));
    assert!(named("measured, the simulator") && named("SM 0"));
    // What was saved is shown as it was.
    let opened = case.run(&["run.json", "--no-tty"]);
    assert_eq!(String::from_utf8_lossy(&opened.stdout), text);
    let picture = case.run(&["picture", "kernels.py", "--view", "pipeline", "--device", "simulator"]);
    let drawn = String::from_utf8_lossy(&picture.stdout).into_owned();
    assert!(drawn.contains("multiprocessors"), "{drawn}");
    let quiet = case.run(&["profile", "kernels.py", "--device", "simulator", "--timing", "off"]);
    assert!(!String::from_utf8_lossy(&quiet.stdout).contains("measured, "), "nothing is measured");
}

/// A loop whose launches all differ: what is kept of them does not grow with how many there are.
const DIFFERENT: &str = "\
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.zeros(8)
for number in range(600):
  def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + number

  x = pl.pallas_call(kernel, grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (i,))], out_shape=x,
                     out_specs=pl.BlockSpec((4,), lambda i: (i,)), interpret=True)(x)
print(x[0])
";

#[test]
fn of_launches_that_all_differ_some_are_listed_and_the_others_summed_up() {
    let case = Case::new();
    case.write("kernel.py", DIFFERENT);
    let profiled = case.run(&["profile", "kernel.py", "--json", "report.json", "--report", "text"]);
    assert!(profiled.status.success(), "{profiled:?}");
    let said = String::from_utf8_lossy(&profiled.stdout);
    assert!(said.contains("note: 536 more launches of `kernel` (kernel.py:9:7) are not listed"), "{said}");
    let text = fs::read_to_string(case.folder.path().join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let launches = report["launches"].as_array().expect("launches");
    assert_eq!(launches.len(), 64);
    let left = &report["left_out"][0];
    assert_eq!((&left["launches"], &left["programs"]), (&536.into(), &1072.into()));
    let time = |value: &serde_json::Value| value.as_f64().expect("a time");
    let kept: f64 = launches.iter().map(|launch| time(&launch["measured"]["compute"])).sum();
    let all = time(&report["totals"]["measured"]["compute"]);
    assert!((kept + time(&left["compute"]) - all).abs() <= all * 1e-9, "{kept} {left} {all}");
    // The first ones are there, and every launch that is listed ran.
    assert!(launches.iter().all(|launch| launch["measured"]["runs"] == 1), "{text}");
    let checked = case.run(&["check", "kernel.py"]);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned() + &String::from_utf8_lossy(&checked.stderr);
    assert!(said.contains("PL003") && said.contains("differ each time: not all of them are looked at"), "{said}");
    let ran = case.run(&["run", "kernel.py"]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "179700.0\n");
}
