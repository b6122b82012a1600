//! What of a chain is computed when: once for a row, or for each of its columns, and what stays in registers meanwhile.

use super::Kind;
use super::graph::{Graph, Id, Op};
use super::machine::{Bank, Machine};
use super::translate::Translated;

/// Registers that are left for what an instruction brings in and gives.
const SPARE: usize = 4;

/// What is computed when.
pub(super) struct Order {
    /// Once for each row.
    pub(super) of_rows: Vec<Id>,
    /// For as many columns as go through at a time.
    pub(super) of_columns: Vec<Id>,
    /// Values of rows that columns need.
    pub(super) leaves: Vec<bool>,
    /// Constants that stay in registers.
    pub(super) constants: Vec<Id>,
    /// Values of rows that stay in registers.
    pub(super) kept: Vec<Id>,
    /// Whether those are all that columns need of either.
    #[cfg(target_arch = "x86_64")]
    pub(super) keeps_all: bool,
}

impl Order {
    pub(super) fn new<M: Machine>(translated: &Translated, kinds: &[Kind]) -> Order {
        let nodes = &translated.graph.nodes;
        let mut needed = vec![false; nodes.len()];
        let results = translated.results(kinds.len());
        results.clone().for_each(|(result, _)| needed[result] = true);
        // Each value comes after those that it follows from.
        for id in (0..nodes.len()).rev() {
            if needed[id] {
                nodes[id].args().iter().for_each(|&arg| needed[arg] = true);
            }
        }
        let mut varies = vec![false; nodes.len()];
        let mut leaves = vec![false; nodes.len()];
        let mut uses = vec![0usize; nodes.len()];
        let (mut of_rows, mut of_columns) = (Vec::new(), Vec::new());
        for (id, node) in nodes.iter().enumerate().filter(|&(id, _)| needed[id]) {
            varies[id] = match node.op {
                Op::Constant(_) => continue,
                Op::Read(read) | Op::ReadHalf(read) | Op::ReadTruth(read) => !kinds[read].is_one,
                _ => node.args().iter().any(|&arg| varies[arg]),
            };
            if varies[id] {
                of_columns.push(id);
                for (place, &arg) in node.args().iter().enumerate() {
                    leaves[arg] |= !varies[arg];
                    // What is no last operand has to be brought to a register.
                    let is_last = place + 1 == node.args().len() && !matches!(node.op, Op::MultiplyAdd { .. });
                    uses[arg] += if is_last { 1 } else { 2 };
                }
            } else {
                of_rows.push(id);
            }
        }
        results.clone().for_each(|(result, _)| leaves[result] |= !varies[result]);
        let mut most: Vec<Id> = (0..nodes.len()).filter(|&id| uses[id] > 0 && !varies[id]).collect();
        most.retain(|&id| M::bank(nodes[id].op) == Bank::Vectors);
        most.sort_by_key(|&id| std::cmp::Reverse(uses[id]));
        let results: Vec<Id> = results.map(|(result, _)| result).collect();
        let at_once = pressure::<M>(&translated.graph, &of_columns, &results);
        let room = M::VECTORS.saturating_sub(SPARE + at_once);
        #[cfg(target_arch = "x86_64")]
        let keeps_all = most.len() <= room;
        most.truncate(room);
        let (constants, kept) = most.into_iter().partition(|&id| matches!(nodes[id].op, Op::Constant(_)));
        Order {
            of_rows,
            of_columns,
            leaves,
            constants,
            kept,
            #[cfg(target_arch = "x86_64")]
            keeps_all,
        }
    }
}

/// How many values of an order are in registers of lanes at a time, at most; what is not of it is elsewhere.
pub(super) fn pressure<M: Machine>(graph: &Graph, order: &[Id], results: &[Id]) -> usize {
    let nodes = &graph.nodes;
    let mut last = vec![None; nodes.len()];
    for (position, &id) in order.iter().enumerate() {
        last[id] = Some(position);
        for &arg in nodes[id].args() {
            // (What is not of the order has none.)
            last[arg] = last[arg].map(|_| position);
        }
    }
    results.iter().for_each(|&result| last[result] = Some(order.len()));
    let is_vector = |id: Id| M::bank(nodes[id].op) == Bank::Vectors;
    let (mut now, mut most) = (0usize, 0);
    for (position, &id) in order.iter().enumerate() {
        now += usize::from(is_vector(id));
        most = most.max(now);
        let mut args: Vec<Id> = nodes[id].args().to_vec();
        args.sort_unstable();
        args.dedup();
        let gone = args.iter().filter(|&&arg| last[arg] == Some(position) && is_vector(arg));
        now -= gone.count();
    }
    most
}
