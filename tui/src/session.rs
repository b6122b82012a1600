//! The loop of the terminal program: keys, signals, the watcher and the analysis send messages to one channel; the app
//! takes them in, its effects are carried out, and a frame is drawn when something changed.

use crate::app::mouse::Click;
use crate::app::{App, Effect, Message, Size};
use crate::picture;
use crate::signals::{Signal, listen};
use crate::styles::{Depth, Styles};
use crate::terminal::Screen;
use crate::view;
use crate::watch::{FileWatcher, Notice};
use crate::worker::{Task, Wanted, Worker};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, Event, KeyEventKind, MouseButton, MouseEventKind};
use ratatui::layout::Rect;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);

/// What reaches the loop.
enum Input {
    Message(Message),
    /// A signal.
    Signal(Signal),
    /// Draw all of it again.
    Redraw,
}

impl Input {
    /// Whether somebody waits for its frame.
    fn is_urgent(&self) -> bool {
        matches!(self, Input::Message(Message::Key(_) | Message::Mouse(..) | Message::Resize(_)))
    }
}

/// When frames are drawn. Two that answer keys are no closer than [`FRAME`], nor are any two others; but a frame that only turns a
/// spinner does not make the answer to a key wait.
#[derive(Default)]
struct Pace {
    /// When the last frame was drawn.
    last: Option<Instant>,
    /// When the last one was that answered somebody.
    answered: Option<Instant>,
    /// Whether somebody waits for the next one.
    hurried: bool,
}

impl Pace {
    /// How long until the next frame may be drawn.
    fn wait(&self, now: Instant) -> Duration {
        let since = if self.hurried { self.answered } else { self.last };
        since.map_or(Duration::ZERO, |at| FRAME.saturating_sub(now.saturating_duration_since(at)))
    }

    fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
        if self.hurried {
            self.answered = Some(now);
        }
        self.hurried = false;
    }
}

/// What the loop listens to.
const SIGNALS: [Signal; 5] = [Signal::Interrupt, Signal::Terminate, Signal::HangUp, Signal::Suspend, Signal::Continue];

/// Runs the terminal program on a file until it is quit.
///
/// # Errors
/// The terminal cannot be used.
pub(crate) fn run(task: Task, styles: Styles, mouse: bool) -> io::Result<()> {
    // The crate's own NO_COLOR drops reversed text with the colours; ours does not.
    ratatui::crossterm::style::force_color_output(true);
    let (sender, inbox) = channel();
    let mut screen = Screen::take(mouse)?;
    let (width, height) = ratatui::crossterm::terminal::size()?;
    let path = task.path.clone();
    let app = App::new(path.clone(), Size { width, height }, styles.has_heat());
    let gate = Arc::new(Gate::default());
    read_keys(sender.clone(), gate.clone())?;
    let to_loop = sender.clone();
    // The loop ends in order.
    let signals = listen(&SIGNALS, move |signal| to_loop.send(Input::Signal(signal)).is_ok())?;
    let to_loop = sender.clone();
    let answer = move |message| {
        let _ = to_loop.send(Input::Message(message));
    };
    let worker = Worker::start(task, Arc::new(answer))?;
    let watcher = watch(path, &sender);
    let mut session = Session { app, styles, worker, watcher, gate, started: Instant::now() };
    session.perform(Effect::Analyse, &mut screen)?;
    let ended = session.run(&inbox, &mut screen);
    drop(signals);
    drop(screen);
    ended
}

/// Starts the watcher; what it cannot do is said on the screen.
fn watch(path: PathBuf, sender: &Sender<Input>) -> Option<FileWatcher> {
    let to_loop = sender.clone();
    let started = FileWatcher::start(vec![path], move |notice| {
        let message = match notice {
            Notice::Changed(_) => Message::Changed,
            Notice::Problem(text) => Message::WatchProblem(text),
        };
        let _ = to_loop.send(Input::Message(message));
    });
    match started {
        Ok(watcher) => Some(watcher),
        Err(problem) => {
            let _ = sender.send(Input::Message(Message::WatchProblem(problem)));
            None
        }
    }
}

