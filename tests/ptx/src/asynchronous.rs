//! What engines do beside the threads of a Hopper block: phase barriers, bulk copies, products of warpgroups.

/// An operation on a phase barrier.
pub(crate) enum Phase {}

/// A bulk copy.
pub(crate) enum Bulk {}

/// A product of a warpgroup.
pub(crate) enum Product {}
