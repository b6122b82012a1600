//! Products of matrices for a GPU: every dtype that tensor cores take, every way the factors may lie, in the simulator against
//! interpret mode. Small whole numbers make every sum exact.

use pallas_interpret::{Hooks, run_launch};
use pallas_simt::ir::Op;
use pallas_simt::{Architecture, compile, sim};
use pallas_tests::products::{DTYPES, EXTENTS, inputs, launch};

struct Nobody;

impl Hooks for Nobody {}

#[test]
fn products_of_every_dtype_and_orientation_are_exact() {
    for dtypes in DTYPES {
        for extents in EXTENTS {
            for terms_last in [[true, false], [true, true], [false, false], [false, true]] {
                let name = format!("{dtypes:?} {extents:?} {terms_last:?}");
                let launch = launch(dtypes, extents, terms_last);
                let inputs = inputs(&launch);
                let program = compile(&launch, Architecture::HOPPER).unwrap_or_else(|error| panic!("{name}: {error}"));
                let (mut units, mut conflicts) = (0, 0);
                program.kernel.body.walk(&mut |inst| units += usize::from(matches!(inst.op, Op::Mma(_))));
                let plain = dtypes.2.is_none() && dtypes.0.bits() == 32;
                assert_eq!(units > 0, !plain, "{name}: {units} products on tensor cores");
                let (found, report) = sim::run(&program, &inputs, 10_000_000).expect("it runs");
                assert!(report.is_clean(), "{name}: {:?}", report.complaints.first());
                conflicts += report.bank_conflicts;
                let expected = run_launch(&launch, inputs, &mut Nobody).expect("it runs");
                let same = found[0].iter_scalars().eq(expected[0].iter_scalars());
                assert!(same, "{name}: {conflicts} conflicts");
            }
        }
    }
}