/// Keeps the thread that reads keys away from the terminal while something else uses it.
#[derive(Default)]
struct Gate {
    wanted: AtomicBool,
    held: Mutex<()>,
}

struct Session {
    app: App,
    styles: Styles,
    worker: Worker,
    watcher: Option<FileWatcher>,
    gate: Arc<Gate>,
    started: Instant,
}

impl Session {
    fn run(&mut self, inbox: &Receiver<Input>, screen: &mut Screen) -> io::Result<()> {
        let mut pace = Pace::default();
        let mut dirty = true;
        loop {
            if dirty && pace.wait(Instant::now()).is_zero() {
                let (app, styles) = (&self.app, self.styles);
                screen.draw(|buffer| {
                    // The terminal may have changed its size since the last message.
                    let area = buffer.area;
                    if (area.width, area.height) == (app.size.width, app.size.height) {
                        view::draw(app, styles, buffer);
                    } else {
                        let mut resized = app.clone();
                        resized.size = Size { width: area.width, height: area.height };
                        view::draw(&resized, styles, buffer);
                    }
                })?;
                pace.drawn(Instant::now());
                dirty = false;
            }
            let wait = if dirty { pace.wait(Instant::now()) } else { self.app.tick() };
            let first = match inbox.recv_timeout(wait) {
                Ok(input) => input,
                Err(RecvTimeoutError::Timeout) => Input::Message(Message::Tick),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            self.app.now = self.started.elapsed();
            // Everything that waits is taken in before the next frame.
            let mut next = Some(first);
            while let Some(input) = next {
                dirty = true;
                pace.hurried |= input.is_urgent();
                let effect = match input {
                    Input::Message(message) => self.app.update(message),
                    Input::Redraw => Some(Effect::Redraw),
                    Input::Signal(Signal::Suspend) => Some(Effect::Suspend),
                    Input::Signal(Signal::Continue) => Some(Effect::Redraw),
                    Input::Signal(_) => Some(Effect::Quit),
                };
                match effect {
                    Some(Effect::Quit) => return Ok(()),
                    Some(effect) => self.perform(effect, screen)?,
                    None => {}
                }
                next = inbox.try_recv().ok();
            }
        }
    }

    fn perform(&mut self, effect: Effect, screen: &mut Screen) -> io::Result<()> {
        match effect {
            Effect::Analyse => {
                self.worker.analyse();
                self.app.update(Message::Started);
            }
            Effect::Tiles { generation, launch, number, program } => {
                self.worker.tiles(Wanted { generation, launch, number, program });
            }
            Effect::Generate { generation, launch, number, form } => {
                let sources = self.app.report.as_ref().map(|report| report.sources.clone()).unwrap_or_default();
                self.worker.generate(generation, launch, number, form, sources);
            }
            Effect::Export => {
                let said = self.export();
                self.app.update(Message::Say(said));
            }
            Effect::Save => {
                let said = self.save();
                self.app.update(Message::Say(said));
            }
            Effect::Copy(text) => screen.copy(&text)?,
            Effect::Stop => self.worker.stop(),
            Effect::Model(machines) => self.worker.model(machines),
            Effect::Watch(files) => {
                if let Some(watcher) = &self.watcher {
                    // What was saved while it was being read is not what is shown.
                    let sources = self.app.report.as_ref().map(|report| report.sources.as_slice()).unwrap_or_default();
                    let read = |file: &PathBuf| {
                        let source = sources.iter().find(|source| Path::new(&*source.path) == file)?;
                        Some(&*source.text)
                    };
                    watcher.set_read(files.iter().map(|file| (file.clone(), read(file))).collect(), Vec::new());
                }
            }
            Effect::Redraw => screen.clear()?,
            Effect::Suspend => self.lend(screen, || {
                // Stops this process as the shell expects; returns on `fg`.
                Signal::Suspend.act();
            })?,
            Effect::Edit(path, line) => {
                let line = crate::sources::line_in_file(&path, line);
                let result = self.lend(screen, || crate::editor::open(&path, line))?;
                if let Err(problem) = result {
                    self.app.update(Message::Say(problem));
                }
            }
            Effect::Quit => {}
        }
        Ok(())
    }

    /// Saves the screen as a picture, and says where.
    fn export(&self) -> String {
        let Size { width, height } = self.app.size;
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
        view::draw(&self.app, Styles { depth: Depth::True, ..self.styles }, &mut buffer);
        let file = format!("pallas-{}.svg", self.app.view.name().to_lowercase());
        let title = format!("pallas-tui {}", self.app.path.display());
        match std::fs::write(&file, picture::svg(&buffer, picture::Paper::Dark, &title)) {
            Ok(()) => format!("saved {file}"),
            Err(error) => format!("{file}: {error}"),
        }
    }

    /// Saves the report with the values that were looked at, and says where.
    fn save(&self) -> String {
        const FILE: &str = "pallas-report.json";
        let Some(report) = self.app.full_report() else { return "there is nothing to save yet".to_string() };
        let written = report.to_json().map_err(io::Error::other).and_then(|text| std::fs::write(FILE, text));
        match written {
            Ok(()) => format!("saved {FILE}"),
            Err(error) => format!("{FILE}: {error}"),
        }
    }

    /// Lets something else use the terminal, with the keys; then takes both again.
    fn lend<T>(&mut self, screen: &mut Screen, body: impl FnOnce() -> T) -> io::Result<T> {
        self.gate.wanted.store(true, Ordering::SeqCst);
        let gate = self.gate.clone();
        let held = gate.held.lock().unwrap_or_else(PoisonError::into_inner);
        let result = screen.lend(body);
        self.gate.wanted.store(false, Ordering::SeqCst);
        drop(held);
        if let Ok((width, height)) = ratatui::crossterm::terminal::size() {
            self.app.update(Message::Resize(Size { width, height }));
        }
        result
    }
}

/// Reads keys in a thread of its own.
fn read_keys(sender: Sender<Input>, gate: Arc<Gate>) -> io::Result<()> {
    let read = move || {
        loop {
            if gate.wanted.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            let held = gate.held.lock().unwrap_or_else(PoisonError::into_inner);
            let event = match event::poll(Duration::from_millis(50)) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            drop(held);
            let input = match event {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Message(Message::Key(key.into())),
                Ok(Event::Resize(width, height)) => Input::Message(Message::Resize(Size { width, height })),
                Ok(Event::Mouse(mouse)) => {
                    let click = match mouse.kind {
                        MouseEventKind::Down(MouseButton::Left) => Click::Press,
                        MouseEventKind::Drag(MouseButton::Left) => Click::Drag,
                        MouseEventKind::Up(MouseButton::Left) => Click::Release,
                        MouseEventKind::ScrollUp => Click::Up,
                        MouseEventKind::ScrollDown => Click::Down,
                        _ => continue,
                    };
                    Input::Message(Message::Mouse(click, mouse.column, mouse.row))
                }
                Ok(Event::FocusGained) => Input::Redraw,
                Ok(_) => continue,
                // The terminal is gone: what a hang-up means.
                Err(_) => Input::Signal(Signal::HangUp),
            };
            let over = matches!(input, Input::Signal(_));
            if sender.send(input).is_err() || over {
                return;
            }
        }
    };
    std::thread::Builder::new().name("keys".to_string()).spawn(read).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spinner_does_not_hold_up_a_key() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut pace = Pace::default();
        assert_eq!(pace.wait(start), Duration::ZERO, "the first frame waits for nothing");
        pace.drawn(start);
        assert_eq!(pace.wait(at(5)), Duration::from_millis(11), "the next turn of the spinner waits");
        pace.hurried = true;
        assert_eq!(pace.wait(at(5)), Duration::ZERO, "a key does not");
        pace.drawn(at(5));
        pace.hurried = true;
        assert_eq!(pace.wait(at(9)), Duration::from_millis(12), "keys that come faster than frames share one");
        assert_eq!(pace.wait(at(21)), Duration::ZERO);
    }
}
