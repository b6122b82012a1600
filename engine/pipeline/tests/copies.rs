//! Copies of the launches that the software pipelining guide reasons about.

use pallas_ir::text::parse_launch;
use pallas_pipeline::{Copies, copies};

/// A matmul over a (2, 3, 4) grid, the reduction innermost: x moves with every program, o only with (i, j).
const MATMUL: &str = r#"launch grid=[2, 3, 4] {
  input @x_ref: f32[64,128] block=[32, 32] map @"x"(%0: i32[], %1: i32[], %2: i32[]) { yield %0, %2 }
  input @b_ref: f32[8] block=[8]
  output @o_ref: f32[64,96] block=[32, 32] map @"o"(%0: i32[], %1: i32[], %2: i32[]) { yield %0, %1 }
  kernel @matmul(%x_ref: ref<f32[32,32]>, %b_ref: ref<f32[8]>, %o_ref: ref<f32[32,32]>) {
  }
}
"#;

#[test]
fn a_block_that_stays_is_copied_once() {
    let launch = parse_launch(MATMUL).expect("the launch above is well formed");
    let found: Vec<Option<Copies>> = launch.operands.iter().map(|operand| copies(&launch, operand)).collect();
    let block = 32 * 32 * 4;
    assert_eq!(
        found,
        [
            Some(Copies { count: 24, bytes: 24 * block }),
            Some(Copies { count: 1, bytes: 32 }),
            Some(Copies { count: 6, bytes: 6 * block }),
        ]
    );
}

#[test]
fn a_reduction_over_the_outer_axis_copies_every_time() {
    // The guide's "incorrect sum": the output's block leaves and comes back.
    let text = MATMUL.replace("yield %0, %1 }", "yield %1, %2 }").replace("f32[64,96]", "f32[96,128]");
    let launch = parse_launch(&text).expect("the launch is well formed");
    assert_eq!(copies(&launch, &launch.operands[2]).map(|c| c.count), Some(24));
}
