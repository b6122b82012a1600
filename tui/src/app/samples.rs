//! Small launches and reports for tests.

use super::report::Report;
use pallas_engine::pipeline::{MACHINES, Machines};
use pallas_engine::{Certainty, FileId, Finding, Label, Launch, Severity, Span, ir};
use std::sync::Arc;

/// A source whose parts the spans of [`report`] point to.
pub(crate) const SOURCE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul_kernel(x_ref, y_ref, o_ref):
  \"\"\"One tile of the product.\"\"\"
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += x_ref[...] @ y_ref[...]  # adds up along k


def matmul(x, y):
  return pl.pallas_call(
      matmul_kernel,
      grid=(4, 2, 4),
      in_specs=[
          pl.BlockSpec((128, 64), lambda i, j, k: (i, k)),
          pl.BlockSpec((64, 128), lambda i, j, k: (k, j)),
      ],
      out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((500, 256), jnp.float32),
  )(x, y)


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1
";

fn parse(text: &str) -> Launch {
    ir::text::parse_launch(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The span of the first place where the source says `text`.
pub(crate) fn span(text: &str) -> Span {
    let start = SOURCE.find(text).unwrap_or_else(|| panic!("the sample does not say {text}"));
    Span::new(FileId(0), start, start + text.len())
}

/// Three axes; the last reduces. The last row of blocks stands out of the array.
pub(crate) fn matmul() -> Launch {
    let mut launch = parse(
        "launch grid=[4, 2, 4] {
          input @x: f32[500,256] block=[128, 64] map @x(%i: i32[], %j: i32[], %k: i32[]) { yield %i, %k }
          input @y: f32[256,256] block=[64, 128] map @y(%i: i32[], %j: i32[], %k: i32[]) { yield %k, %j }
          output @o: f32[500,256] block=[128, 128] map @o(%i: i32[], %j: i32[], %k: i32[]) { yield %i, %j }
          kernel @matmul_kernel(%x: ref<f32[128,64]>, %y: ref<f32[64,128]>, %o: ref<f32[128,128]>) {
            %a = load %x[:, :] : f32[128,64]
            %b = load %y[:, :] : f32[64,128]
            %c = dot_general %a, %b contracting=[[1], [0]] batch=[[], []] : f32[128,128]
            %d = load %o[:, :] : f32[128,128]
            %e = add %d, %c : f32[128,128]
            store %o[:, :], %e
          }
        }",
    );
    launch.spans.call = Span::new(FileId(0), span("pl.pallas_call").start as usize, span(")(x, y)").end as usize);
    launch.spans.kernel = Some(span("matmul_kernel"));
    launch
}

/// One axis of so many programs.
pub(crate) fn add(programs: usize) -> Launch {
    let mut launch = parse(&format!(
        "launch grid=[{programs}] {{
          input @x: f32[{elements}] block=[8] map @x(%i: i32[]) {{ yield %i }}
          output @o: f32[{elements}] block=[8] map @o(%i: i32[]) {{ yield %i }}
          kernel @add_kernel(%x: ref<f32[8]>, %o: ref<f32[8]>) {{ }}
        }}",
        elements = programs.saturating_mul(8).max(1)
    ));
    launch.spans.kernel = Some(span("add_kernel"));
    launch
}

/// A plane of programs.
pub(crate) fn plane(rows: usize, columns: usize) -> Launch {
    parse(&format!(
        "launch grid=[{rows}, {columns}] {{
          input @x: bf16[{m},{n}] block=[16, 128] map @x(%i: i32[], %j: i32[]) {{ yield %i, %j }}
          output @o: bf16[{m},{n}] block=[16, 128] map @o(%i: i32[], %j: i32[]) {{ yield %j, %i }}
          kernel @copy_kernel(%x: ref<bf16[16,128]>, %o: ref<bf16[16,128]>) {{ }}
        }}",
        m = rows.saturating_mul(16),
        n = columns.saturating_mul(128)
    ))
}

/// No grid, one program, a scalar and an array with four axes.
pub(crate) fn single() -> Launch {
    parse(
        "launch grid=[] {
          prefetch @n: i32[] block=[] space=smem
          input @x: f32[2,3,4,5] block=[2, 3, 4, 5]
          output @o: f32[] block=[]
          kernel @whole_kernel(%n: ref<i32[], smem>, %x: ref<f32[2,3,4,5]>, %o: ref<f32[]>) { }
        }",
    )
}

