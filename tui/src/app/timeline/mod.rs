//! The part of a launch's schedule that is on the screen: so many steps around the cursor, exact slices where each step
//! has room, shares of whole steps where it has not. Zoom levels are numbers of steps, never of seconds, so that the
//! columns of a picture from afar do not beat with the period of the pipeline.

mod measured;
mod rehearsed;
mod span;

use super::layout::{self, Layout};
use super::{App, Pane};
use pallas_engine::pipeline::{self, Direction, Instruction, Timing};
use pallas_engine::report::{LaunchReport, Stage};
pub(crate) use span::Between;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Numbers of steps that can be on the screen.
const STEPS: [usize; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96];
/// How many there are at first.
const FIRST: usize = 8;
/// Columns that a step needs to be drawn exactly.
const ROOM: usize = 3;

/// What a slot or the processor does for some time. Nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slice {
    /// Begin.
    pub(crate) start: f64,
    /// End.
    pub(crate) end: f64,
    /// The stage; `None` where a slot holds a block for the kernel.
    pub(crate) stage: Option<Stage>,
    /// The program, by its number in the launch.
    pub(crate) program: usize,
}

/// A lane of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lane {
    /// `x slot 0`
    pub(crate) name: String,
    /// The stage of its slices, for lanes that are shown as shares.
    pub(crate) stage: Stage,
    /// What happens, by begin. Empty where the lane is shown as shares.
    pub(crate) slices: Vec<Slice>,
    /// For each column from the first on, the share of its time that the stage takes.
    pub(crate) shares: Vec<f64>,
}

/// Lanes with their common time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lanes {
    /// The lanes.
    pub(crate) lanes: Vec<Lane>,
    /// From when to when.
    pub(crate) time: Range<f64>,
    /// When each step on the screen begins, where steps are exact.
    pub(crate) begins: Vec<f64>,
}

/// The part of a schedule that is on the screen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    /// The first step.
    pub(crate) first: usize,
    /// How many steps.
    pub(crate) count: usize,
    /// Steps in a column; 0 where steps are drawn exactly.
    pub(crate) fold: usize,
    /// All steps.
    pub(crate) steps: usize,
    /// Programs of the launch between two steps.
    pub(crate) stride: usize,
    /// By the model.
    pub(crate) modelled: Lanes,
    /// By the clock, where it was asked.
    pub(crate) measured: Option<Lanes>,
}

/// What a timeline is asked for with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Question {
    /// The profile, by its place in memory: a new one is elsewhere, since the old one lives on in here.
    profile: usize,
    launch: usize,
    step: usize,
    panned: i64,
    steps: Option<usize>,
    width: usize,
}

/// Answers that are kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    timing: RefCell<Option<(usize, usize, Rc<Timing>)>>,
    timeline: RefCell<Option<(Question, Rc<Timeline>)>>,
    /// Keeps the profile alive that the answers are about.
    profile: RefCell<Option<std::sync::Arc<pallas_engine::report::Report>>>,
}

pub(crate) fn nanoseconds(ticks: pipeline::Ticks) -> f64 {
    ticks as f64 / 1e6
}

impl App {
    /// The modelled schedule of the launch at the cursor.
    pub(crate) fn timing(&self) -> Option<Rc<Timing>> {
        let profile = self.report.as_ref()?.profile.clone()?;
        let (_, launch) = self.profile()?;
        let at = std::sync::Arc::as_ptr(&profile) as usize;
        if let Some((known, number, timing)) = &*self.answers.timing.borrow()
            && (*known, *number) == (at, self.launch)
        {
            return Some(timing.clone());
        }
        let timing = Rc::new(launch.timing());
        *self.answers.profile.borrow_mut() = Some(profile);
        *self.answers.timeline.borrow_mut() = None;
        *self.answers.timing.borrow_mut() = Some((at, self.launch, timing.clone()));
        Some(timing)
    }

    /// The step of the program at the cursor: its place among those of its core.
    pub(crate) fn step(&self) -> usize {
        let stride = self.profile().map_or(1, |(_, launch)| launch.modelled.schedule.stride.max(1));
        self.number() / stride
    }

