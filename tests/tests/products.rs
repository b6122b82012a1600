//! Products of matrices for a GPU: every dtype that tensor cores take, every way the factors may lie, by warps and by warpgroups, in
//! the simulator against interpret mode. Small whole numbers make every sum exact.

use pallas_interpret::{Hooks, run_launch};
use pallas_simt::ir::Op;
use pallas_simt::{Architecture, Options, Tuning, compile, compile_with, sim};
use pallas_tensor::DType;
use pallas_tests::products::{DTYPES, EXTENTS, inputs, launch};

struct Nobody;

impl Hooks for Nobody {}

/// Whether a product is by warpgroups on Hopper, of those that are tried here.
fn by_warpgroups(dtype: DType, [m, n, k]: [usize; 3], terms_last: [bool; 2]) -> bool {
    let halves = matches!(dtype, DType::BF16 | DType::F16);
    let bytes = dtype.is_float() && dtype.bits() == 8 && terms_last == [true, true];
    // Two warpgroups share the columns of 64 rows.
    let whole = m >= 64 && (halves || bytes);
    whole && (k * dtype.size_bytes() >= 32) && (terms_last[1] || n * dtype.size_bytes() >= 32)
}

#[test]
fn products_of_every_dtype_and_orientation_are_exact() {
    for dtypes in DTYPES {
        for extents in EXTENTS {
            for terms_last in [[true, false], [true, true], [false, false], [false, true]] {
                let launch = launch(dtypes, extents, terms_last);
                let inputs = inputs(&launch);
                let expected = run_launch(&launch, inputs.clone(), &mut Nobody).expect("it runs");
                for architecture in [Architecture::HOPPER, Architecture::new(89)] {
                    let name = format!("{dtypes:?} {extents:?} {terms_last:?} {}", architecture.name());
                    let program = compile(&launch, architecture).unwrap_or_else(|error| panic!("{name}: {error}"));
                    let (mut warps, mut groups) = (0, 0);
                    program.kernel.body.walk(&mut |inst| match inst.op {
                        Op::Mma(_) => warps += 1,
                        Op::Multiply(_) => groups += 1,
                        _ => {}
                    });
                    let plain = dtypes.2.is_none() && dtypes.0.bits() == 32;
                    assert_eq!(warps + groups > 0, !plain, "{name}: {warps} products on tensor cores");
                    let hopper = architecture == Architecture::HOPPER;
                    let wanted = hopper && by_warpgroups(dtypes.0, extents, terms_last);
                    assert_eq!((groups > 0, warps > 0), (wanted, !wanted && !plain), "{name}: by warpgroups");
                    let (found, report) = sim::run(&program, &inputs, 10_000_000).expect("it runs");
                    assert!(report.is_clean(), "{name}: {:?}", report.complaints.first());
                    let same = found[0].iter_scalars().eq(expected[0].iter_scalars());
                    assert!(same, "{name}: {} conflicts", report.bank_conflicts);
                }
            }
        }
    }
}

/// Four warps are one warpgroup, which has all rows; of several, the first ones share rows of 64, and more than that columns.
#[test]
fn as_many_warpgroups_share_a_product_as_there_are() {
    let bf16 = (DType::BF16, DType::F32, None);
    for (warps, extents, groups) in [
        (4, [128, 64, 64], [1, 1]),
        (8, [128, 64, 64], [2, 1]),
        (16, [128, 64, 64], [2, 2]),
        (16, [64, 128, 32], [1, 4]),
        (16, [512, 32, 32], [4, 1]),
        (32, [128, 128, 16], [2, 4]),
    ] {
        for terms_last in [[true, false], [true, true], [false, false], [false, true]] {
            let launch = launch(bf16, extents, terms_last);
            let tuning = Tuning { warps: Some(warps), stages: None };
            let options = Options { tuning, ..Options::new(Architecture::HOPPER) };
            let program = compile_with(&launch, options).expect("a program");
            let mut found = Vec::new();
            program.kernel.body.walk(&mut |inst| {
                if let Op::Multiply(product) = inst.op {
                    found.push(product.groups);
                }
            });
            assert_eq!(found, [groups], "{warps} warps, {extents:?}, {terms_last:?}");
            let inputs = inputs(&launch);
            let (found, report) = sim::run(&program, &inputs, 10_000_000).expect("it runs");
            assert!(report.is_clean(), "{warps} warps, {extents:?}: {:?}", report.complaints.first());
            let expected = run_launch(&launch, inputs, &mut Nobody).expect("it runs");
            assert!(
                found[0].iter_scalars().eq(expected[0].iter_scalars()),
                "{warps} warps, {extents:?}, {terms_last:?}"
            );
        }
    }
}