/// A map that reads a prefetched scalar.
pub(crate) fn gather() -> Launch {
    parse(
        "launch grid=[4] {
          prefetch @rows: i32[4] block=[4] space=smem
          input @x: f32[64,128] block=[1, 128] map @x(%i: i32[], %rows: ref<i32[4], smem>) {
            %0 = load %rows[%i] : i32[]
            %1 = constant 0 : i32[]
            yield %0, %1
          }
          output @o: f32[4,128] block=[squeezed, 128] map @o(%i: i32[], %rows: ref<i32[4], smem>) {
            %0 = constant 0 : i32[]
            yield %i, %0
          }
          kernel @gather_kernel(%rows: ref<i32[4], smem>, %x: ref<f32[1,128]>, %o: ref<f32[128]>) { }
        }",
    )
}

/// Two devices, each of which sends half of what it has to the other one, from two slots.
pub(crate) fn devices() -> Launch {
    parse(
        "launch grid=[2] semantics=[device] collective=0 {
          input @x_ref: f32[2,2,8,128] block=[squeezed, 2, 8, 128] space=any map @x(%i: i32[]) {
            %0 = constant 0 : i32[]
            yield %i, %0, %0, %0
          }
          output @o_ref: f32[2,8,128] block=[squeezed, 8, 128] space=any map @o(%i: i32[]) {
            %0 = constant 0 : i32[]
            yield %i, %0, %0
          }
          scratch ref<f32[2,8,128], vmem>
          scratch ref<i32[], dma_semaphore>
          scratch ref<i32[2], dma_semaphore>
          kernel @swap_kernel(%x_ref: ref<f32[2,8,128], any>, %o_ref: ref<f32[8,128], any>, %slots: ref<f32[2,8,128], vmem>, %sent: ref<i32[], dma_semaphore>, %arrived: ref<i32[2], dma_semaphore>) {
            %me = program_id axis=0 : i32[]
            %one = constant 1 : i32[]
            %zero = constant 0 : i32[]
            %other = sub %one, %me : i32[]
            %barrier = barrier_semaphore : ref<i32[], barrier_semaphore>
            semaphore_signal %barrier, %one, %other device=\"logical\"
            semaphore_wait %barrier, %one
            %half = view %x_ref[%other, :, :] : ref<f32[8,128], any>
            %first = view %slots[%zero, :, :] : ref<f32[8,128], vmem>
            %second = view %slots[%one, :, :] : ref<f32[8,128], vmem>
            %here = view %arrived[%zero] : ref<i32[], dma_semaphore>
            %there = view %arrived[%one] : ref<i32[], dma_semaphore>
            copy_start %half, %first, %here
            copy_wait %half, %first, %here
            copy_start %first, %second, %there, %sent, %other remote=true device=\"logical\"
            copy_wait %first, %second, %there, %sent, %other send=true remote=true device=\"logical\"
            copy_wait %first, %second, %there, %sent, %other remote=true device=\"logical\"
            %tile = load %slots[%one, :, :] : f32[8,128]
            %sum = add %tile, %tile : f32[8,128]
            store %slots[%one, :, :], %sum
            copy_start %second, %o_ref, %here
            copy_wait %second, %o_ref, %here
          }
        }",
    )
}

/// A finding about the matmul that names a program.
pub(crate) fn finding() -> Finding {
    Finding {
        code: "PL120",
        severity: Severity::Warning,
        certainty: Certainty::Proved,
        message: "the last block along dimension 0 stands out of the array by 12 rows".to_string(),
        span: span("pl.BlockSpec((128, 64), lambda i, j, k: (i, k))"),
        labels: vec![Label { span: span("grid=(4, 2, 4)"), text: "the grid has 4 programs along axis 0".to_string() }],
        evidence: Some("program (3, 0, 0): rows 384..512 of x, which has 500".to_string()),
        help: Some("mask the tail, or choose a block that divides 500".to_string()),
        fix: None,
    }
}

