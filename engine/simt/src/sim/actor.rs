//! Who acts in the simulator, and what each of them knows of the others: clocks. A team's clock goes on when it meets at a barrier and
//! when it tells others how far it has come; whoever is told knows all that was done before.

/// A team of threads that run in lockstep, or an engine: what arrives at a barrier counts as done by the barrier's own engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Actor {
    /// Blocks that run at the same time, and know of each other.
    pub(super) world: u32,
    /// Its block, over the whole grid.
    pub(super) block: usize,
    /// Which of its world's actors it is.
    pub(super) number: u32,
    /// How often it went on.
    pub(super) clock: u32,
    /// The clock when its threads last met.
    met: u32,
    /// How far every actor had come when this one last heard of it, itself included: what its threads know of each other.
    known: Vec<u32>,
    /// Up to where writes of every actor are known to be seen by engines.
    fenced: Vec<u32>,
    /// Up to where each thread has told engines of its own writes; the others know it when they meet.
    published: u32,
}

/// What somebody knows, handed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Knowledge {
    known: Vec<u32>,
    fenced: Vec<u32>,
}

fn join(to: &mut Vec<u32>, from: &[u32]) {
    if to.len() < from.len() {
        to.resize(from.len(), 0);
    }
    for (to, &from) in to.iter_mut().zip(from) {
        *to = (*to).max(from);
    }
}

fn raise(list: &mut Vec<u32>, actor: u32, clock: u32) {
    let actor = actor as usize;
    if list.len() <= actor {
        list.resize(actor + 1, 0);
    }
    list[actor] = list[actor].max(clock);
}

impl Knowledge {
    pub(super) fn join(&mut self, other: &Knowledge) {
        join(&mut self.known, &other.known);
        join(&mut self.fenced, &other.fenced);
    }

    /// That an engine has come so far.
    pub(super) fn learn(&mut self, actor: u32, clock: u32) {
        raise(&mut self.known, actor, clock);
        raise(&mut self.fenced, actor, clock);
    }
}

impl Actor {
    pub(super) fn new(world: u32, block: usize, number: u32) -> Actor {
        Actor { world, block, number, clock: 1, met: 1, known: Vec::new(), fenced: Vec::new(), published: 0 }
    }

    /// All threads of the team have come here.
    pub(super) fn meet(&mut self) {
        self.clock += 1;
        self.met = self.clock;
        raise(&mut self.fenced, self.number, self.published);
    }

    /// What it knows, for others; what it does from now on is news. `alone`: only what all threads had done when they last met.
    pub(super) fn tell(&mut self, alone: bool) -> Knowledge {
        let mut told = Knowledge { known: self.known.clone(), fenced: self.fenced.clone() };
        raise(&mut told.known, self.number, if alone { self.met - 1 } else { self.clock });
        if !alone {
            raise(&mut told.fenced, self.number, self.published);
        }
        self.clock += 1;
        told
    }

    /// The same, for what comes behind everything that another one has been told to do.
    pub(super) fn with(&self, behind: u32) -> Actor {
        let mut actor = self.clone();
        raise(&mut actor.known, behind, u32::MAX);
        actor
    }

    pub(super) fn hear(&mut self, told: &Knowledge) {
        join(&mut self.known, &told.known);
        join(&mut self.fenced, &told.fenced);
    }

    /// Its writes up to now are seen by engines, once its threads have met.
    pub(super) fn fence(&mut self) {
        self.published = self.clock;
        self.clock += 1;
    }

    /// Whether what another thread did then may be under way still.
    pub(super) fn meets(&self, actor: u32, clock: u32) -> bool {
        let known = self.known.get(actor as usize).is_some_and(|&known| clock <= known);
        !(known || actor == self.number && clock < self.met)
    }

    /// Whether engines may not see yet what was written then.
    pub(super) fn unfenced(&self, actor: u32, clock: u32) -> bool {
        self.fenced.get(actor as usize).is_none_or(|&fenced| clock > fenced)
    }
}
