//! Blocks of a megabyte, which are let go of as soon as nobody reads them: the outputs are those of a run that somebody looks at program
//! by program, where every block is copied and stays.

use pallas_interpret::{Hooks, NoHooks, run_launch};
use pallas_ir::text::parse_launch;
use pallas_tensor::Array;

/// Looks at single programs.
struct Looks;

impl Hooks for Looks {
    fn wants_programs(&self) -> bool {
        true
    }
}

/// A launch of four programs over blocks of 512 x 512.
fn same(body: &str) {
    let map = "map @m(%i: i32[]) { %z = constant 0 : i32[] yield %i, %z }";
    let text = format!(
        "launch grid=[4] interpret=plain {{
  input @x: f32[2048,512] block=[512, 512] {map}
  output @o: f32[2048,512] block=[512, 512] {map}
  output @p: f32[2048,512] block=[512, 512] {map}
  kernel @kernel(%x: ref<f32[512,512]>, %o: ref<f32[512,512]>, %p: ref<f32[512,512]>) {{
    %x0 = load %x[:, :] : f32[512,512]
    {body}
  }}
}}"
    );
    let launch = parse_launch(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let values: Vec<f32> = (0..2048 * 512).map(|i| (i as f32 * 0.37) % 5.0 - 2.5).collect();
    let x = Array::from_f32s([2048, 512], &values).expect("as many");
    let looked_at = run_launch(&launch, vec![x.clone()], &mut Looks).expect("runs");
    let found = run_launch(&launch, vec![x], &mut NoHooks).expect("runs");
    let bits = |arrays: &[Array]| -> Vec<Vec<u32>> {
        arrays
            .iter()
            .map(|array| array.elements::<f32>().expect("floats").iter().map(|x| x.to_bits()).collect())
            .collect()
    };
    assert!(bits(&found) == bits(&looked_at), "{body}");
}

#[test]
fn blocks_that_are_loaded_again_are_what_they_were() {
    same(
        "%t = transpose %x0 permutation=[1, 0] : f32[512,512]
    store %o[:, :], %t
    %1 = load %x[:, :] : f32[512,512]
    %2 = cumsum %1 axis=0 reverse=false : f32[512,512]
    store %p[:, :], %2",
    );
}

#[test]
fn masks_count_for_loads_of_all_of_a_block() {
    same(
        "%0 = constant 0.5 : f32[]
    %1 = broadcast_in_dim %0 shape=[512, 512] dims=[] : f32[512,512]
    %mask = gt %x0, %1 : bool[512,512]
    %none = constant -1.0 : f32[]
    %2 = load %x[:, :] mask %mask other %none padded=true : f32[512,512]
    %3 = transpose %2 permutation=[1, 0] : f32[512,512]
    store %o[:, :], %3
    store %p[:, :], %x0",
    );
}

#[test]
fn what_nobody_has_written_is_read_as_ever() {
    same(
        "%0 = load %o[:, :] : f32[512,512]
    %1 = transpose %0 permutation=[1, 0] : f32[512,512]
    store %p[:, :], %1
    %2 = load %o[:, :] : f32[512,512]
    %3 = sub %x0, %x0 : f32[512,512]
    %4 = ne %2, %2 : bool[512,512]
    %5 = select_n %4, %x0, %3 : f32[512,512]
    store %o[:, :], %5",
    );
}