    /// The timeline around the cursor, for so many columns.
    pub(crate) fn timeline(&self, width: usize) -> Option<Rc<Timeline>> {
        let timing = self.timing()?;
        let (_, launch) = self.profile()?;
        let question = Question {
            profile: self.answers.timing.borrow().as_ref().map_or(0, |(at, ..)| *at),
            launch: self.launch,
            step: self.step(),
            panned: self.panned,
            steps: self.steps,
            width,
        };
        if let Some((asked, timeline)) = &*self.answers.timeline.borrow()
            && *asked == question
        {
            return Some(timeline.clone());
        }
        let timeline = Rc::new(Timeline::new(launch, &timing, &question)?);
        *self.answers.timeline.borrow_mut() = Some((question, timeline.clone()));
        Some(timeline)
    }

    /// Fewer or more steps on the screen.
    pub(super) fn zoom_steps(&mut self, closer: bool) {
        let Some(timing) = self.timing() else { return };
        let all = timing.schedule().programs();
        let now = self.steps.unwrap_or(FIRST).min(all.max(1));
        let larger = |steps: usize| STEPS.iter().copied().find(|&s| s > steps).unwrap_or(steps.saturating_mul(2));
        let smaller = |steps: usize| {
            let below = STEPS.iter().rev().copied().find(|&s| s < steps).unwrap_or(1);
            if steps > 128 { steps / 2 } else { below }
        };
        self.steps = Some(if closer { smaller(now) } else { larger(now).min(all.max(1)) });
    }

    /// Earlier or later steps on the screen, a quarter of it at a time; the cursor stays where it is.
    pub(super) fn pan(&mut self, later: bool) {
        let Some(timeline) = self.timeline_on_screen() else { return };
        let (first, last) = (timeline.first, timeline.first + timeline.count);
        match later {
            true if last >= timeline.steps => self.say("this is the last step"),
            false if first == 0 => self.say("this is the first step"),
            _ => {
                // What was left of panning past an end is forgotten.
                let unpanned = self.step().saturating_sub(timeline.count / 2).min(timeline.steps - timeline.count);
                let now = first as i64 - unpanned as i64;
                let by = (timeline.count / 4).max(timeline.fold.max(1)) as i64;
                self.panned = if later { now + by } else { now - by };
            }
        }
    }

    /// Leaves on the screen what was there before the cursor moved.
    pub(super) fn stay_at(&mut self, shown: &Timeline) {
        let around = self.step().min(shown.steps.saturating_sub(1)).saturating_sub(shown.count / 2);
        self.panned = shown.first as i64 - around as i64;
    }

    /// The timeline in the pane that is on the screen.
    pub(super) fn timeline_on_screen(&self) -> Option<Rc<Timeline>> {
        let width = Layout::of(self).pane(Pane::Pipeline).map_or(0, |area| layout::inside(area).width);
        let columns = self.profile().map_or(1, |(_, launch)| crate::view::pipeline::columns(launch, width).max(1));
        self.timeline(columns)
    }

    /// To the next or previous event of the selected lane.
    pub(super) fn next_event(&mut self, forward: bool) {
        if self.step_rehearsed(if forward { 1 } else { -1 }) {
            return;
        }
        let Some(timing) = self.timing() else { return };
        let Some((_, launch)) = self.profile() else { return };
        let stride = launch.modelled.schedule.stride.max(1);
        let (step, steps) = (self.step(), timing.schedule().programs());
        let order = &timing.schedule().order;
        let lanes = lane_streams(&timing);
        let stream = lanes.get(self.lane).copied().flatten();
        let moves = |step: usize| match stream {
            None => true,
            Some((at, slot)) => {
                let stream = &timing.schedule().streams[at];
                let is_new = match stream.direction {
                    Direction::In => step == 0 || stream.moves.into_program(order, step),
                    Direction::Out => step + 1 == steps || stream.moves.into_program(order, step + 1),
                };
                is_new && stream.slot(stream.moves.until(order, step)) == slot
            }
        };
        // A lane whose block stays for longer than this has nothing to go to that could be found by looking.
        const FAR: usize = 1 << 16;
        let found = if forward {
            (step + 1..steps.min(step + FAR)).find(|&step| moves(step))
        } else {
            (step.saturating_sub(FAR)..step).rev().find(|&step| moves(step))
        };
        match found {
            Some(there) => self.step_program((there as i64 - step as i64).saturating_mul(stride as i64)),
            None => self.say("no more events in this lane"),
        }
    }
}

