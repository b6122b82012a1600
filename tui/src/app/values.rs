//! What the Refs of the program at the cursor hold: asked for when somebody looks, kept for neighbours, and dropped when
//! the file runs again.

use super::facts::OperandFacts;
use super::{App, Effect, Pane, View};
use crate::keymap::{Action, Direction};
use pallas_engine::ir::{BlockDim, BlockMap};
use pallas_engine::report::{ArrayValues, Place, ProgramValues, RefValues, Stats, StoreValues};
use pallas_engine::tensor::{Array, Scalar};
use pallas_engine::{Span, Tiles};
use std::sync::Arc;

/// When a Ref is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before the kernel.
    Before,
    /// After it.
    After,
    /// After it less before it.
    Change,
}

/// A Ref before and after the kernel, or before and after a store.
#[derive(Clone, Debug)]
pub(crate) struct RefTile {
    /// Before.
    pub(crate) before: Array,
    /// After, unless the kernel failed.
    pub(crate) after: Option<Array>,
    /// Of what is before.
    pub(crate) stats_before: Stats,
    /// Of what is after.
    pub(crate) stats_after: Stats,
    /// Elements that are not after what they were before.
    pub(crate) changed: usize,
}

/// A store of the kernel.
#[derive(Clone, Debug)]
pub(crate) struct StoreTile {
    /// The Ref, by position.
    pub(crate) at: usize,
    /// The expression that stores.
    pub(crate) span: Span,
    /// The Ref before the store and after it.
    pub(crate) tile: RefTile,
}

/// A program with what its Refs hold.
#[derive(Clone, Debug)]
pub(crate) struct ProgramTiles {
    /// Its number.
    pub(crate) program: usize,
    /// Its Refs.
    pub(crate) refs: Vec<RefTile>,
    /// The first stores of its kernel.
    pub(crate) stores: Vec<StoreTile>,
    /// How many stores there were.
    pub(crate) stored: usize,
}

/// Programs with what their Refs hold.
#[derive(Clone, Debug)]
pub(crate) struct TileSet {
    /// The report that they belong to, as numbered by the app.
    pub(crate) generation: usize,
    /// The launch.
    pub(crate) launch: usize,
    /// The program that was asked for.
    pub(crate) asked: usize,
    /// The programs that are known.
    pub(crate) programs: Vec<ProgramTiles>,
}

/// Where the values pane stands.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// What is known.
    pub(crate) tiles: Option<Arc<TileSet>>,
    /// What was asked for: report, launch, program.
    pub(crate) asked: Option<(usize, usize, usize)>,
    /// The Ref: operands, then scratch.
    pub(crate) selected: usize,
    /// When.
    pub(crate) moment: Moment,
    /// The store that is looked at, of those of the program; without, the whole kernel is.
    pub(crate) store: Option<usize>,
    /// The element: row and column of the plane.
    pub(crate) element: (usize, usize),
    /// The plane, of a Ref with more than two dimensions: the number of the leading indices in row-major order.
    pub(crate) plane: usize,
    /// Whether the tile is shown as a picture.
    pub(crate) picture: bool,
}

impl Default for Values {
    fn default() -> Self {
        Values {
            tiles: None,
            asked: None,
            selected: 0,
            moment: Moment::After,
            store: None,
            element: (0, 0),
            plane: 0,
            picture: false,
        }
    }
}

impl TileSet {
    /// Tiles with what is counted of them. Takes as long as there are elements.
    pub(crate) fn new(generation: usize, launch: usize, asked: usize, tiles: Vec<Tiles>) -> TileSet {
        let programs = tiles.into_iter().map(|tiles| {
            let mut after = tiles.after.into_iter().map(Some);
            let refs = tiles.before.into_iter().map(|before| RefTile::new(before, after.next().flatten()));
            let stores = tiles.stores.into_iter().map(|store| StoreTile {
                at: store.at,
                span: store.span,
                tile: RefTile::new(store.before, Some(store.after)),
            });
            let (refs, stores) = (refs.collect(), stores.collect());
            ProgramTiles { program: tiles.program, refs, stores, stored: tiles.stored }
        });
        TileSet { generation, launch, asked, programs: programs.collect() }
    }
}

