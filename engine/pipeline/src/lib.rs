//! Buffer slots, stage schedule, machine models.