/// Two launches and two findings.
pub(crate) fn report() -> Arc<Report> {
    let second = Finding {
        code: "PL301",
        severity: Severity::Info,
        message: "this block is copied once for every program".to_string(),
        span: span("o_ref[...] = x_ref[...] + 1"),
        labels: Vec::new(),
        evidence: None,
        help: None,
        ..finding()
    };
    let launches = [Arc::new(matmul()), Arc::new(add(64))];
    Arc::new(Report::made("kernels/matmul.py", SOURCE, vec![finding(), second], &launches))
}

/// A report of one launch.
pub(crate) fn report_of(launch: Launch) -> Arc<Report> {
    Arc::new(Report::made("kernels/sample.py", SOURCE, Vec::new(), &[Arc::new(launch)]))
}

/// The report of [`report`] after a run: every copy takes 2 µs, every program 10 µs, of which the product takes nine tenths.
pub(crate) fn measured() -> Arc<Report> {
    use pallas_engine::report::{Copied, Observed, ObservedLaunch, Recorder, Report as Profile};
    let mut report = (*report()).clone();
    let mut recorder = Recorder::new("interpret mode on the CPU");
    recorder.begin();
    let product = span("o_ref[...] += x_ref[...] @ y_ref[...]");
    let zeros = span("o_ref[...] = jnp.zeros_like(o_ref)");
    for number in 0..32 {
        let at = 20_000 * number as u64;
        let copy = |operand, out, start| Copied { operand, out, start, end: start + 2_000, bytes: 32_768 };
        let mut copies = vec![copy(0, false, at), copy(1, false, at + 2_000)];
        if number % 4 == 0 && number > 0 {
            copies.push(copy(2, true, at + 4_000));
        }
        recorder.program(number, &copies, (at + 6_000, at + 16_000));
        recorder.lines([(product, 9_000), (zeros, if number % 4 == 0 { 1_000 } else { 0 })]);
    }
    let launches: Vec<ObservedLaunch> = report
        .launches
        .iter()
        .enumerate()
        .map(|(at, shown)| ObservedLaunch {
            launch: shown.launch.clone(),
            measured: (at == 0).then(|| recorder.clone()),
        })
        .collect();
    let observed = Observed {
        path: "kernels/matmul.py",
        arguments: &[],
        exit: Some(0),
        sources: &report.sources,
        findings: &report.findings,
        launches: &launches,
    };
    report.profile = Some(Arc::new(Profile::new(&observed, &Machines::named(&MACHINES[0]))));
    report.launches[0].ran = true;
    report.ran = Some(super::report::Ran {
        printed: "done\n".to_string(),
        took: std::time::Duration::from_millis(12),
        ..Default::default()
    });
    Arc::new(report)
}

/// What the Refs of the first two programs of the matmul hold: `x` counts, `y` has a NaN, `o` is what was added up.
pub(crate) fn tiles(generation: usize) -> super::values::TileSet {
    use pallas_engine::tensor::Array;
    use pallas_engine::{Store, Tiles};
    let array = |rows: usize, columns: usize, of: &dyn Fn(usize) -> f32| {
        let values: Vec<f32> = (0..rows * columns).map(of).collect();
        Array::from_f32s([rows, columns], &values).unwrap_or_else(|error| panic!("{error:?}"))
    };
    let programs = (0..2).map(|program| {
        let x = array(128, 64, &|at| at as f32 / 64.0);
        let y = array(64, 128, &|at| if at == 130 { f32::NAN } else { 0.25 });
        let before = array(128, 128, &|_| program as f32);
        let after = array(128, 128, &|at| if at % 128 == 2 { f32::NAN } else { (program * 4 + at / 128) as f32 });
        // The first program of four sets the sum to zero before it adds up.
        let (zeros, sum) = (span("o_ref[...] = jnp.zeros_like(o_ref)"), span("o_ref[...] += x_ref[...] @ y_ref[...]"));
        let zero = array(128, 128, &|_| 0.0);
        let store = |span, before: &Array, after: &Array| {
            let (before, after) = (before.clone(), after.clone());
            Store { at: 2, span, before, after }
        };
        let stores = match program {
            0 => vec![store(zeros, &before, &zero), store(sum, &zero, &after)],
            _ => vec![store(sum, &before, &after)],
        };
        let stored = stores.len();
        let (before, after) = (vec![x.clone(), y.clone(), before], vec![x, y, after]);
        Tiles { program, before, after, stores, stored }
    });
    super::values::TileSet::new(generation, 0, 0, programs.collect())
}