/// The name of a Ref of a launch: operands come first, then scratch.
fn ref_name(launch: &pallas_engine::Launch, at: usize) -> String {
    match launch.operands.get(at) {
        Some(operand) => operand.name.to_string(),
        None => {
            let number = at - launch.operands.len();
            let named = launch.kernel.params().get(at);
            let name = named.and_then(|&param| launch.kernel.value(param).name.as_deref());
            name.map_or_else(|| format!("scratch {number}"), str::to_string)
        }
    }
}

impl ProgramTiles {
    /// As a report has it.
    fn values(&self, name: &dyn Fn(usize) -> String, sources: &[Arc<pallas_engine::SourceFile>]) -> ProgramValues {
        let refs = self.refs.iter().enumerate().map(|(at, tile)| RefValues {
            name: name(at),
            dtype: tile.before.dtype().short_name().to_string(),
            shape: tile.before.shape().to_vec(),
            before: ArrayValues::new(&tile.before, tile.stats_before),
            after: tile.after.as_ref().map(|after| ArrayValues::new(after, tile.stats_after)),
            changed: tile.changed,
        });
        let stores = self.stores.iter().map(|store| StoreValues {
            at: store.at,
            place: Place::of(store.span, sources),
            before: ArrayValues::new(&store.tile.before, store.tile.stats_before),
            after: ArrayValues::new(store.tile.at(Moment::After), store.tile.stats_after),
            changed: store.tile.changed,
        });
        let (refs, stores) = (refs.collect(), stores.collect());
        ProgramValues { program: self.program, refs, stores, stored: self.stored }
    }
}

impl RefTile {
    /// With what is counted of it.
    pub(super) fn new(before: Array, after: Option<Array>) -> RefTile {
        let (stats_before, stats_after) = (Stats::of(&before), after.as_ref().map(Stats::of).unwrap_or_default());
        let changed = after.as_ref().map_or(0, |after| {
            if after.same_bits(&before) {
                return 0;
            }
            let differs = |(a, b): (Scalar, Scalar)| match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => a != b && !(a.is_nan() && b.is_nan()),
                _ => a != b,
            };
            before.iter_scalars().zip(after.iter_scalars()).filter(|pair| differs(*pair)).count()
        });
        RefTile { before, after, stats_before, stats_after, changed }
    }

    /// The array at a moment; a change is shown over what is after.
    pub(crate) fn at(&self, moment: Moment) -> &Array {
        match moment {
            Moment::Before => &self.before,
            Moment::After | Moment::Change => self.after.as_ref().unwrap_or(&self.before),
        }
    }

    /// An element at a moment.
    pub(crate) fn value(&self, moment: Moment, index: usize) -> Option<Scalar> {
        match (moment, &self.after) {
            (Moment::Change, Some(after)) => match (self.before.get(index)?, after.get(index)?) {
                (Scalar::Int(before), Scalar::Int(after)) => Some(Scalar::Int(after - before)),
                (before, after) => Some(Scalar::Float(after.as_f64()? - before.as_f64()?)),
            },
            _ => self.at(moment).get(index),
        }
    }
}

/// The plane of a Ref that is drawn: rows, columns, and how many planes there are.
pub(crate) fn plane(array: &Array) -> (usize, usize, usize) {
    let shape = array.shape();
    match &shape[..] {
        [] => (1, 1, 1),
        [columns] => (1, *columns, 1),
        [leading @ .., rows, columns] => (*rows, *columns, leading.iter().product()),
    }
}

/// Where the elements of a Ref lie in its array: for each dimension of the Ref the array's element of its first one, and
/// the array's extent.
pub(crate) struct Coordinates {
    dims: Vec<(i64, usize)>,
}

