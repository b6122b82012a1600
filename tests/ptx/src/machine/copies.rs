//! Copies of a thread that are on their way (PTX ISA 9.7.9.25, 9.7.9.27): done only when it waits for them, so that a program that does
//! not wait finds what was there before.

use super::Context;
use super::access::aligned;
use super::cluster::{Cluster, Stopped};
use super::warp::{Warp, lanes};
use crate::inst::{Address, Combine};
use crate::tensor_map::TensorMap;
use crate::types::{Space, low};
use std::collections::VecDeque;

/// A copy.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: usize,
    /// How many of them are read; the others are zeros.
    given: usize,
}

/// What a thread has started.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Since the last group was committed.
    open: Vec<Copy>,
    groups: VecDeque<Vec<Copy>>,
    /// Boxes to global memory.
    open_sent: Vec<Sent>,
    pub(crate) sent: VecDeque<Vec<Sent>>,
}

/// A box on its way to global memory.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) map: TensorMap,
    pub(crate) begins: Vec<i32>,
    pub(crate) from: u64,
    pub(crate) combine: Option<Combine>,
    /// What was in shared memory when it was read.
    pub(crate) content: Option<Vec<u8>>,
}

impl Copies {
    pub(crate) fn send(&mut self, sent: Sent) {
        self.open_sent.push(sent);
    }

    pub(crate) fn commit_sent(&mut self) {
        let group = std::mem::take(&mut self.open_sent);
        self.sent.push_back(group);
    }

    /// All boxes that are on their way, of a thread that ends.
    pub(crate) fn left(&mut self) -> Vec<Sent> {
        self.commit_sent();
        self.sent.drain(..).flatten().collect()
    }
}

impl Warp {
    pub(crate) fn copy_async(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        (to, from): (Address, Address),
        bytes: u32,
        given: Option<u32>,
        active: u32,
    ) -> Result<(), Stopped> {
        let bytes = bytes as usize;
        for lane in lanes(active) {
            let (to, source) = (self.address(&to, lane), self.address(&from, lane));
            let given = given.map_or(bytes, |given| (low(self.regs[given as usize][lane], 32) as usize).min(bytes));
            // What cannot be done is said where it begins.
            let mut scratch = [0; 16];
            let possible = aligned(to, bytes)
                .and_then(|()| aligned(source, bytes))
                .and_then(|()| self.read(context, cluster, lane, (Space::Shared, to), &mut scratch[..bytes]))
                .and_then(|()| self.read(context, cluster, lane, (Space::Global, source), &mut scratch[..given]));
            possible.map_err(|cause| (cause, lane as u32))?;
            self.copies[lane].open.push(Copy { to, from: source, bytes, given });
            context.ran.copied += bytes as u64;
        }
        Ok(())
    }

    pub(crate) fn commit_copies(&mut self, active: u32) {
        for lane in lanes(active) {
            let group = std::mem::take(&mut self.copies[lane].open);
            self.copies[lane].groups.push_back(group);
        }
    }

    /// Does what is waited for: all, or all but so many groups.
    pub(crate) fn wait_copies(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        pending: Option<u32>,
        active: u32,
    ) -> Result<(), Stopped> {
        for lane in lanes(active) {
            if pending.is_none() {
                self.commit_copies(1 << lane);
            }
            while self.copies[lane].groups.len() > pending.unwrap_or(0) as usize {
                for copy in self.copies[lane].groups.pop_front().unwrap_or_default() {
                    let mut content = [0; 16];
                    let read =
                        self.read(context, cluster, lane, (Space::Global, copy.from), &mut content[..copy.given]);
                    let done = read.and_then(|()| {
                        self.put_bytes(context, cluster, lane, (Space::Shared, copy.to), &content[..copy.bytes])
                    });
                    done.map_err(|cause| (cause, lane as u32))?;
                }
            }
        }
        Ok(())
    }
}
