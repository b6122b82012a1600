//! What lanes of a warp do together: all members come, or it is no instruction of theirs.

use super::Context;
use super::access::aligned;
use super::cluster::{Cluster, Stopped};
use super::warp::{Group, Next, Warp, lanes};
use crate::fault::Cause;
use crate::inst::{Combine, Inst, Lanes, Op, Vote, Way};
use crate::ops::combined;
use crate::types::low;

impl Warp {
    /// An instruction of several lanes.
    pub(crate) fn warp_wide(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        inst: &Inst,
        group: Group,
        active: u32,
    ) -> Result<Next, Stopped> {
        let first = active.trailing_zeros();
        let members = match &inst.op {
            Op::ActiveMask { to } => {
                self.write(*to, active, &[u64::from(active); 32]);
                return Ok(Next::On);
            }
            Op::WarpSync { members }
            | Op::Shuffle { members, .. }
            | Op::Vote { members, .. }
            | Op::Match { members, .. }
            | Op::Redux { members, .. }
            | Op::Elect { members, .. } => self.regs[*members as usize][first as usize] as u32,
            // Those that are `.aligned` are of the whole warp.
            _ => u32::MAX,
        };
        if let Op::WarpSync { members } | Op::Shuffle { members, .. } | Op::Vote { members, .. } = &inst.op {
            let own = &self.regs[*members as usize];
            if let Some(lane) = lanes(active).find(|lane| own[*lane] as u32 >> lane & 1 == 0) {
                let mask = own[lane] as u32;
                return Err((Cause::Undefined(format!("lane {lane} is no member of {mask:#x}")), lane as u32));
            }
        }
        let Some(here) = self.together(group, active, members) else { return Ok(Next::Regroup) };
        let here = here & self.live;
        match &inst.op {
            Op::Shuffle { way, to, found, from, lane, clamp, .. } => {
                let from = self.regs[*from as usize];
                let (mut values, mut is_found): (Lanes, Lanes) = (from, [0; 32]);
                for own in lanes(here) {
                    let (b, c) = (self.regs[*lane as usize][own] as u32, self.regs[*clamp as usize][own] as u32);
                    let (source, inside) = source(*way, own as u32, b, c);
                    // The value of a lane that does not take part is undefined.
                    let there = here >> source & 1 == 1;
                    values[own] = match (inside, there) {
                        (true, true) => low(from[source as usize], 32),
                        (true, false) => 0xdead_beef,
                        _ => low(from[own], 32),
                    };
                    is_found[own] = u64::from(inside);
                }
                if let Some(to) = to {
                    self.write(*to, here, &values);
                }
                if let Some(found) = found {
                    self.write(*found, here, &is_found);
                }
            }
            Op::Vote { vote, to, from: (from, negated), .. } => {
                let holds = (self.bits(*from) ^ if *negated { u32::MAX } else { 0 }) & here;
                let result = match vote {
                    Vote::All => u32::from(holds == here),
                    Vote::Any => u32::from(holds != 0),
                    Vote::Uniform => u32::from(holds == here || holds == 0),
                    Vote::Ballot => holds,
                };
                self.write(*to, here, &[u64::from(result); 32]);
            }
            Op::Match { all, to, found, from, bits, .. } => {
                let from = self.regs[*from as usize].map(|value| low(value, *bits));
                let same = |own: usize| {
                    let mask = lanes(here).filter(|lane| from[*lane] == from[own]);
                    mask.fold(0_u32, |mask, lane| mask | 1 << lane)
                };
                let masks: Lanes = std::array::from_fn(|own| match same(own) {
                    mask if *all && mask != here => 0,
                    mask => u64::from(mask),
                });
                self.write(*to, here, &masks);
                if let Some(found) = found {
                    self.write(*found, here, &masks.map(|mask| u64::from(mask != 0)));
                }
            }
            Op::Redux { combine, ty, to, from, .. } => {
                let from = self.regs[*from as usize];
                let mut values = lanes(here).map(|lane| from[lane]);
                let first = values.next().unwrap_or(0);
                let result = values.fold(first, |all, value| combined(*combine, *ty, all, value));
                debug_assert!(*combine != Combine::Exchange, "redux has no exchange");
                self.write(*to, here, &[low(result, 32); 32]);
            }
            Op::Elect { to, found, .. } => {
                let leader = (members & self.live).trailing_zeros();
                if let Some(to) = to {
                    self.write(*to, here, &[u64::from(leader); 32]);
                }
                self.write(*found, here, &std::array::from_fn(|lane| u64::from(lane as u32 == leader)));
            }
            Op::Multiply(matrices) => {
                whole(here)?;
                context.ran.products += 1;
                let terms = matrices.shape.iter().product::<usize>() as u64;
                context.ran.terms += terms;
                context.ran.instructions += terms / super::PRODUCT;
                let results = matrices.product(|reg| self.regs[reg as usize]);
                for (to, values) in matrices.registers[3].iter().zip(&results) {
                    self.write(*to, here, values);
                }
            }
            Op::LoadMatrix { to, at, turned } => {
                whole(here)?;
                self.load_matrix(context, cluster, to, at, *turned)?;
            }
            Op::StoreMatrix { at, from, turned } => {
                whole(here)?;
                self.store_matrix(context, cluster, at, from, *turned)?;
            }
            _ => {}
        }
        self.put(group.mask & !active, group.pc + 1);
        self.put(here, group.pc + 1);
        // Who waited here goes on with them.
        Ok(if here == group.mask { Next::On } else { Next::Regroup })
    }

