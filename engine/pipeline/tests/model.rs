//! Launches on machines: work counted from kernels, traffic, verdicts and advice.

use pallas_ir::Launch;
use pallas_ir::text::parse_launch;
use pallas_pipeline::{Bound, Machine, Model, Unit, Wishes, best_slots, block_choices, launch_work, slot_choices};
use pallas_tensor::DType;

fn launch(text: &str) -> Launch {
    parse_launch(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn machine(name: &str) -> &'static Machine {
    Machine::find(name).expect("it has a model")
}

/// A matmul of n x n by n x n, cut into blocks of b; the sum is kept in the output.
fn matmul(n: usize, b: usize) -> Launch {
    let steps = n / b;
    launch(&format!(
        r#"launch grid=[{steps}, {steps}, {steps}] {{
  input @x: bf16[{n},{n}] block=[{b}, {b}] map @xm(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %k }}
  input @y: bf16[{n},{n}] block=[{b}, {b}] map @ym(%i: i32[], %j: i32[], %k: i32[]) {{ yield %k, %j }}
  output @o: f32[{n},{n}] block=[{b}, {b}] map @om(%i: i32[], %j: i32[], %k: i32[]) {{ yield %i, %j }}
  kernel @matmul(%x: ref<bf16[{b},{b}]>, %y: ref<bf16[{b},{b}]>, %o: ref<f32[{b},{b}]>) {{
    %k = program_id axis=2 : i32[]
    %zero = constant 0 : i32[]
    %first = eq %k, %zero : bool[]
    cond %first {{ }} {{
      %none = constant 0.0 : f32[]
      %zeros = broadcast_in_dim %none shape=[{b}, {b}] dims=[] : f32[{b},{b}]
      store %o[:, :], %zeros
    }}
    %a = load %x[:, :] : bf16[{b},{b}]
    %b = load %y[:, :] : bf16[{b},{b}]
    %p = dot_general %a, %b contracting=[[1], [0]] batch=[[], []] dtype=f32 : f32[{b},{b}]
    %o0 = load %o[:, :] : f32[{b},{b}]
    %sum = add %o0, %p : f32[{b},{b}]
    store %o[:, :], %sum
  }}
}}
"#
    ))
}

#[test]
fn the_work_of_a_matmul() {
    let work = launch_work(&matmul(1024, 128));
    let n = 1024u128;
    assert_eq!(work.total.of(Unit::Matrix), 2 * n * n * n);
    assert_eq!(work.total.of(Unit::Vector), n * n * 8, "an addition per element of the output and step");
    assert!(work.unknown.is_empty(), "{:?}", work.unknown);
    // Program id 2 decides whether the output is cleared; both kinds compute the same otherwise.
    assert_eq!(work.axes, [2]);
    assert_eq!(work.programs.len(), 8);
    assert_eq!(work.programs[0].of(Unit::Matrix), 2 * 128 * 128 * 128);
    assert_eq!(work.places.iter().map(|(_, flops)| flops).sum::<u128>(), work.total.flops());
}

#[test]
fn the_verdict_of_a_matmul_depends_on_its_blocks() {
    let v5e = machine("v5e");
    let small = Model::new(&matmul(4096, 128), v5e, Wishes::default());
    let n = 4096u128;
    let steps = n / 128;
    // x and y move with every program, but where the step leaves them: y from row to row is another block.
    assert_eq!(small.bytes, 2 * steps * n * n * 2 + n * n * 4);
    assert_ne!(small.formulas.bound(), Bound::Compute);
    let large = Model::new(&matmul(4096, 1024), v5e, Wishes::default());
    assert_eq!(large.formulas.bound(), Bound::Compute);
    assert!(large.time() < small.time() / 2.0);
    // At best all of the matrix unit.
    let ideal = 2.0 * (n as f64).powi(3) / 1.97e14;
    assert!(large.time() > ideal && large.time() < 1.3 * ideal, "{} and {ideal}", large.time());
    // Advice finds it from the small blocks.
    let launch = matmul(4096, 128);
    let work = launch_work(&launch);
    let choices = block_choices(&launch, v5e, &work, 5);
    assert_eq!(choices[0].bound, Bound::Compute, "{choices:?}");
    assert!(choices[0].time < small.time() / 2.0 && choices[0].on_chip as f64 <= v5e.on_chip.value);
    assert!(choices.windows(2).all(|pair| pair[0].time <= pair[1].time));
    let predicted = choices.iter().find(|choice| choice.grid == [4, 4, 4]);
    if let Some(choice) = predicted {
        let cut = Model::new(&matmul(4096, 1024), v5e, Wishes::default());
        // Fewer steps add fewer partial sums, which the advice does not know: its time is on the safe side.
        assert!(choice.time >= cut.time() && choice.time < 1.15 * cut.time(), "{} and {}", choice.time, cut.time());
        assert_eq!(choice.bytes, cut.bytes);
    }
}

#[test]
fn blocks_that_do_not_fit_are_not_advised() {
    let h100 = machine("h100");
    let launch = matmul(4096, 64);
    let choices = block_choices(&launch, h100, &launch_work(&launch), 100);
    assert!(!choices.is_empty());
    assert!(choices.iter().all(|choice| choice.on_chip as f64 <= h100.on_chip.value));
}

