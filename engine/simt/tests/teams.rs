//! Warpgroups that meet at phase barriers, and engines that copy and multiply for them: what is dropped of that, one at a time, the
//! simulator sees.

use crate::mutants::{Change, FUEL, changed, inputs, launch, program};
use pallas_simt::ir::{Op, Share, Space};
use pallas_simt::sim::{Kind, run};
use pallas_simt::{Architecture, Program, compile};
use pallas_tensor::Array;

/// Each of these mutants is seen: it is stuck, or somebody touches what is not there yet or not free yet.
fn are_seen(name: &str, change: Change, numbers: &[usize]) {
    let inputs = inputs(name);
    let (_, report) = run(&program(name), &inputs, FUEL).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    assert!(report.is_clean(), "{name}: {:?}", report.complaints);
    for &number in numbers {
        let mut mutant = program(name);
        assert!(changed(&mut mutant.kernel.body, change, &mut { number }), "{name} has only {number} of them");
        assert!(is_seen(&mutant, &inputs), "{name}: nobody saw that number {number} is another");
    }
}

fn is_seen(mutant: &Program, inputs: &[Array]) -> bool {
    let Ok((_, report)) = run(mutant, inputs, FUEL) else { return true };
    let kinds = [Kind::Race, Kind::BlockRace, Kind::UnderWay, Kind::Uninitialized, Kind::Unfenced];
    kinds.into_iter().any(|kind| report.count(kind) > 0)
}

fn arrive_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::Arrive { .. }).then_some(None)
}

fn await_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::Await { .. }).then_some(None)
}

fn publish_gone(op: &Op) -> Option<Option<Op>> {
    (*op == Op::Publish).then_some(None)
}

fn barrier_gone(op: &Op) -> Option<Option<Op>> {
    (*op == Op::Barrier).then_some(None)
}

fn wait_for_less(op: &Op) -> Option<Option<Op>> {
    match op {
        Op::WaitSent { pending, read } => Some(Some(Op::WaitSent { pending: pending + 1, read: *read })),
        Op::WaitProducts(pending) => Some(Some(Op::WaitProducts(pending + 1))),
        _ => None,
    }
}

#[test]
fn three_slots_that_an_engine_fills() {
    are_seen("teams_slots.ir", arrive_gone, &[0, 1, 2, 3]);
    are_seen("teams_slots.ir", await_gone, &[0]);
    are_seen("teams_slots.ir", publish_gone, &[0]);
    are_seen("teams_slots.ir", barrier_gone, &[0, 1]);
    are_seen("teams_slots.ir", wait_for_less, &[0]);
}

#[test]
fn a_queue_between_two_warpgroups() {
    are_seen("teams_queue.ir", arrive_gone, &[0, 1]);
    // The producer waits for a free slot; in the end for the last ones, which nobody misses; the consumer for a full one.
    are_seen("teams_queue.ir", await_gone, &[0, 2]);
}

#[test]
fn a_product_in_a_pipeline() {
    are_seen("teams_matmul.ir", arrive_gone, &[0, 1]);
    are_seen("teams_matmul.ir", await_gone, &[0]);
    are_seen("teams_matmul.ir", publish_gone, &[0]);
    are_seen("teams_matmul.ir", wait_for_less, &[0, 1]);
}

#[test]
fn warpgroups_with_roles() {
    are_seen("teams_roles.ir", arrive_gone, &[0, 1, 2, 4]);
    are_seen("teams_roles.ir", await_gone, &[0]);
    // The first wait is one for nothing: an accumulator is written that no product goes to.
    are_seen("teams_roles.ir", wait_for_less, &[1]);
}

fn expect_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::Expect { .. }).then_some(None)
}

fn bring_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::BringBox { share: Share::All | Share::Leader, .. }).then_some(None)
}

/// The last barriers of a kernel count one arrival fewer.
fn with_too_few_arrivals(name: &str) -> Program {
    let mut mutant = program(name);
    let barriers = mutant.kernel.memories.iter_mut().filter(|memory| matches!(memory.space, Space::Phases { .. }));
    let last = barriers.last().expect("barriers");
    assert_eq!(last.space, Space::Phases { arrivals: 2 });
    last.space = Space::Phases { arrivals: 1 };
    mutant
}

