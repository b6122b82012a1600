//! What can be reached from an item of a module: by the names that it mentions, and by who changes what it made. Costs what
//! is reached, not what there is: a file may have thousands of items of which each mentions a few.

use crate::depends::Deed;

/// The items of a module, and what leads from one to another.
pub(crate) struct Graph<'a> {
    deeds: &'a [Deed],
    /// For each item those whose names occur in it.
    mentions: Vec<Vec<usize>>,
    /// For each item those in which its names occur.
    mentioned_by: Vec<Vec<usize>>,
    /// For each item whose value can change those that may change it, directly or through what they call.
    changed_by: Vec<Vec<usize>>,
    /// Which search met an item last: no search has to clear what the one before it marked.
    met: Vec<usize>,
    searches: usize,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(deeds: &'a [Deed], mentions: Vec<Vec<usize>>) -> Graph<'a> {
        let count = mentions.len();
        let mut mentioned_by = vec![Vec::new(); count];
        for (item, mentions) in mentions.iter().enumerate() {
            mentions.iter().for_each(|other| mentioned_by[*other].push(item));
        }
        let changed_by = vec![Vec::new(); count];
        let mut graph = Graph { deeds, mentions, mentioned_by, changed_by, met: vec![0; count], searches: 0 };
        for changing in (0..count).filter(|item| deeds[*item].may_change) {
            for changed in graph.mentioned(changing) {
                if deeds[changed].is_changeable {
                    graph.changed_by[changed].push(changing);
                }
            }
        }
        graph
    }

    /// What an item mentions, directly or through others, itself included; in order.
    pub(crate) fn mentioned(&mut self, from: usize) -> Vec<usize> {
        let mut reached = self.search(from, false);
        reached.sort_unstable();
        reached
    }

    /// What bears on an item: what it mentions, and where that can change, whoever may change it or hand it on, and so on.
    /// Itself included, in no order.
    pub(crate) fn closed(&mut self, from: usize) -> Vec<usize> {
        self.search(from, true)
    }

    fn search(&mut self, from: usize, with_changes: bool) -> Vec<usize> {
        self.searches += 1;
        self.met[from] = self.searches;
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(&item) = reached.get(next) {
            next += 1;
            let changed = with_changes && self.deeds[item].is_changeable;
            let others: [&[usize]; 2] =
                if changed { [&self.changed_by[item], &self.mentioned_by[item]] } else { [&[], &[]] };
            for &other in self.mentions[item].iter().chain(others[0]).chain(others[1]) {
                if self.met[other] != self.searches {
                    self.met[other] = self.searches;
                    reached.push(other);
                }
            }
        }
        reached
    }
}
