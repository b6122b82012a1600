//! The cursor in the lanes of a rehearsal: a lane, and a moment, so that going from lane to lane stays at what happens at the
//! same time.

use super::lane_streams;
use crate::app::App;
use pallas_engine::report::Lanes;

/// Events that a jump skips.
const JUMP: i64 = 10;

impl App {
    fn lanes_of_launch(&self) -> Option<&Lanes> {
        self.profile().and_then(|(_, launch)| launch.modelled.lanes.as_ref()).filter(|lanes| !lanes.lanes.is_empty())
    }

    /// Whether the pipeline of the launch's own blocks is drawn: not where there are none, and lanes show what the kernel does.
    pub(crate) fn has_own_lanes(&self) -> bool {
        let Some((_, launch)) = self.profile() else { return true };
        let Some(lanes) = self.lanes_of_launch().filter(|lanes| lanes.complete) else { return true };
        // The schedule is that of one core, and knows of no others that run at the same time.
        !launch.modelled.schedule.streams.is_empty() && !["devices", "cores"].contains(&lanes.of_whom())
    }

    /// How many lanes the pipeline of the launch's own blocks has.
    fn own_lanes(&self) -> usize {
        if self.has_own_lanes() { self.timing().map_or(0, |timing| lane_streams(&timing).len()) } else { 0 }
    }

    /// How many lanes there are to go through.
    pub(in crate::app) fn lane_count(&self) -> usize {
        self.own_lanes() + self.lanes_of_launch().map_or(0, |lanes| lanes.lanes.len())
    }

    /// The lane of the rehearsal at the cursor.
    pub(crate) fn rehearsed_lane(&self) -> Option<usize> {
        let lane = self.lane.checked_sub(self.own_lanes())?;
        self.lanes_of_launch().map(|lanes| lane.min(lanes.lanes.len() - 1))
    }

    /// The event at the cursor, by position among all of the lanes.
    pub(crate) fn rehearsed_event(&self) -> Option<usize> {
        let (lane, lanes) = (self.rehearsed_lane()?, self.lanes_of_launch()?);
        let own = || lanes.events.iter().enumerate().filter(move |(_, event)| event.lane == lane);
        let before = own().filter(|(_, event)| event.start <= self.moment).last();
        before.or_else(|| own().next()).map(|(at, _)| at)
    }

    /// Goes to an event so many further on; whether a lane of the rehearsal is where the cursor is.
    pub(in crate::app) fn step_rehearsed(&mut self, by: i64) -> bool {
        let Some(lane) = self.rehearsed_lane() else { return false };
        let now = self.rehearsed_event();
        let starts: Vec<(usize, f64)> = self.lanes_of_launch().map_or_else(Vec::new, |lanes| {
            let own = lanes.events.iter().enumerate().filter(|(_, event)| event.lane == lane);
            own.map(|(at, event)| (at, event.start)).collect()
        });
        let Some(at) = starts.iter().position(|(at, _)| Some(*at) == now) else { return true };
        let last = i64::try_from(starts.len()).unwrap_or(i64::MAX) - 1;
        let there = (at as i64).saturating_add(by).clamp(0, last);
        if there == at as i64 && by != 0 {
            self.say("no more events in this lane");
        }
        if let Some((_, start)) = usize::try_from(there).ok().and_then(|there| starts.get(there)) {
            self.moment = *start;
        }
        true
    }

    /// The same, by a jump.
    pub(in crate::app) fn jump_rehearsed(&mut self, forward: bool) -> bool {
        self.step_rehearsed(if forward { JUMP } else { -JUMP })
    }
}
