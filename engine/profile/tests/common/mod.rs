//! A program with a launch that has something of everything, and its report.

use pallas_ir::text::parse_launch;
use pallas_ir::{Certainty, Finding, Launch, Severity};
use pallas_pipeline::{Machine, Machines};
use pallas_profile::{
    Ceiling, Copied, DeviceEvent, DeviceTimes, Observed, ObservedLaunch, OnDevice, Recorder, Report, Residency, Stage,
    Way,
};
use pallas_syntax::{FileId, SourceFile, Span};
use std::sync::Arc;

pub(crate) const TEXT: &str =
    "def matmul(x, y, o):\n  o[...] += x[...] @ y[...]\n\npallas_call(matmul, grid=(2, 3, 4))\n";

/// A matmul over a grid of rows, columns and steps.
pub(crate) fn matmul(grid: [usize; 3]) -> Launch {
    let [i, j, k] = grid;
    let (m, n, d) = (8 * i, 128 * j, 128 * k);
    let text = format!(
        r#"launch grid=[{i}, {j}, {k}] {{
  input @x: f32[{m},{d}] block=[8, 128] map @xm(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %k }}
  input @y: f32[{d},{n}] block=[128, 128] map @ym(%i: i32[], %j: i32[], %k: i32[]) {{ yield %k, %j }}
  output @o: f32[{m},{n}] block=[8, 128] map @om(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %j }}
  kernel @matmul(%x: ref<f32[8,128]>, %y: ref<f32[128,128]>, %o: ref<f32[8,128]>) {{
    %a = load %x[:, :] : f32[8,128]
    %b = load %y[:, :] : f32[128,128]
    %p = dot_general %a, %b contracting=[[1], [0]] batch=[[], []] : f32[8,128]
    %o0 = load %o[:, :] : f32[8,128]
    %sum = add %o0, %p : f32[8,128]
    store %o[:, :], %sum
  }}
}}
"#
    );
    let mut launch = parse_launch(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let span = |of: &str| {
        let start = TEXT.find(of).expect("it is in the text");
        Span::new(FileId(0), start, start + of.len())
    };
    launch.spans.call = span("pallas_call(matmul, grid=(2, 3, 4))");
    launch.spans.kernel = Some(span("matmul(x, y, o)"));
    launch.operands[0].spans.parameter = Some(span("x, y"));
    for location in &mut launch.kernel.locations {
        location.span = span("o[...] += x[...] @ y[...]");
    }
    launch
}

pub(crate) fn source() -> Arc<SourceFile> {
    Arc::new(SourceFile::new(FileId(0), "kernel.py", TEXT))
}

pub(crate) fn finding() -> Finding {
    Finding {
        code: "PL120",
        severity: Severity::Warning,
        certainty: Certainty::Found,
        message: "the output is read before it is written".to_string(),
        span: Span::new(FileId(0), 23, 29),
        labels: Vec::new(),
        evidence: Some("program (1, 2, 0): rows 8..16".to_string()),
        help: None,
        fix: None,
    }
}

/// A GPU kernel that copies four blocks through two slots, and adds to each.
pub(crate) fn gpu_report(machine: &str) -> Report {
    let text = r#"launch grid=[] {
  input @x: f32[4,1024] block=[4, 1024] space=gmem
  output @o: f32[4,1024] block=[4, 1024] space=gmem
  scratch ref<f32[2,1024], shared>
  scratch ref<i32[2], barrier(1)>
  kernel @adds(%x: ref<f32[4,1024], gmem>, %o: ref<f32[4,1024], gmem>, %slots: ref<f32[2,1024], shared>, %filled: ref<i32[2], barrier(1)>) {
    %zero = constant 0 : i32[]
    %two = constant 2 : i32[]
    %four = constant 4 : i32[]
    for %zero, %two (%first: i32[]) {
      %x0 = view %x[%first, :] : ref<f32[1024], gmem>
      %s0 = view %slots[%first, :] : ref<f32[1024], shared>
      %b0 = view %filled[%first] : ref<i32[], barrier(1)>
      copy_in %x0, %s0, %b0
    }
    for %zero, %four (%step: i32[]) {
      %slot = rem %step, %two : i32[]
      %b = view %filled[%slot] : ref<i32[], barrier(1)>
      barrier_wait %b
      %v = load %slots[%slot, :] : f32[1024]
      %sum = add %v, %v : f32[1024]
      store %o[%step, :], %sum
      %next = add %step, %two : i32[]
      %more = lt %next, %four : bool[]
      %which = convert_element_type %more dtype=i32 weak=false : i32[]
      cond %which { } {
        %xn = view %x[%next, :] : ref<f32[1024], gmem>
        %sn = view %slots[%slot, :] : ref<f32[1024], shared>
        copy_in %xn, %sn, %b
      }
    }
  }
}
"#;
    let launch = Arc::new(parse_launch(text).unwrap_or_else(|error| panic!("{error}\n{text}")));
    let source = source();
    let observed = Observed {
        path: "kernel.py",
        arguments: &[],
        exit: Some(0),
        sources: &[source],
        findings: &[],
        launches: &[ObservedLaunch { launch, measured: None }],
    };
    Report::new(&observed, &Machines::named(Machine::find(machine).expect("a machine")))
}

