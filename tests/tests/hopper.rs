//! What has to hold of ordinary kernels that multiply, on Hopper: products of a loop in the kernel (as for Triton), of a loop along an
//! axis of the grid (as for TPUs), and attention go by warpgroups, and where nobody looks at a sum, one round's product is under way while
//! the next round begins. On other devices the loops are as short as they can be. NVRTC and nvdisasm say the same of machine code.

use pallas_engine::accelerator::{Accelerator, Simulator};
use pallas_engine::cuda::{disassemble, find};
use pallas_engine::ir::Launch;
use pallas_engine::simt::ir::{Inst, Op, Region};
use pallas_engine::simt::{Architecture, Program, compile};
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::corpus::root;
use pallas_tests::cuda::{compile_all, compiler, places, say};
use pallas_tests::gpu::launches;
use pallas_tests::machine_code::{Weight, inside};
use pallas_tests::simt::inputs;
use std::sync::Arc;

/// Files of `benches/gpu`, how many products a round has, and whether they are left under way.
const KERNELS: [(&str, usize, bool); 4] =
    [("matmul_bf16", 1, true), ("matmul_wide", 1, true), ("matmul_tpu", 1, true), ("attention", 2, false)];

fn launch(file: &str) -> Arc<Launch> {
    let path = root().join("benches/gpu").join(file).with_extension("py");
    launches(&path).expect("its launches").swap_remove(0)
}

