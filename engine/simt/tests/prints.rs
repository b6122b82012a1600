//! `debug_print` of tiles: what the simulator prints, which reads what the CUDA C++ is printed from.

use pallas_ir::text::parse_launch;
use pallas_simt::{Architecture, compile, sim};
use pallas_tensor::Array;

#[test]
fn each_element_of_a_tile_is_a_line_with_its_place() {
    let launch = parse_launch(include_str!("cases/print_tile.ir")).expect("a launch");
    let program = compile(&launch, Architecture::meant_by(&launch)).expect("it is lowered");
    let numbers: Vec<f32> = (0..24).map(|i| i as f32 * 0.5).collect();
    let input = Array::from_f32s([4, 6], &numbers).expect("as many");
    let (_, report) = sim::run(&program, &[input], 1_000_000).expect("it runs");
    let mut printed = report.printed;
    printed.sort();
    let mut expected: Vec<String> =
        (0..24).map(|i| format!("program 0: x = [{}, {}]: {}", i / 6, i % 6, numbers[i])).collect();
    expected.sort();
    assert_eq!(printed, expected, "all of them, and none twice");
}

#[test]
fn tiles_of_several_shapes_are_refused_with_what_to_do() {
    let text = include_str!("cases/print_tile.ir").replace(
        "debug_print %0, %1 format=\"program {}: x = {}\"",
        "%9 = reduce_sum %1 axes=[1] : f32[4]\n    debug_print %1, %9 format=\"{} {}\"",
    );
    let launch = parse_launch(&text).expect("a launch");
    let refusal = compile(&launch, Architecture::meant_by(&launch)).expect_err("shapes differ");
    assert!(refusal.message.contains("print each by a call of its own"), "{}", refusal.message);
}
