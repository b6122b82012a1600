//! Inputs whose elements nobody has computed: a launch that reads each block once computes it then, and leaves the array as it
//! was; every other launch, and whoever looks afterwards, finds the elements that were always meant. Bits are the same.

use pallas_interpret::{Hooks, ProgramEvent, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::{Array, DType, Scalar, Steps, deferring, stepped};

struct On {
    threads: usize,
    strict: bool,
    programs: Option<usize>,
}

impl Hooks for On {
    fn threads(&self) -> usize {
        self.threads
    }

    fn is_strict(&self) -> bool {
        self.strict
    }

    fn wants_programs(&self) -> bool {
        self.programs.is_some()
    }

    fn program(&mut self, _event: &ProgramEvent<'_>) {
        self.programs = self.programs.map(|programs| programs + 1);
    }
}

/// `arange * 0.37 % 5 - 2.5`, put off.
fn wave(shape: &[usize]) -> Array {
    let number = |x| Array::scalar(DType::F32, Scalar::Float(x));
    let size = shape.iter().product::<usize>();
    let made = deferring(|| {
        let places = stepped([size], Steps::Singles { start: 0.0, step: 1.0 })?;
        let wave = ops::binary(BinaryOp::Rem, ops::binary(BinaryOp::Mul, places, number(0.37))?, number(5.0))?;
        ops::reshape(&ops::binary(BinaryOp::Sub, wave, number(2.5))?, shape)
    });
    made.expect("numbers")
}

/// Runs a launch on an input that is there and on one that is not; says whether that is there afterwards.
fn is_there_after(text: &str, shape: &[usize], block: &[usize], mut hooks: On) -> bool {
    let launch = parse_launch(text).expect("well written");
    let there = wave(shape);
    assert_eq!(there.buffer().len(), there.size());
    let mut one = On { threads: 1, strict: false, programs: None };
    let expected = run_launch(&launch, vec![there.clone()], &mut one).expect("runs");
    let unmade = wave(shape);
    let found = run_launch(&launch, vec![unmade.clone()], &mut hooks).expect("runs");
    assert!(found[0].same_bits(&expected[0]), "{text}");
    let is_there = unmade.unmade(block).is_none();
    assert!(unmade.same_bits(&there));
    // Another launch computes it, as it is looked at again.
    let again = run_launch(&launch, vec![unmade], &mut hooks).expect("runs");
    assert!(again[0].same_bits(&expected[0]), "{text}");
    is_there
}

const ROWS: &str = "launch grid=[64] {
  input @x: f32[1024,512] block=[16, 512] map @m(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %z
  }
  output @o: f32[1024,512] block=[16, 512] map @m(%i: i32[]) {
    %z = constant 0 : i32[]
    yield %i, %z
  }
  kernel @k(%x: ref<f32[16,512]>, %o: ref<f32[16,512]>) {
    %v = load %x[:, :] : f32[16,512]
    %e = exp %v : f32[16,512]
    %r = add %e, %v : f32[16,512]
    store %o[:, :], %r
  }
}";

const PLANES: &str = "launch grid=[4, 2, 8] {
  input @x: f32[8,256,256] block=[squeezed, 64, 128] map @m(%i: i32[], %j: i32[], %k: i32[]) { yield %k, %i, %j }
  output @o: f32[256,256] block=[64, 128] map @m(%i: i32[], %j: i32[], %k: i32[]) { yield %i, %j }
  kernel @k(%x: ref<f32[64,128]>, %o: ref<f32[64,128]>) {
    %v = load %x[:, :] : f32[64,128]
    %r = mul %v, %v : f32[64,128]
    store %o[:, :], %r
  }
}";

fn on(threads: usize) -> On {
    On { threads, strict: false, programs: None }
}

#[test]
fn what_is_read_once_is_never_there() {
    for threads in [1, 3] {
        assert!(!is_there_after(ROWS, &[1024, 512], &[16, 512], on(threads)));
        assert!(!is_there_after(PLANES, &[8, 256, 256], &[1, 64, 128], on(threads)));
    }
}

#[test]
fn what_is_read_several_times_is_computed_once() {
    // Every block for each of four programs.
    let often = ROWS.replace("grid=[64]", "grid=[4, 64]").replace("@m(%i: i32[])", "@m(%j: i32[], %i: i32[])");
    assert!(is_there_after(&often, &[1024, 512], &[16, 512], on(3)));
    let one = ROWS.replace("grid=[64]", "grid=[1]").replace("16", "1024");
    assert!(is_there_after(&one, &[1024, 512], &[1024, 512], on(3)));
}

#[test]
fn who_looks_at_programs_sees_arrays() {
    assert!(is_there_after(ROWS, &[1024, 512], &[16, 512], On { programs: Some(0), ..on(1) }));
    assert!(is_there_after(ROWS, &[1024, 512], &[16, 512], On { strict: true, ..on(3) }));
}