/// A launch of a TPU whose devices or cores act on each other, by the name of its file.
pub(crate) fn launch_report(text: &str) -> Report {
    let launch = Arc::new(parse_launch(text).unwrap_or_else(|error| panic!("{error}\n{text}")));
    let observed = Observed {
        path: "kernel.py",
        arguments: &[],
        exit: None,
        sources: &[source()],
        findings: &[],
        launches: &[ObservedLaunch { launch, measured: None }],
    };
    Report::new(&observed, &Machines::Fitting)
}

/// The report of one launch, with measured times if `timed`.
pub(crate) fn report(grid: [usize; 3], machine: &str, timed: bool) -> Report {
    let launch = Arc::new(matmul(grid));
    let source = source();
    let measured = timed.then(|| {
        let mut recorder = Recorder::new("interpret mode on the CPU");
        recorder.begin();
        let programs = launch.programs();
        for number in 0..programs {
            let at = number as u64 * 1000;
            let copies = [
                Copied { operand: 0, out: false, start: at, end: at + 100, bytes: 4096 },
                Copied { operand: 1, out: false, start: at + 100, end: at + 300, bytes: 65536 },
            ];
            recorder.program(number, &copies, (at + 300, at + 1000));
            recorder.blocks(number, &[vec![0, 1], vec![1, 0], vec![0, 0]]);
        }
        let end = programs as u64 * 1000;
        recorder
            .written_back(programs - 1, &[Copied { operand: 2, out: true, start: end, end: end + 50, bytes: 4096 }]);
        recorder.lines([(Span::new(FileId(0), 23, 29), 600)]);
        recorder
    });
    let observed = Observed {
        path: "kernel.py",
        arguments: &["--fast".to_string()],
        exit: Some(0),
        sources: &[source],
        findings: &[finding()],
        launches: &[ObservedLaunch { launch, measured }],
    };
    Report::new(&observed, &Machines::named(Machine::find(machine).expect("a machine")))
}

/// The report of a launch that a device ran: two multiprocessors, one of which has room for two blocks.
pub(crate) fn device_report() -> Report {
    let launch = Arc::new(matmul([2, 3, 4]));
    let place = Span::new(FileId(0), 23, 29);
    let (mut blocks, mut events) = (Vec::new(), Vec::new());
    for block in 0..6 {
        let start = (block / 3 * 1000) as f64 + (block % 3) as f64 / 4.0;
        blocks.push(([0, 1, 1][block % 3], start, start + 900.0));
        for step in 0..4 {
            let at = start + step as f64 * 200.0;
            let program = block * 4 + step;
            let mut add = |stage, operand, start, end, bytes| {
                events.push(DeviceEvent {
                    program,
                    block,
                    stage,
                    operand,
                    slot: step % 2,
                    start,
                    end,
                    bytes,
                    span: place,
                });
            };
            add(Stage::CopyIn, Some(0), at, at + 60.0, 4096);
            add(Stage::CopyIn, Some(1), at, at + 60.0, 65536);
            add(Stage::Wait, None, at + 20.0, at + 60.0, 0);
            add(Stage::Compute, None, at + 60.0, at + 180.0, 0);
            add(Stage::CopyOut, Some(2), at + 180.0, at + 200.0, 0);
        }
    }
    let about = OnDevice {
        replayed: 8,
        noted: Some(2050.0),
        blocks: 6,
        threads: 128,
        registers: Some(64),
        spilled: Some(0),
        shared: 16 << 10,
        residency: Some(Residency { blocks: 8, warps: 32, most: 64, limit: "registers".into(), driver: Some(8) }),
        bytes: 1 << 20,
        ways: vec![Way { name: "simt".into(), time: Some(2000.0) }],
        remarks: vec!["a product of 32 x 32, of 64 terms, goes by warps".into()],
        ceilings: vec![Ceiling { name: "copy".into(), rate: 4e12 }, Ceiling { name: "fma".into(), rate: 6e13 }],
        ..OnDevice::default()
    };
    let mut recorder = Recorder::new("a device");
    recorder.begin();
    recorder.on_device(24, DeviceTimes { about, times: vec![1900.0, 2000.0, 2200.0], blocks, events });
    let source = source();
    let observed = Observed {
        path: "kernel.py",
        arguments: &[],
        exit: Some(0),
        sources: &[source],
        findings: &[],
        launches: &[ObservedLaunch { launch, measured: Some(recorder) }],
    };
    Report::new(&observed, &Machines::named(Machine::find("h100").expect("a machine")))
}