impl Coordinates {
    /// Those of an operand for a program; `None` where they depend on data.
    pub(crate) fn new(
        launch: &pallas_engine::Launch,
        operand: usize,
        program: &[usize],
        rank: usize,
    ) -> Option<Coordinates> {
        let operand = launch.operands.get(operand)?;
        let starts = BlockMap::new(operand, launch.grid.len()).starts(program)?;
        let all = starts.into_iter().zip(&operand.block).zip(operand.array.shape.iter());
        let dims: Vec<(i64, usize)> = all
            .filter(|((_, dim), _)| !matches!(dim, BlockDim::Squeezed))
            .map(|((start, _), &extent)| (start, extent))
            .collect();
        (dims.len() == rank).then_some(Coordinates { dims })
    }

    /// The array's element of an element of the Ref.
    pub(crate) fn of(&self, element: &[usize]) -> Vec<i64> {
        self.dims.iter().zip(element).map(|((start, _), &at)| start.saturating_add(at as i64)).collect()
    }

    /// Whether an element of the Ref lies outside of the array.
    pub(crate) fn is_padding(&self, element: &[usize]) -> bool {
        let outside = |((start, extent), &at): (&(i64, usize), &usize)| {
            let place = start.saturating_add(at as i64);
            place < 0 || place >= *extent as i64
        };
        self.dims.iter().zip(element).any(outside)
    }
}

impl App {
    /// What is known of the program at the cursor.
    pub(crate) fn program_tiles(&self) -> Option<&ProgramTiles> {
        let number = self.number();
        let saved = self.report.as_ref().and_then(|report| report.values.get(self.launch));
        if let Some(known) = saved.and_then(|saved| saved.iter().find(|known| known.program == number)) {
            return Some(known);
        }
        let set = self.values.tiles.as_ref()?;
        let own = set.generation == self.generation && set.launch == self.launch;
        set.programs.iter().find(|known| own && known.program == number)
    }

    /// The Refs of the program at the cursor.
    pub(crate) fn tiles(&self) -> Option<&[RefTile]> {
        Some(&self.program_tiles()?.refs)
    }

    /// The store that is looked at, with its place among those of the program.
    pub(crate) fn store(&self) -> Option<(usize, &StoreTile)> {
        let at = self.values.store?;
        Some((at, self.program_tiles()?.stores.get(at)?))
    }

    /// The Ref that is looked at, around the store where one is.
    pub(crate) fn tile(&self) -> Option<&RefTile> {
        match self.store() {
            Some((_, store)) if store.at == self.values.selected => Some(&store.tile),
            _ => self.tiles()?.get(self.values.selected),
        }
    }

    /// To the next store of the program, or to the one before; in front of the first stands the kernel as a whole.
    pub(super) fn next_store(&mut self, forward: bool) {
        let Some(known) = self.program_tiles() else { return };
        let (kept, stored) = (known.stores.len(), known.stored);
        let now = self.store().map(|(at, _)| at);
        let next = match (now, forward) {
            (None, true) if kept > 0 => Some(0),
            (Some(at), true) if at + 1 < kept => Some(at + 1),
            (Some(at), false) if at > 0 => Some(at - 1),
            (Some(_), false) => None,
            (_, forward) => {
                let why = match (stored, forward) {
                    (0, _) => "the kernel stores nothing to its Refs in this program".to_string(),
                    (_, false) => "this is the kernel as a whole; . goes to its first store".to_string(),
                    _ if stored > kept => format!("{kept} of {stored} stores are kept, and this is the last of them"),
                    _ => "this is the last store".to_string(),
                };
                return self.say(why);
            }
        };
        let at = next.and_then(|next| known.stores.get(next)).map(|store| store.at);
        self.values.store = next;
        if let Some(at) = at.filter(|&at| at != self.values.selected) {
            self.values.selected = at;
            self.values.element = (0, 0);
            self.values.plane = 0;
        }
    }

    /// What is known of values, as a report has it; with the number of their launch.
    pub(crate) fn looked_at(&self) -> Option<(usize, Vec<ProgramValues>)> {
        let set = self.values.tiles.as_ref().filter(|set| set.generation == self.generation)?;
        let shown = self.report.as_ref()?.launches.get(set.launch)?;
        let sources = &self.report.as_ref()?.sources;
        let name = |at: usize| ref_name(&shown.launch, at);
        Some((set.launch, set.programs.iter().map(|program| program.values(&name, sources)).collect()))
    }