#[test]
fn an_addition_is_bound_by_bandwidth_wherever_it_runs() {
    let text = r#"launch grid=[8, 8] {
  input @x: f32[4096,4096] block=[512, 512] map @xm(%i: i32[], %j: i32[]) { yield %i, %j }
  input @y: f32[4096,4096] block=[512, 512] map @ym(%i: i32[], %j: i32[]) { yield %i, %j }
  output @o: f32[4096,4096] block=[512, 512] map @om(%i: i32[], %j: i32[]) { yield %i, %j }
  kernel @add(%x: ref<f32[512,512]>, %y: ref<f32[512,512]>, %o: ref<f32[512,512]>) {
    %a = load %x[:, :] : f32[512,512]
    %b = load %y[:, :] : f32[512,512]
    %sum = add %a, %b : f32[512,512]
    store %o[:, :], %sum
  }
}
"#;
    let launch = launch(text);
    for name in ["v5e", "v5p", "v6e"] {
        let model = Model::new(&launch, machine(name), Wishes::default());
        assert_eq!(model.formulas.bound(), Bound::Bandwidth, "{name}");
        let floor = model.bytes as f64 / machine(name).bandwidth.value;
        assert!(model.time() > floor && model.time() < 1.2 * floor, "{name}: {} and {floor}", model.time());
        assert_eq!(model.intensity(), Some(1.0 / 12.0));
    }
    let slots = slot_choices(&launch, machine("v5e"), &launch_work(&launch));
    assert_eq!(best_slots(&slots).map(|choice| choice.slots), Some(2));
}

#[test]
fn programs_over_many_cores_share_the_bandwidth() {
    let launch = matmul(4096, 64);
    let h100 = machine("h100");
    let model = Model::new(&launch, h100, Wishes::default());
    let programs = 64usize.pow(3);
    assert_eq!(model.timing.schedule().programs(), programs.div_ceil(132));
    assert_eq!(model.stride, 132);
    // Each program brings its own blocks: nothing is kept from one to the next.
    assert_eq!(model.bytes, programs as u128 * (2 * 64 * 64 * 2 + 64 * 64 * 4));
    let floor = model.bytes as f64 / h100.bandwidth.value;
    assert!(model.time() > floor && model.time() < 1.1 * floor);
}

#[test]
fn loops_branches_and_what_depends_on_data() {
    let launch = launch(
        r#"launch grid=[4] {
  input @x: f32[4,8] block=[1, 8] map @xm(%i: i32[]) { %0 = constant 0 : i32[]
 yield %i, %0 }
  output @o: f32[4,8] block=[1, 8] map @om(%i: i32[]) { %0 = constant 0 : i32[]
 yield %i, %0 }
  kernel @walk(%x: ref<f32[1,8]>, %o: ref<f32[1,8]>) {
    %i = program_id axis=0 : i32[]
    %zero = constant 0 : i32[]
    %a = load %x[:, :] : f32[1,8]
    %r = for %zero, %i, %a (%turn: i32[], %c: f32[1,8]) {
      %n = exp %c : f32[1,8]
      yield %n
    } : f32[1,8]
    store %o[:, :], %r
  }
}
"#,
    );
    let work = launch_work(&launch);
    // 0 + 1 + 2 + 3 turns over 8 elements.
    assert_eq!(work.total.terms.get(&(Unit::Transcendental, DType::F32)), Some(&48));
    assert_eq!(work.axes, [0]);
    assert!(work.unknown.is_empty());
    assert!(Model::new(&launch, machine("v6e"), Wishes::default()).assumed.is_empty());
}

#[test]
fn copies_that_a_kernel_makes_itself_are_counted() {
    // By hand: 8 x 128 floats in, per program; and a copy on chip, which is free. Then a pipeline inside of the kernel: x
    // moves with every step, o with every row of steps.
    let launch = launch(
        r#"launch grid=[2] {
  input @x: f32[32,128] block=[32, 128] space=any
  output @o: f32[32,128] block=[32, 128] space=any
  scratch ref<f32[2,8,128], vmem>
  scratch ref<i32[], dma_semaphore>
  kernel @kernel(%x: ref<f32[32,128], any>, %o: ref<f32[32,128], any>, %buffers: ref<f32[2,8,128], vmem>, %sem: ref<i32[], dma_semaphore>) {
    %0 = constant 0 : i32[]
    %1 = constant 1 : i32[]
    %2 = view %x[0:8, :] : ref<f32[8,128], any>
    %3 = view %buffers[%0, :, :] : ref<f32[8,128], vmem>
    %4 = view %buffers[%1, :, :] : ref<f32[8,128], vmem>
    copy_start %2, %3, %sem
    copy_wait %2, %3, %sem
    copy_start %3, %4, %sem
    copy_wait %3, %4, %sem
    pipeline %x, %o pipeline=pipeline(grid=[4, 2], input @a block=[8, 64] slots=2, output @b block=[8, 128] slots=2) (%5: i32[], %6: i32[]) { yield %5, %6 } (%7: i32[], %8: i32[]) { yield %7, %0 } (%9: i32[], %10: i32[], %a: ref<f32[8,64], vmem>, %b: ref<f32[8,128], vmem>) {
      %11 = load %a[:, :] : f32[8,64]
      %12 = exp %11 : f32[8,64]
      store %b[:, 0:64], %12
    }
  }
}
"#,
    );
    let work = launch_work(&launch);
    let (by_hand, x, o) = (8 * 128 * 4, 8 * (8 * 64 * 4), 4 * (8 * 128 * 4));
    assert_eq!(work.total.copied, 2 * (by_hand + x + o));
    assert_eq!(work.total.of(Unit::Transcendental), 2 * 8 * 8 * 64);
    let model = Model::new(&launch, machine("v5e"), Wishes::default());
    assert_eq!((model.bytes, model.left_in_place.len()), (0, 2));
    let intensity = model.intensity().expect("it copies");
    assert!((intensity - work.total.flops() as f64 / work.total.copied as f64).abs() < 1e-12);
}