fn program(file: &str, capability: u32) -> Program {
    compile(&launch(file), Architecture::new(capability)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn count(region: &Region, is: &dyn Fn(&Op) -> bool) -> usize {
    let mut count = 0;
    region.walk(&mut |inst| count += usize::from(is(&inst.op)));
    count
}

/// The body of the innermost loop that multiplies.
fn rounds(region: &Region) -> Option<&Region> {
    let multiplies = |inst: &Inst| matches!(inst.op, Op::Multiply(_) | Op::Mma(_));
    let own = region.insts.iter().any(multiplies).then_some(region);
    own.or_else(|| region.insts.iter().flat_map(|inst| &inst.regions).find_map(rounds))
}

#[test]
fn products_go_by_warpgroups_and_nobody_waits_for_each() {
    for (file, products, under_way) in KERNELS {
        let program = program(file, 90);
        let body = &program.kernel.body;
        assert_eq!(count(body, &|op| matches!(op, Op::Multiply(_))), products, "{file}: by warpgroups");
        assert_eq!(count(body, &|op| matches!(op, Op::Mma(_))), 0, "{file}: by warps");
        assert!(program.kernel.notes.is_empty(), "{file}: {:?}", program.kernel.notes);
        let round = rounds(body).unwrap_or_else(|| panic!("{file}: no loop multiplies"));
        assert_eq!(count(round, &|op| matches!(op, Op::Switch)), 0, "{file}: rounds are alike");
        assert!(count(round, &|op| matches!(op, Op::CopyAhead { .. })) >= 2, "{file}: factors are copied ahead");
        let waits = count(round, &|op| *op == Op::WaitProducts(1));
        let looked_at = count(round, &|op| matches!(op, Op::Take(_) | Op::Keep(_)));
        assert_eq!((waits == 1, looked_at == 0), (under_way, under_way), "{file}: products under way");
    }
}

#[test]
fn rounds_of_warps_do_nothing_with_a_sum_but_add_to_it() {
    for (file, products, _) in KERNELS {
        for capability in [80, 100] {
            let program = program(file, capability);
            let round = rounds(&program.kernel.body).unwrap_or_else(|| panic!("{file}: no loop multiplies"));
            assert!(count(round, &|op| matches!(op, Op::Mma(_))) >= products, "{file} for {capability}");
            assert_eq!(count(round, &|op| matches!(op, Op::Switch)), 0, "{file} for {capability}: rounds are alike");
        }
    }
    // Along an axis of the grid as in the kernel: the same instructions a round.
    let of = |file: &str, capability: u32| {
        let program = program(file, capability);
        let round = rounds(&program.kernel.body).expect("a loop");
        let names =
            ["Mma", "LoadMatrix", "CopyAhead", "Barrier", "Multiply", "WaitProducts", "WaitAhead", "Store", "Load {"];
        names.map(|name| count(round, &|op| format!("{op:?}").starts_with(name)))
    };
    for capability in [80, 90, 100] {
        assert_eq!(of("matmul_tpu", capability), of("matmul_bf16", capability), "for {capability}");
    }
}

/// What `matmul_tpu.py` zeroes and adds to, and what the first round sets and later ones add to, in these ways.
const ZEROED: &str = "  @pl.when(pl.program_id(2) == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)

  acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
";
const SET: [&str; 6] = [
    "  p = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  @pl.when(pl.program_id(2) == 0)
  def _():
    acc_ref[...] = p

  @pl.when(pl.program_id(2) > 0)
  def _():
    acc_ref[...] += p
",
    "  p = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
  acc_ref[...] = jnp.where(pl.program_id(2) == 0, p, acc_ref[...] + p)
",
    "  @pl.when(pl.program_id(2) == 0)
  def _():
    acc_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  @pl.when(pl.program_id(2) > 0)
  def _():
    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
",
    "  @pl.when(pl.program_id(2) != 0)
  def _():
    acc_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32) + acc_ref[...]

  @pl.when(pl.program_id(2) == 0)
  def _():
    acc_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
",
    "  def product():
    return jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  acc_ref[...] = jax.lax.cond(pl.program_id(2) == 0, product, lambda: acc_ref[...] + product())
",
    "  acc = jnp.where(pl.program_id(2) == 0, 0, acc_ref[...])
  acc_ref[...] = acc + jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
",
];

/// Instructions of a kernel, of each kind.
fn kinds(region: &Region) -> Vec<String> {
    let mut kinds = Vec::new();
    region.walk(&mut |inst| {
        // What an index is computed from may be done once more, or be a constant more.
        if !matches!(inst.op, Op::Scalar(..) | Op::Pick(_) | Op::Const(_)) {
            kinds.push(format!("{:?}", inst.op).split([' ', '(', '{']).next().unwrap_or_default().to_string());
        }
    });
    kinds
}

#[test]
fn a_sum_that_the_first_round_sets_is_one_that_it_zeroes() {
    let path = root().join("benches/gpu/matmul_tpu.py");
    let text = std::fs::read_to_string(path).expect("the kernel");
    let lowered = |text: &str, capability: u32| {
        let launches = Analysis::new("set.py", text, &AnalysisOptions::new(Arc::new(Disk))).launches;
        let program = compile(&launches[0], Architecture::new(capability)).expect("it is lowered");
        kinds(&program.kernel.body)
    };
    for capability in [80, 90, 100] {
        let zeroed = lowered(&text, capability);
        for set in SET {
            let other = text.replace(ZEROED, set);
            assert_ne!(other, text);
            assert_eq!(lowered(&other, capability), zeroed, "for {capability}:\n{set}");
        }
    }
}

#[test]
fn scores_are_scaled_for_the_difference_from_their_maximum_alone() {
    let launch = launch("attention");
    for capability in [80, 90, 100] {
        let program = compile(&launch, Architecture::new(capability)).expect("it is lowered");
        let round = rounds(&program.kernel.body).expect("a loop");
        let mut constants = Vec::new();
        program.kernel.body.walk(&mut |inst| {
            if matches!(inst.op, Op::Const(_)) {
                constants.extend(inst.results.iter().copied());
            }
        });
        let named = |inst: &Inst, name: &str| matches!(&inst.op, Op::Scalar(op, _) if op.name == name);
        let scales = |inst: &&Inst| named(inst, "mul") && constants.contains(&inst.operands[1]);
        let of_floats = |inst: &&Inst| program.kernel.ty(inst.results[0]).dtype.is_float();
        let scaled: Vec<&Inst> = round.insts.iter().filter(scales).filter(of_floats).collect();
        // The scores, and the maximum of each row.
        let mut registers: Vec<u32> = scaled.iter().map(|inst| program.kernel.ty(inst.results[0]).regs).collect();
        registers.sort_unstable();
        assert!(matches!(registers[..], [few, many] if few * 8 <= many), "for {capability}: {registers:?}");
        let scores = scaled.iter().max_by_key(|inst| program.kernel.ty(inst.results[0]).regs).expect("scores");
        let users: Vec<&Inst> = round.insts.iter().filter(|inst| inst.operands.contains(&scores.results[0])).collect();
        assert!(matches!(users[..], [user] if named(user, "sub")), "for {capability}: {users:?}");
    }
}

/// A product of 32 rows, which is none for warpgroups.
const SMALL: &str = "
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def product(x_ref, y_ref, o_ref):
  o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

x, y = jnp.ones((32, 64), jnp.bfloat16), jnp.ones((64, 32), jnp.bfloat16)
pl.pallas_call(product, out_shape=jax.ShapeDtypeStruct((32, 32), jnp.float32))(x, y)
";

#[test]
fn a_profile_says_why_a_product_goes_by_warps() {
    let analysis = Analysis::new("small.py", SMALL, &AnalysisOptions::new(Arc::new(Disk)));
    let [launch] = &analysis.launches[..] else { panic!("one launch") };
    let ran = Simulator::default().profile(launch, &inputs(launch), &|| false).expect("it runs");
    let remarks = ran.timed.expect("times").about.remarks;
    let said = "a product of 32 x 32, of 64 terms, goes by warps (mma.sync), not by warpgroups (wgmma): there are fewer than 64 rows";
    assert_eq!(remarks, [said]);
}

#[test]
fn machine_code_of_rounds_has_nothing_but_what_a_product_needs() {
    let Some(compiler) = compiler("products on Hopper") else { return };
    let Some(tool) = find(&places()).nvdisasm else {
        say("SKIPPED looking at machine code: there is no nvdisasm");
        return;
    };
    for (capability, instruction) in [(80, "HMMA"), (90, "HGMMA")] {
        let architecture = Architecture::new(capability);
        let programs = KERNELS.map(|(file, ..)| program(file, capability));
        for ((file, products, _), answer) in KERNELS.iter().zip(compile_all(&compiler, architecture, &programs)) {
            let compiled = answer.unwrap_or_else(|error| panic!("{file}: {error}"));
            let name = architecture.name();
            let used = compiled.resources.unwrap_or_default();
            assert!(!used.spills(), "{file} for {name}: {used:?}");
            assert!(!compiled.log.contains("serialized"), "{file} for {name}: {}", compiled.log);
            let listing = disassemble(&tool, &compiled.cubin, &std::env::temp_dir()).expect("machine code");
            let multiply = inside(&listing, instruction);
            let inner = Weight::of(&listing).inner;
            say(&format!("{file} for {name}: {inner} instructions in the loop, {multiply} {instruction}, {used:?}"));
            assert!(multiply >= *products, "{file} for {name} has no {instruction} in its loop");
        }
    }
}