#[test]
fn two_blocks_that_fill_each_others_slots() {
    let name = "teams_cluster.ir";
    let mut shared = 0;
    program(name).kernel.body.walk(&mut |inst| {
        shared += usize::from(matches!(inst.op, Op::BringBox { share: Share::All, .. }));
    });
    assert_eq!(shared, 6, "each tile comes in two panels");
    // Copies, the arrival at the own barrier and at the other block's.
    are_seen(name, arrive_gone, &[0, 1, 2, 3, 4, 5, 6, 7]);
    // For what was brought, and for both blocks to have read.
    are_seen(name, await_gone, &[0, 1]);
    are_seen(name, expect_gone, &[0, 1, 2]);
    are_seen(name, bring_gone, &[0, 1, 2]);
    are_seen(name, wait_for_less, &[0]);
}

#[test]
fn a_barrier_of_a_cluster_that_counts_too_few_arrivals() {
    for name in ["teams_cluster.ir", "teams_pair.ir"] {
        assert!(is_seen(&with_too_few_arrivals(name), &inputs(name)), "{name}");
    }
}

fn arrive_tensor_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::ArriveTensor { .. }).then_some(None)
}

#[test]
fn two_halves_of_tensor_memory() {
    are_seen("teams_tensor.ir", arrive_gone, &[0, 1, 2]);
    are_seen("teams_tensor.ir", arrive_tensor_gone, &[0]);
    // For the factors, for a half that was stored, and for one that was multiplied; the last stores nobody misses.
    are_seen("teams_tensor.ir", await_gone, &[0, 1, 3]);
    are_seen("teams_tensor.ir", publish_gone, &[0]);
}

#[test]
fn a_left_factor_in_tensor_memory() {
    let name = "teams_lanes.ir";
    are_seen(name, arrive_gone, &[0, 1]);
    are_seen(name, arrive_tensor_gone, &[0]);
    // For both factors, for the product that reads the lanes before they are written again, and for the last one.
    are_seen(name, await_gone, &[0, 1, 2]);
    are_seen(name, publish_gone, &[0]);
    // Between what threads put into their lanes and the product, and before what was put together is sent.
    are_seen(name, barrier_gone, &[0, 1]);
}

#[test]
fn half_of_the_rows() {
    let name = "teams_half.ir";
    are_seen(name, arrive_gone, &[0, 1]);
    are_seen(name, arrive_tensor_gone, &[0]);
    // For factors that may be brought, that have come, and for the sums.
    are_seen(name, await_gone, &[0, 1, 2]);
    are_seen(name, publish_gone, &[0]);
}

#[test]
fn scopes_that_two_warpgroups_leave_before_they_enter_the_next() {
    let name = "teams_scopes.ir";
    let kernel = program(name).kernel;
    let scoped: Vec<_> = kernel.memories().filter(|(_, memory)| !memory.scopes.is_empty()).collect();
    assert_eq!(scoped.len(), 2, "{kernel}");
    assert!(scoped[0].1.at.is_some() && scoped[0].1.at == scoped[1].1.at, "both have the same bytes");
    // At the entry of both scopes, before a team looks at what the other one wrote, and of the copy.
    are_seen(name, await_gone, &[0, 1, 2, 3, 4]);
    are_seen(name, arrive_gone, &[0, 1, 2, 3, 4]);
}

#[test]
fn warps_with_roles() {
    let name = "teams_warps.ir";
    are_seen(name, arrive_gone, &[0, 1]);
    are_seen(name, arrive_tensor_gone, &[0, 1]);
    // The second and third are for the last slots, which nobody fills again.
    are_seen(name, await_gone, &[0, 3, 4]);
    are_seen(name, publish_gone, &[0]);
    // Before shared memory is written that is being sent; warps send nothing, and at the end all that is sent is over anyway.
    are_seen(name, wait_for_less, &[1]);
}

#[test]
fn two_blocks_that_multiply_together() {
    let name = "teams_pair.ir";
    are_seen(name, arrive_gone, &[0, 1, 2, 3]);
    are_seen(name, arrive_tensor_gone, &[0, 1]);
    // What comes after these is the end.
    are_seen(name, await_gone, &[0, 1, 2, 3]);
    are_seen(name, expect_gone, &[0, 1]);
    are_seen(name, bring_gone, &[0, 1]);
    are_seen(name, publish_gone, &[0, 1, 2, 3]);
    are_seen(name, wait_for_less, &[1, 2, 3, 4]);
}

fn claim_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::Claim { .. }).then_some(None)
}

