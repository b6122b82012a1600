//! What `benches/gpu` does on a device, on one that is made up: whoever has a GPU for an hour gets a table, whatever goes wrong.

use pallas_engine::accelerator::Gpu;
use pallas_engine::cuda::Failure;
use pallas_engine::simt::{Architecture, compile};
use pallas_engine::{Launch, tileir};
use pallas_tests::corpus::root;
use pallas_tests::device::{Fake, Faults, NOTED, PLAIN};
use pallas_tests::gpu::kernels::KERNELS;
use pallas_tests::gpu::peers::Peers;
use pallas_tests::gpu::{equal, launches, measure, table};
use std::path::PathBuf;
use std::sync::Arc;

fn gpu(fake: &Fake) -> Gpu {
    Gpu::with(Box::new(fake.clone()), Box::new(fake.clone()), None)
}

/// What is said of a small kernel, twice: as the one that is compared, and as the one that is timed.
fn facts(faults: Faults) -> table::Facts {
    let softmax = KERNELS.iter().find(|kernel| kernel.name == "softmax").expect("a kernel");
    let [_, small] = softmax.launches().expect("its launches");
    let fake = Fake::new(std::slice::from_ref(&small), faults);
    let mut facts = table::Facts::new();
    measure::measured(&[small.clone(), small], gpu(&fake), Ok(Box::new(fake.clone())), &mut |key, value| {
        facts.insert(key.to_string(), value.to_string());
    });
    // A lost context has nothing that could be given back.
    assert!(fake.left() == 0 || facts.values().any(|value| value.contains("lost to this run")));
    facts
}

#[test]
fn a_kernel_that_runs_has_all_its_numbers() {
    let softmax = &KERNELS[1];
    let facts = facts(Faults { tiles: PLAIN / 2.0, ..Faults::default() });
    let number = |key: &str| facts.get(key).and_then(|text| text.parse::<f64>().ok());
    assert_eq!((number("simt"), number("noted"), number("tileir")), (Some(PLAIN), Some(NOTED), Some(PLAIN / 2.0)));
    assert!(number("ceiling copy").is_some() && number("registers").is_some(), "{facts:?}");
    let rows = table::rows(softmax, &facts, &Peers::default());
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert!(rows.contains("| 20.0 us |") && rows.contains("| 10.0 us |") && rows.contains("| 5.0 % |"), "{rows}");
}

#[test]
fn a_way_that_fails_or_computes_something_else_has_a_row_that_says_so() {
    let wrong = facts(Faults { tiles: PLAIN, wrong_tiles: true, ..Faults::default() });
    assert!(wrong.contains_key("simt") && !wrong.contains_key("tileir"), "{wrong:?}");
    assert!(wrong["tileir why"].contains("o_ref differs in"), "{wrong:?}");
    let lost =
        facts(Faults { kernel: Some(Failure::IllegalAccess("illegal address".to_string())), ..Faults::default() });
    assert!(lost["simt why"].contains("accessed memory that is not its own"), "{lost:?}");
    assert!(lost["tileir why"].contains("lost to this run"), "{lost:?}");
    let rows = table::rows(&KERNELS[1], &lost, &Peers::default());
    assert!(rows.contains("accessed memory that is not its own"), "{rows}");
}

#[test]
fn a_product_along_the_grid_is_held_against_one_in_the_kernel() {
    let took = |time: f64| table::Facts::from([("simt".to_string(), time.to_string())]);
    let claims = |along: f64| {
        let found = [("matmul_bf16_4096", took(300.0)), ("matmul_tpu_4096", took(along))].into_iter().collect();
        table::claims(None, &found, &Peers::default())
    };
    let said = "| matmul_bf16_4096: terms along the grid as fast as in a loop of the kernel |";
    assert!(claims(310.0).contains(&format!("{said} 0.97 | yes |")), "{}", claims(310.0));
    assert!(claims(500.0).contains(&format!("{said} 0.60 | NO |")), "{}", claims(500.0));
}

/// What is said of the launches of a sample.
fn said(faults: Faults, start: equal::Start) -> Vec<(String, String)> {
    let program: PathBuf = root().join("samples/12_pipelined_add.py");
    let all: Vec<Arc<Launch>> = launches(&program).expect("the sample");
    let fake = Fake::new(&all, faults);
    let mut said = Vec::new();
    let mut gpu = gpu(&fake);
    equal::compare(&[program], start, &mut gpu, &mut |key, value| said.push((key.to_string(), value.to_string())));
    said
}

#[test]
fn launches_of_programs_are_compared_one_by_one() {
    let all = said(Faults::default(), (0, 0));
    assert!(all.len() >= 4 && all.chunks(2).all(|pair| pair[0].0 == "begin" && pair[1].0 == "equal"), "{all:?}");
    assert!(all[0].1.starts_with("0 0 12_pipelined_add.py launch 0 "), "{all:?}");
    assert_eq!(said(Faults::default(), (0, 1)), all[2..], "it begins where it is told to");
    let lost = said(Faults { hangs: true, ..Faults::default() }, (0, 0));
    assert_eq!(lost.len(), 2, "nothing runs after it: {lost:?}");
    assert!(lost[1].0 == "lost" && lost[1].1.contains("did not end within 30 seconds"), "{lost:?}");
}

#[test]
fn every_kernel_of_the_table_is_lowered_both_ways_and_has_a_small_one() {
    for kernel in &KERNELS {
        let [launch, small] = kernel.launches().unwrap_or_else(|why| panic!("{why}"));
        assert!(small.operands[0].array.shape.size() <= 1 << 17, "{} is not small", kernel.name);
        for launch in [&launch, &small] {
            assert!(compile(launch, Architecture::HOPPER).is_ok(), "{}", kernel.name);
        }
        let fits = tileir::compile(&launch).is_ok();
        assert_ne!(fits, kernel.is_for_warpgroups(), "{}", kernel.name);
        let same = pallas_tests::simt::compare(&small);
        assert_eq!(same, pallas_tests::simt::Outcome::Equal, "{} in the simulator", kernel.name);
    }
}

#[test]
fn arrays_to_multiply_are_random_and_of_the_right_size() {
    let [launch, _] = KERNELS[3].launches().expect("its launches");
    let arrays = measure::inputs(&launch).expect("arrays");
    let first: Vec<f64> = arrays[0].iter_scalars().take(1000).filter_map(|scalar| scalar.as_f64()).collect();
    let mean = first.iter().sum::<f64>() / 1000.0;
    let spread = first.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1000.0;
    assert_eq!(arrays[0].shape(), &launch.operands[0].array.shape);
    assert!(mean.abs() < 0.15 && (0.5..2.0).contains(&spread), "{mean} {spread}");
    assert_ne!(arrays[0].get(5), arrays[1].get(5), "two factors are not alike");
}
