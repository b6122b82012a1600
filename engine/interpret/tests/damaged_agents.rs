//! Damaged kernels of threads and engines run to an end or to an error, never to a panic, late copies and races included.

use crate::support::Random;
use pallas_interpret::{Hooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::{Array, DType, Scalar};

/// Stops after a number of programs and turns; looks for races, draws turns.
struct Patience(usize, u64);

impl Hooks for Patience {
    fn cancelled(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }

    fn schedule(&self) -> Option<u64> {
        (!self.1.is_multiple_of(3)).then_some(self.1)
    }

    fn late(&self) -> bool {
        self.1.is_multiple_of(5)
    }

    fn wants_races(&self, _launch_has_agents: bool) -> bool {
        self.1.is_multiple_of(2)
    }
}

const KERNELS: [&str; 3] = [
    "launch grid=[2, 2] semantics=[cluster, thread] {
  input @x: f32[2,8,8] block=[2,8,8] space=gmem
  output @o: f32[2,8,8] block=[2,8,8] space=gmem
  scratch ref<f32[2,8,8], shared>
  scratch ref<i32[2], barrier(1)>
  scratch ref<i32[1], barrier(1, across [0])>
  kernel @kernel(%x: ref<f32[2,8,8], gmem>, %o: ref<f32[2,8,8], gmem>, %slots: ref<f32[2,8,8], shared>, %filled: ref<i32[2], barrier(1)>, %met: ref<i32[1], barrier(1, across [0])>) {
    %0 = program_id axis=1 : i32[]
    %1 = program_id axis=0 : i32[]
    %2 = view %x[%1] : ref<f32[8,8], gmem>
    %3 = view %slots[0] : ref<f32[8,8], shared>
    %4 = view %filled[0] : ref<i32[], barrier(1)>
    %9 = view %met[0] : ref<i32[], barrier(1, across [0])>
    cond %0 {
      copy_in %2, %3, %4 axes=[0]
      barrier_arrive %9
    } {
      barrier_wait %4
      barrier_wait %9
      %5 = view %o[%1] : ref<f32[8,8], gmem>
      fence what=\"shared\"
      copy_out %3, %5
      copy_drain count=0
    }
  }
}",
    "launch grid=[] {
  input @x: f32[8,8] block=[8,8] space=gmem
  output @o: f32[8,8] block=[8,8] space=gmem
  scratch ref<f32[8,8], shared>
  scratch ref<f32[8,8], tmem>
  scratch ref<i32[1], barrier(1, tensor_core)>
  kernel @kernel(%x: ref<f32[8,8], gmem>, %o: ref<f32[8,8], gmem>, %slot: ref<f32[8,8], shared>, %acc: ref<f32[8,8], tmem>, %done: ref<i32[1], barrier(1, tensor_core)>) {
    %0 = constant false : bool[]
    tcgen05_mma %acc, %slot, %slot, %0, %done barrier=true
    barrier_wait %done
    %1 = load %acc[0:8, 0:8] : f32[8,8]
    fence what=\"tensor_loads\"
    store %o[0:8, 0:8], %1
  }
}",
    "launch grid=[] {
  output @o: f32[64,8] block=[64,8] space=gmem
  scratch ref<f32[64,8], shared>
  scratch ref<f32[8,8], shared>
  scratch ref<f32[64,8], registers>
  kernel @kernel(%o: ref<f32[64,8], gmem>, %a: ref<f32[64,8], shared>, %b: ref<f32[8,8], shared>, %acc: ref<f32[64,8], registers>) {
    wgmma %acc, %a, %b
    wgmma_wait count=0
    %1 = load %acc[0:64, 0:8] : f32[64,8]
    store %o[0:64, 0:8], %1
  }
}",
];

#[test]
fn damaged_kernels_of_agents_do_not_panic() {
    let mut random = Random::new();
    let words = [
        "%",
        "[",
        "]",
        ",",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "9",
        "i32",
        "f32",
        "gmem",
        "shared",
        "tmem",
        "registers",
        "%x",
        "%o",
        "%0",
        "%1",
        "%3",
        "axes=[1]",
        "axes=[7]",
        "partitioned=1",
        "partitioned=9",
        "leader=true",
        "axis=9",
        "count=9",
        "barrier=true",
        "across [1]",
        "copy_in",
        "copy_out",
        "barrier_wait",
        "wgmma",
    ];
    let (mut parsed, mut ran) = (0, 0);
    for (kernel, text) in KERNELS.iter().enumerate() {
        parse_launch(text).unwrap_or_else(|error| panic!("kernel {kernel}: {error:?}"));
        let letters: Vec<char> = text.chars().collect();
        for turn in 0..400 {
            let places = random.below(3);
            let Some(damaged) = random.damaged(&letters, &words, places) else { continue };
            let Ok(launch) = parse_launch(&damaged) else { continue };
            parsed += 1;
            let inputs = launch.operands.iter().filter(|operand| operand.role != pallas_ir::Role::Output);
            let inputs =
                inputs.map(|input| Array::full(input.array.dtype, input.array.shape.clone(), one(input.array.dtype)));
            let Ok(inputs) = inputs.collect::<Result<Vec<_>, _>>() else { continue };
            ran += usize::from(run_launch(&launch, inputs, &mut Patience(200, turn)).is_ok());
        }
    }
    assert!(parsed > 300 && ran > 100, "{parsed} damaged launches were read, {ran} ran");
}

fn one(dtype: DType) -> Scalar {
    match dtype {
        DType::Bool => Scalar::Bool(true),
        dtype if dtype.kind() == pallas_tensor::Kind::Float => Scalar::Float(1.0),
        _ => Scalar::Int(1),
    }
}
