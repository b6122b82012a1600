//! Clusters that take over others which have not begun (PTX ISA 9.7.13.18): a claim is answered once its barrier is waited for, and takes
//! the cluster that would begin next.

use super::Context;
use super::access::{aligned, shared};
use super::cluster::{Cluster, Stopped};
use super::engines::change;
use super::warp::{Warp, lanes};
use crate::asynchronous::Claim;
use crate::decode::FOUND;
use crate::fault::Cause;

/// A claim on its way: where the answer goes, and the barriers that hear of it.
pub(crate) struct Claimed {
    to: Vec<(u64, u64)>,
}

/// Bytes of an answer.
const BYTES: usize = 16;

impl Warp {
    pub(crate) fn claim(&mut self, cluster: &mut Cluster, claim: &Claim, active: u32) -> Result<(), Stopped> {
        for lane in lanes(active) {
            let done = self.claim_of(cluster, claim, lane);
            done.map_err(|cause| (cause, lane as u32))?;
        }
        Ok(())
    }

    fn claim_of(&mut self, cluster: &mut Cluster, claim: &Claim, lane: usize) -> Result<(), Cause> {
        if cluster.refused {
            let what = "clusterlaunchcontrol.try_cancel after an answer that said that nothing is left";
            return Err(Cause::Undefined(what.to_string()));
        }
        let (to, barrier) = (self.address(&claim.to, lane), self.address(&claim.barrier, lane));
        aligned(to, BYTES)?;
        let everywhere =
            |rank: usize| (to & 0xff_ffff | (rank as u64) << 24, barrier & 0xff_ffff | (rank as u64) << 24);
        let to = match claim.everywhere {
            true => (0..cluster.blocks.len()).map(everywhere).collect(),
            false => vec![(to, barrier)],
        };
        for (to, barrier) in &to {
            shared(cluster, *to, BYTES)?;
            change(cluster, *barrier, Some)?;
        }
        cluster.claims.push_back(Claimed { to });
        Ok(())
    }
}

impl Cluster {
    /// Answers the oldest claim that a barrier hears of; whether there was one.
    pub(crate) fn answered(&mut self, context: &mut Context<'_>, barrier: u64) -> Result<bool, Cause> {
        let found = self.claims.iter().position(|claim| claim.to.iter().any(|(_, told)| *told == barrier));
        let Some(claim) = found.and_then(|number| self.claims.remove(number)) else { return Ok(false) };
        let mut answer = [0; BYTES];
        match context.next_cluster() {
            Some(at) => {
                let first = [0, 1, 2].map(|axis| u64::from(at[axis] * context.cluster[axis]));
                answer[..8].copy_from_slice(&(FOUND | first[0]).to_le_bytes());
                answer[8..].copy_from_slice(&(first[1] | first[2] << 32).to_le_bytes());
            }
            None => self.refused = true,
        }
        for (to, barrier) in claim.to {
            shared(self, to, BYTES)?.copy_from_slice(&answer);
            change(self, barrier, |barrier| barrier.after(0, -(BYTES as i32)))?;
        }
        Ok(true)
    }
}