#[test]
fn clusters_that_take_the_work_of_others() {
    let name = "teams_claims.ir";
    are_seen(name, claim_gone, &[0]);
    are_seen(name, expect_gone, &[0]);
    // For the answer, and for its place to be free: here and in the other block.
    are_seen(name, arrive_gone, &[0, 1, 2]);
    are_seen(name, await_gone, &[0, 1]);
}

#[test]
fn a_product_for_two_blocks_reads_what_both_have() {
    let mut mutant = program("teams_pair.ir");
    fn alone(region: &mut pallas_simt::ir::Region) {
        for inst in &mut region.insts {
            if let Op::MultiplyTensor(product) = &mut inst.op {
                product.pair = false;
                product.extents[1] /= 2;
            }
            inst.regions.iter_mut().for_each(alone);
        }
    }
    alone(&mut mutant.kernel.body);
    assert!(is_seen(&mutant, &inputs("teams_pair.ir")), "nobody saw that the other block has no sums");
}

fn own_bring_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::BringBox { share: Share::Own, .. }).then_some(None)
}

fn copy_gone(op: &Op) -> Option<Option<Op>> {
    matches!(op, Op::CopyTensor(_)).then_some(None)
}

#[test]
fn scales_that_are_copied_into_tensor_memory_in_turn_with_a_product() {
    are_seen("teams_scales.ir", copy_gone, &[0, 1]);
    are_seen("teams_scales.ir", own_bring_gone, &[0, 1, 2, 3]);
    are_seen("teams_scales.ir", await_gone, &[0, 1]);
}

#[test]
fn what_threads_loaded_of_tensor_memory_is_read_before_it_is_multiplied_again() {
    let mut mutant = program("teams_tensor.ir");
    // The other team arrives before it has loaded.
    fn late(region: &mut pallas_simt::ir::Region) {
        let load = region.insts.iter().position(|inst| matches!(inst.op, Op::LoadTensor(_)));
        let arrive = region.insts.iter().position(|inst| matches!(inst.op, Op::Arrive { alone: false, .. }));
        if let (Some(load), Some(arrive)) = (load, arrive) {
            let inst = region.insts.remove(arrive);
            region.insts.insert(load, inst);
        }
        region.insts.iter_mut().flat_map(|inst| &mut inst.regions).for_each(late);
    }
    late(&mut mutant.kernel.body);
    let (_, report) = run(&mutant, &inputs("teams_tensor.ir"), FUEL).expect("it ends");
    assert!(report.count(Kind::Race) + report.count(Kind::UnderWay) > 0, "{:?}", report.complaints);
}

#[test]
fn who_waits_in_vain_is_said() {
    let mut mutant = program("teams_queue.ir");
    assert!(changed(&mut mutant.kernel.body, arrive_gone, &mut 0));
    let fault = run(&mutant, &[], FUEL).expect_err("nobody fills the queue");
    assert!(fault.message.contains("team 1 of block 0 waits for phase 1 of barriers"), "{fault}");
}

#[test]
fn other_devices_are_refused_with_the_line() {
    for (name, capability, words) in [
        ("teams_queue.ir", 80, "`barrier_wait` is for Hopper (sm_90a) and later devices, and the device is sm_80"),
        ("teams_matmul.ir", 100, "`wgmma` is for Hopper (sm_90a), and the device is sm_100a"),
        ("teams_tensor.ir", 90, "`tcgen05_mma` is for Blackwell for data centres (sm_100a), and the device is sm_90a"),
    ] {
        let refusal = compile(&launch(name), Architecture::new(capability)).expect_err("another device");
        assert_eq!(refusal.message, words);
        assert!(refusal.help.is_some());
    }
}

#[test]
fn tensor_cores_read_without_two_pieces_in_one_bank() {
    let program = program("teams_matmul.ir");
    let mut products = 0;
    program.kernel.body.walk(&mut |inst| products += usize::from(matches!(inst.op, Op::Multiply(_))));
    assert_eq!(products, 1);
    assert!(program.kernel.maps.iter().any(|map| map.swizzle == 128), "factors lie in panels");
}

#[test]
fn clusters_are_refused_where_there_are_none() {
    let launch = launch("clusters.ir");
    assert!(compile(&launch, Architecture::HOPPER).expect("a program").source.contains("__cluster_dims__(2, 1, 1)"));
    let refusal = compile(&launch, Architecture::new(80)).expect_err("Ampere has no clusters");
    assert!(refusal.message.contains("clusters are for Hopper"), "{refusal}");
    assert_eq!(refusal.span, launch.spans.call);
}