    /// `ldmatrix` (PTX ISA 9.7.14.5.15): lane `8 i + r` says where row `r` of matrix `i` is; each lane gets two elements of a row.
    fn load_matrix(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        to: &[u32],
        of: &crate::inst::Address,
        turned: bool,
    ) -> Result<(), Stopped> {
        let mut results = Vec::new();
        for matrix in 0..to.len() {
            let mut rows = [[0_u8; 16]; 8];
            for (row, bytes) in rows.iter_mut().enumerate() {
                let lane = matrix * 8 + row;
                let address = self.address(of, lane);
                let read =
                    aligned(address, 16).and_then(|()| self.read(context, cluster, lane, (of.space, address), bytes));
                read.map_err(|cause| (cause, lane as u32))?;
            }
            let element = |row: usize, column: usize| {
                u64::from(u16::from_le_bytes([rows[row][2 * column], rows[row][2 * column + 1]]))
            };
            let values: Lanes = std::array::from_fn(|lane| {
                let (row, column) = (lane / 4, lane % 4 * 2);
                match turned {
                    false => element(row, column) | element(row, column + 1) << 16,
                    true => element(column, row) | element(column + 1, row) << 16,
                }
            });
            results.push(values);
        }
        for (to, values) in to.iter().zip(&results) {
            self.write(*to, u32::MAX, values);
        }
        Ok(())
    }

    /// `stmatrix`, the other way round.
    fn store_matrix(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        of: &crate::inst::Address,
        from: &[u32],
        turned: bool,
    ) -> Result<(), Stopped> {
        for (matrix, from) in from.iter().enumerate() {
            let values = self.regs[*from as usize];
            for row in 0..8 {
                let mut bytes = [0; 16];
                for column in 0..8 {
                    let (r, c) = if turned { (column, row) } else { (row, column) };
                    let value = values[r * 4 + c / 2] >> (c % 2 * 16);
                    bytes[2 * column..2 * column + 2].copy_from_slice(&(value as u16).to_le_bytes());
                }
                let lane = matrix * 8 + row;
                let address = self.address(of, lane);
                let put = aligned(address, 16)
                    .and_then(|()| self.put_bytes(context, cluster, lane, (of.space, address), &bytes));
                put.map_err(|cause| (cause, lane as u32))?;
            }
        }
        Ok(())
    }
}

/// Products need every lane.
fn whole(here: u32) -> Result<(), Stopped> {
    match here {
        u32::MAX => Ok(()),
        _ => Err((Cause::Undefined(format!("only lanes {here:#x} of the warp are there")), here.trailing_zeros())),
    }
}

/// Whom a lane reads, and whether that lies inside of its segment.
fn source(way: Way, own: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let most = (own & segment) | (clamp & !segment);
    let least = own & segment;
    let (from, inside) = match way {
        Way::Up => (own.wrapping_sub(b), own as i32 - b as i32 >= most as i32),
        Way::Down => (own + b, own + b <= most),
        Way::Butterfly => (own ^ b, own ^ b <= most),
        Way::Index => (least | (b & !segment), least | (b & !segment) <= most),
    };
    if inside { (from & 31, true) } else { (own, false) }
}