/// For each exact lane its stream and slot; `None` is the processor.
fn lane_streams(timing: &Timing) -> Vec<Option<(usize, usize)>> {
    let streams = &timing.schedule().streams;
    let of = |direction: Direction| {
        let chosen = streams.iter().enumerate().filter(move |(_, stream)| stream.direction == direction);
        chosen.flat_map(|(at, stream)| (0..stream.slots.max(1)).map(move |slot| Some((at, slot))))
    };
    of(Direction::In).chain([None]).chain(of(Direction::Out)).collect()
}

impl Timeline {
    fn new(launch: &LaunchReport, timing: &Timing, question: &Question) -> Option<Timeline> {
        let Question { step, panned, steps: wanted, width, .. } = *question;
        let steps = timing.schedule().programs();
        if steps == 0 || width == 0 {
            return None;
        }
        let count = wanted.unwrap_or(FIRST).clamp(1, steps);
        let exact = count.saturating_mul(ROOM) <= width;
        let fold = if exact { 0 } else { whole(count.div_ceil(width)) };
        let count = if exact { count } else { fold.saturating_mul(width).min(steps) };
        let around = i64::try_from(step.min(steps - 1).saturating_sub(count / 2)).unwrap_or(i64::MAX);
        let mut first = usize::try_from(around.saturating_add(panned)).unwrap_or(0).min(steps - count);
        if fold > 1 {
            first -= first % fold;
        }
        let stride = launch.modelled.schedule.stride.max(1);
        let mut timeline = Timeline { first, count, fold, steps, stride, modelled: Lanes::default(), measured: None };
        timeline.modelled = if exact { timeline.exact(launch, timing) } else { timeline.folded(launch, timing, width) };
        timeline.measured = launch.measured.as_ref().and_then(|measured| timeline.measured(launch, measured, width));
        Some(timeline)
    }

    fn begin(&self, timing: &Timing, step: usize) -> f64 {
        if step < self.steps { nanoseconds(timing.begin(step)) } else { nanoseconds(timing.totals().time) }
    }

    fn exact(&self, launch: &LaunchReport, timing: &Timing) -> Lanes {
        let schedule = timing.schedule();
        let last = self.first + self.count;
        let begins: Vec<f64> = (self.first..last).map(|step| self.begin(timing, step)).collect();
        // The first step's copies are started before its iteration begins: in front of the loop.
        let time = if self.first == 0 { 0.0 } else { begins[0] }..self.begin(timing, last);
        let deepest = schedule.streams.iter().map(|stream| stream.slots).max().unwrap_or(1);
        let before = self.first.saturating_sub(deepest + 1);
        let events = timing.events(before, last - before + deepest + 1);
        let computed: Vec<(usize, f64, f64)> = events
            .iter()
            .filter(|event| event.stage == pipeline::Stage::Compute)
            .map(|event| (event.program, nanoseconds(event.start), nanoseconds(event.end)))
            .collect();
        let compute = |step: usize| computed.iter().find(|(at, ..)| *at == step);
        let mut lanes = Vec::new();
        for place in lane_streams(timing) {
            let Some((at, slot)) = place else {
                let own = events.iter().filter(|event| {
                    matches!(event.stage, pipeline::Stage::Compute | pipeline::Stage::Wait) && event.end > event.start
                });
                let slices = own.map(|event| self.slice(event)).collect();
                lanes.push(lane("compute".to_string(), Stage::Compute, slices));
                continue;
            };
            let stream = &schedule.streams[at];
            let output = stream.direction == Direction::Out;
            let stage = if output { pipeline::Stage::CopyOut } else { pipeline::Stage::CopyIn };
            let own: Vec<&pipeline::Event> =
                events.iter().filter(|event| event.stream == Some(at) && event.stage == stage).collect();
            let mut slices: Vec<Slice> = Vec::new();
            for (number, event) in own.iter().enumerate().filter(|(_, event)| event.slot == slot) {
                let slice = self.slice(event);
                let hold = if output {
                    let from = number.checked_sub(1).map_or(before, |earlier| own[earlier].program + 1);
                    compute(from).map_or(time.start, |(_, start, _)| *start)..slice.start
                } else {
                    let until = own.get(number + 1).map_or(self.steps, |next| next.program).saturating_sub(1);
                    slice.end..compute(until).map_or(time.end, |(_, _, end)| *end)
                };
                if hold.end > hold.start {
                    slices.push(Slice { start: hold.start, end: hold.end, stage: None, program: slice.program });
                }
                slices.push(slice);
            }
            // A block that came before the first event that is known is held all the time.
            if own.is_empty() && !output {
                slices.push(Slice { start: time.start, end: time.end, stage: None, program: self.first * self.stride });
            }
            slices.sort_by(|a, b| a.start.total_cmp(&b.start));
            let name = launch.operands.get(stream.operand).map_or("?", |operand| operand.name.as_str());
            let name = if stream.slots > 1 { format!("{name} slot {slot}") } else { name.to_string() };
            lanes.push(lane(name, if output { Stage::CopyOut } else { Stage::CopyIn }, slices));
        }
        Lanes { lanes, time, begins }
    }

