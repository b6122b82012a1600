//! Where agents meet in virtual time: barriers, whose phases are complete when the last one has arrived, and semaphores, which
//! count what comes at a time that may lie ahead.

use super::{About, Moment, Times};
use crate::semaphores::Place;

#[derive(Debug, Default)]
pub(super) struct Phase {
    gathered: Moment,
    complete: Moment,
}

/// What a semaphore has been given and nobody has taken, the first to come first.
#[derive(Debug, Default)]
pub(super) struct Count {
    come: Vec<(Moment, i64)>,
}

impl Count {
    fn add(&mut self, moment: Moment, amount: i64) {
        let after = self.come.partition_point(|(known, _)| known.time <= moment.time);
        self.come.insert(after, (moment, amount));
    }

    /// When the count is so high.
    fn reaches(&self, wanted: i64) -> Moment {
        let mut count = 0_i64;
        let mut moment = Moment::default();
        for &(come, amount) in &self.come {
            if count >= wanted {
                break;
            }
            count = count.saturating_add(amount);
            moment = come;
        }
        moment
    }

    fn take(&mut self, mut wanted: i64) {
        while wanted > 0
            && let Some((_, first)) = self.come.first_mut()
        {
            let part = wanted.min(*first);
            (wanted, *first) = (wanted - part, *first - part);
            if *first <= 0 {
                self.come.remove(0);
            }
        }
    }
}

impl Times {
    /// Somebody arrives at a barrier.
    pub(crate) fn arrive(&mut self, place: Place, completes: bool) {
        let now = self.now;
        let phase = self.phases.entry(place).or_default();
        phase.gathered = phase.gathered.or_later(now);
        if completes {
            phase.complete = phase.gathered;
        }
    }

    /// An agent has waited for a phase of a barrier.
    pub(crate) fn met(&mut self, agent: usize, place: Place, about: About) {
        let complete = self.phases.get(&place).map(|phase| phase.complete).unwrap_or_default();
        self.wait_until(agent, complete, about);
    }

    /// The running agent signals a semaphore, of another device if `far`.
    pub(crate) fn signal(&mut self, place: Place, amount: i64, far: bool) {
        let mut now = self.moment_of(self.who);
        if far {
            now.time += self.pace.link_latency;
        }
        self.count(place, now, amount);
    }

    /// A semaphore counts something that happens at a time.
    pub(crate) fn count(&mut self, place: Place, moment: Moment, amount: i64) {
        self.counts.entry(place).or_default().add(moment, amount);
    }

    /// Whether an agent has to let others go first, since what it waits for lies ahead of its clock: somebody may yet signal
    /// it before that. Its clock shows when it will go on.
    pub(crate) fn sleeps(&mut self, agent: usize, place: Place, wanted: i64) -> bool {
        let moment = self.counts.get(&place).map(|count| count.reaches(wanted)).unwrap_or_default();
        self.flush(agent);
        let clock = &mut self.agents[agent];
        if moment.time <= clock.now {
            return false;
        }
        clock.asleep.get_or_insert(clock.now);
        clock.now = moment.time;
        true
    }

    /// Something has been signalled: those that sleep look again.
    pub(crate) fn rouse(&mut self, agent: usize) {
        if let Some(clock) = self.agents.get_mut(agent)
            && let Some(since) = clock.asleep
        {
            clock.now = since;
        }
    }

    /// The running agent waits for a semaphore, and takes what it has waited for unless it leaves it.
    pub(crate) fn waited(&mut self, place: Place, (wanted, keeps): (i64, bool), about: About) {
        let count = self.counts.entry(place).or_default();
        let moment = count.reaches(wanted);
        if !keeps {
            count.take(wanted);
        }
        self.wait_until(self.who, moment, about);
    }

    /// An agent waits for its groups of copies before one.
    pub(crate) fn drain(&mut self, agent: usize, first: usize, read_only: bool) {
        let groups = std::mem::take(&mut self.agents[agent].groups);
        let (over, left): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(group, ..)| *group < first);
        let ends = over.iter().map(|&(_, read, written)| if read_only { read } else { written });
        let moment = ends.fold(Moment::default(), Moment::or_later);
        // Those that have been read are still being written.
        let written =
            over.into_iter().filter(|_| read_only).map(|(group, _, written)| (group, Moment::default(), written));
        self.agents[agent].groups = left.into_iter().chain(written).collect();
        self.wait_until(agent, moment, About { name: "copies out".into(), ..About::default() });
    }

    /// An agent waits until at most so many of its products are under way.
    pub(crate) fn wait_products(&mut self, agent: usize, left: usize) {
        let products = &mut self.agents[agent].products;
        let over = products.len().saturating_sub(left);
        let moment = products.drain(..over).fold(Moment::default(), Moment::or_later);
        self.wait_until(agent, moment, About { name: "products".into(), ..About::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semaphore_counts_in_the_order_of_time() {
        let at = |time: f64| Moment { time, cause: None };
        let mut count = Count::default();
        count.add(at(30.0), 4);
        count.add(at(10.0), 4);
        count.add(at(20.0), 2);
        assert_eq!([1, 4, 5, 7, 10].map(|wanted| count.reaches(wanted).time), [10.0, 10.0, 20.0, 30.0, 30.0]);
        count.take(5);
        assert_eq!([1, 2].map(|wanted| count.reaches(wanted).time), [20.0, 30.0]);
        assert_eq!(count.reaches(0).time, 0.0);
    }
}