    /// The name of a Ref.
    pub(crate) fn ref_name(&self, at: usize) -> String {
        self.launch().map_or_else(String::new, |shown| ref_name(&shown.launch, at))
    }

    /// The facts of the operand that is looked at; scratch has none.
    pub(crate) fn ref_facts(&self, at: usize) -> Option<OperandFacts> {
        let shown = self.launch()?;
        Some(OperandFacts::new(&shown.launch, shown.launch.operands.get(at)?, &self.program))
    }

    /// What has to be asked for, if somebody looks at values that are not known.
    pub(super) fn want_tiles(&mut self) -> Option<Effect> {
        let looks = self.view == View::Values || self.focus == Pane::Values;
        let shown = self.launch().filter(|shown| looks && shown.ran)?;
        if self.report.as_ref().is_some_and(|report| report.is_opened()) {
            return None;
        }
        let question = (self.generation, self.launch, self.number());
        if self.tiles().is_some() || self.values.asked == Some(question) || shown.launch.programs() == 0 {
            return None;
        }
        let launch = shown.launch.clone();
        self.values.asked = Some(question);
        Some(Effect::Tiles { generation: question.0, launch, number: question.1, program: question.2 })
    }

    /// Moves among the elements of the tile.
    pub(super) fn move_in_values(&mut self, action: Action) {
        let Some(tile) = self.tile() else { return };
        let (rows, columns, planes) = plane(tile.at(self.values.moment));
        let (row, column) = self.values.element;
        let (down, right) = (rows.saturating_sub(1), columns.saturating_sub(1));
        const JUMP: usize = 8;
        let element = match action {
            Action::Move(Direction::Down) => (row + 1, column),
            Action::Move(Direction::Up) => (row.saturating_sub(1), column),
            Action::Move(Direction::Right) => (row, column + 1),
            Action::Move(Direction::Left) => (row, column.saturating_sub(1)),
            Action::Jump(Direction::Down) => (row + JUMP, column),
            Action::Jump(Direction::Up) => (row.saturating_sub(JUMP), column),
            Action::Jump(Direction::Right) => (row, column + JUMP),
            Action::Jump(Direction::Left) => (row, column.saturating_sub(JUMP)),
            Action::First => (0, 0),
            Action::Last => (down, right),
            _ => {
                let by = if action == Action::NextSlice { 1 } else { planes.saturating_sub(1) };
                self.values.plane = (self.values.plane + by) % planes.max(1);
                return;
            }
        };
        self.values.element = (element.0.min(down), element.1.min(right));
    }

    /// Another Ref.
    pub(super) fn next_ref(&mut self, forward: bool) {
        let count = self.launch().map_or(0, |shown| shown.launch.operands.len() + shown.launch.scratch.len());
        if count > 0 {
            self.values.selected = (self.values.selected + if forward { 1 } else { count - 1 }) % count;
            self.values.store = None;
            self.values.element = (0, 0);
            self.values.plane = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Array {
        Array::from_f32s([values.len()], values).expect("well formed")
    }

    #[test]
    fn tiles_are_counted() {
        let before = floats(&[1.0, f32::NAN, 3.0, f32::INFINITY]);
        let after = floats(&[1.0, f32::NAN, 5.0, f32::INFINITY]);
        let tile = RefTile::new(before, Some(after));
        assert_eq!((tile.changed, tile.stats_before.nan, tile.stats_before.infinite), (1, 1, 1));
        assert_eq!((tile.stats_after.min, tile.stats_after.max, tile.stats_after.mean), (1.0, 5.0, 3.0));
        assert_eq!(tile.value(Moment::Change, 2).and_then(Scalar::as_f64), Some(2.0));
        assert_eq!(tile.value(Moment::Before, 2).and_then(Scalar::as_f64), Some(3.0));
    }

    #[test]
    fn padding_is_what_lies_outside_of_the_array() {
        let launch = crate::app::samples::matmul();
        let last = Coordinates::new(&launch, 0, &[3, 0, 0], 2).expect("they are known");
        assert_eq!(last.of(&[115, 2]), [499, 2]);
        assert!(!last.is_padding(&[115, 2]) && last.is_padding(&[116, 2]));
    }
}