    fn slice(&self, event: &pipeline::Event) -> Slice {
        let stage = match event.stage {
            pipeline::Stage::CopyIn => Stage::CopyIn,
            pipeline::Stage::Compute => Stage::Compute,
            pipeline::Stage::CopyOut => Stage::CopyOut,
            pipeline::Stage::Wait => Stage::Wait,
        };
        Slice {
            start: nanoseconds(event.start),
            end: nanoseconds(event.end),
            stage: Some(stage),
            program: event.program * self.stride,
        }
    }

    /// The step at a column of so many.
    pub(crate) fn step_at(&self, column: usize, columns: usize) -> Option<usize> {
        if self.fold > 0 {
            return self.columns().nth(column).map(|steps| steps.start);
        }
        let lanes = &self.modelled;
        let time =
            lanes.time.start + (column as f64 + 0.5) / columns.max(1) as f64 * (lanes.time.end - lanes.time.start);
        let behind = lanes.begins.iter().take_while(|begin| **begin <= time).count();
        Some(self.first + behind.saturating_sub(1))
    }

    /// The same, and behind the last step that step.
    pub(crate) fn step_near(&self, column: usize, columns: usize) -> Option<usize> {
        let last = (self.first + self.count).checked_sub(1)?;
        Some(self.step_at(column, columns).unwrap_or(last).min(last))
    }

    /// Steps of each column.
    pub(crate) fn columns(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (first, last, fold) = (self.first, self.first + self.count, self.fold.max(1));
        (first..last).step_by(fold).map(move |step| step..step.saturating_add(fold).min(last))
    }

    fn folded(&self, launch: &LaunchReport, timing: &Timing, width: usize) -> Lanes {
        let schedule = timing.schedule();
        let order = &schedule.order;
        let columns: Vec<Range<usize>> = self.columns().take(width).collect();
        let mut begins: Vec<f64> = columns.iter().map(|steps| self.begin(timing, steps.start)).collect();
        begins.push(self.begin(timing, self.first + self.count));
        if self.first == 0 {
            begins[0] = 0.0;
        }
        let spans: Vec<f64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let share = |spent: f64, span: f64| if span > 0.0 { (spent / span).clamp(0.0, 1.0) } else { 0.0 };
        let computed = columns.iter().zip(&spans).map(|(steps, &span)| share(mean_duration(timing, steps), span));
        let compute = Lane { shares: computed.collect(), ..lane("compute".to_string(), Stage::Compute, Vec::new()) };
        let mut lanes: Vec<(bool, Lane)> = vec![(false, compute)];
        for stream in &schedule.streams {
            let output = stream.direction == Direction::Out;
            let transfer = nanoseconds(timing.rates().transfer(stream.bytes));
            let copies = |step: usize| match step.checked_sub(1) {
                None => 0,
                Some(before) => stream.moves.until(order, before) + 1,
            };
            let shares = columns
                .iter()
                .zip(&spans)
                .map(|(steps, &span)| share((copies(steps.end) - copies(steps.start)) as f64 * transfer, span));
            let name = launch.operands.get(stream.operand).map_or("?", |operand| operand.name.as_str());
            let stage = if output { Stage::CopyOut } else { Stage::CopyIn };
            lanes.push((output, Lane { shares: shares.collect(), ..lane(name.to_string(), stage, Vec::new()) }));
        }
        lanes.sort_by_key(|(output, lane)| (*output, lane.stage == Stage::Compute));
        let time = begins[0]..begins[begins.len() - 1];
        Lanes { lanes: lanes.into_iter().map(|(_, lane)| lane).collect(), time, begins: Vec::new() }
    }

    /// The iteration of a step, as the schedule has it: what is done, to what, and whether that is before or after the loop.
    pub(crate) fn instructions(timing: &Timing, step: usize) -> Vec<Instruction> {
        let schedule = timing.schedule();
        let mut lines = if step == 0 { schedule.prologue() } else { Vec::new() };
        lines.extend(schedule.iteration(step));
        if step + 1 == schedule.programs() {
            lines.extend(schedule.epilogue());
        }
        lines
    }
}

fn lane(name: String, stage: Stage, slices: Vec<Slice>) -> Lane {
    Lane { name, stage, slices, shares: Vec::new() }
}

/// The kernel's time in some steps: exact for few, and from samples for many.
fn mean_duration(timing: &Timing, steps: &Range<usize>) -> f64 {
    const SAMPLES: usize = 64;
    let each = (steps.len() / SAMPLES).max(1);
    let sampled: Vec<f64> = steps.clone().step_by(each).map(|step| nanoseconds(timing.duration(step))).collect();
    sampled.iter().sum::<f64>() / sampled.len().max(1) as f64 * steps.len() as f64
}

/// The next number of steps that people like: 1, 2, 5, 10, 20, ...
fn whole(steps: usize) -> usize {
    let mut size = 1usize;
    loop {
        for factor in [1, 2, 5] {
            let number = size.saturating_mul(factor);
            if number >= steps {
                return number;
            }
        }
        size = size.saturating_mul(10);
        if size == usize::MAX {
            return size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Message, Size, samples};
    use std::path::PathBuf;

    fn app(report: std::sync::Arc<crate::app::report::Report>) -> App {
        let mut app = App::new(PathBuf::from("k.py"), Size { width: 120, height: 36 }, true);
        app.update(Message::Analysed(report));
        app
    }

    #[test]
    fn exact_lanes_never_do_two_things_at_once() {
        let app = app(samples::measured());
        for step in 0..32 {
            let mut app = app.clone();
            app.step_program(step);
            let timeline = app.timeline(100).expect("a timeline");
            assert!(timeline.fold == 0 && (timeline.first..timeline.first + timeline.count).contains(&app.step()));
            for lane in &timeline.modelled.lanes {
                for pair in lane.slices.windows(2) {
                    assert!(pair[0].end <= pair[1].start + 1e-6, "{} at {step}: {pair:?}", lane.name);
                }
            }
            let names: Vec<&str> = timeline.modelled.lanes.iter().map(|lane| lane.name.as_str()).collect();
            let expected = ["x slot 0", "x slot 1", "y slot 0", "y slot 1", "compute", "o slot 0", "o slot 1"];
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn shares_from_afar_add_up_to_the_whole() {
        let mut app = app(samples::report_of(samples::plane(4096, 4096)));
        app.steps = Some(usize::MAX);
        let timeline = app.timeline(100).expect("a timeline");
        assert!(timeline.fold.is_multiple_of(100_000) && timeline.count == 4096 * 4096);
        let (_, launch) = app.profile().expect("a profile");
        assert!((timeline.modelled.time.end - launch.modelled.time).abs() < 1.0);
        assert!(timeline.modelled.lanes.iter().all(|lane| lane.shares.len() <= 100));
        assert!(timeline.modelled.lanes.iter().flat_map(|lane| &lane.shares).all(|share| (0.0..=1.0).contains(share)));
    }

    #[test]
    fn measured_programs_stand_under_modelled_ones() {
        let app = app(samples::measured());
        let timeline = app.timeline(100).expect("a timeline");
        let measured = timeline.measured.as_ref().expect("it ran");
        let names: Vec<&str> = measured.lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["x", "y", "compute", "o"]);
        assert_eq!(measured.begins.len(), timeline.count);
    }

    #[test]
    fn numbers_of_steps_are_round() {
        assert_eq!([1, 2, 3, 6, 11, 99, 101].map(whole), [1, 2, 5, 10, 20, 100, 200]);
        assert!(whole(usize::MAX) >= usize::MAX / 10);
    }
}
