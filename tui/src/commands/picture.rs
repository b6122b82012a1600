//! `pallas-tui picture FILE`: a view of the terminal program as an SVG file, drawn without a terminal. The pictures of the
//! documents are made by it.

use crate::app::views::View;
use crate::app::{App, Effect, Message, Size};
use crate::args::{ColorChoice, PictureArgs};
use crate::device::Wish;
use crate::exit::Exit;
use crate::keymap::Key;
use crate::picture;
use crate::styles::Styles;
use crate::worker::{Task, Wanted, Worker};
use crate::{device, environment, output, profiler, sources, view};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

pub(super) fn picture(args: &PictureArgs, python: Option<&Path>) -> Exit {
    match draw(args, python).and_then(|svg| save(&args.output, &svg)) {
        Ok(()) => Exit::Success,
        Err(message) => {
            output::error(&message);
            Exit::Usage
        }
    }
}

fn draw(args: &PictureArgs, python: Option<&Path>) -> Result<String, String> {
    let keys = keys(args)?;
    environment::find(python, &args.file)?;
    sources::read(&args.file)?;
    device::tell_fallback(args.on.device);
    device::acceleration(Wish::plain(args.on), python, &args.file, None)?;
    let task = Task {
        path: args.file.clone(),
        arguments: args.arguments.clone(),
        python: python.map(Path::to_path_buf),
        machines: profiler::machines(&args.machine.name, &args.file)?,
        runs: !args.no_run,
        on: args.on,
    };
    let runs = task.runs;
    // As a terminal of today shows it, whatever this one is.
    let terminal = |name: &str| match name {
        "COLORTERM" => Some("truecolor".to_string()),
        "LANG" => Some("C.UTF-8".to_string()),
        _ => None,
    };
    let styles = Styles::detect(ColorChoice::Always, args.ascii, terminal, false);
    let (width, height) = args.size;
    let mut app = App::new(args.file.clone(), Size { width, height }, styles.has_heat());
    let (sender, answers) = channel();
    let answer = move |message| {
        let _ = sender.send(message);
    };
    let worker = Worker::start(task, Arc::new(answer)).map_err(|error| error.to_string())?;
    worker.analyse();
    // The worker is done once it has answered for the run, or for the analysis where there is no run.
    while let Ok(message) = answers.recv() {
        let is_last = match &message {
            Message::Profiled(_) => true,
            Message::Analysed(_) => !runs,
            Message::Unreadable(why) => return Err(why.clone()),
            _ => false,
        };
        app.update(message);
        if is_last {
            break;
        }
    }
    for key in keys {
        // Values are taken by another run, of which the worker tells in its own time.
        let Some(Effect::Tiles { generation, launch, number, program }) = app.update(Message::Key(key)) else {
            continue;
        };
        worker.tiles(Wanted { generation, launch, number, program });
        while let Ok(message) = answers.recv() {
            let is_last = matches!(&message, Message::Tiles(_));
            app.update(message);
            if is_last {
                break;
            }
        }
    }
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    view::draw(&app, styles, &mut buffer);
    let title = format!("pallas-tui {}", args.file.display());
    Ok(picture::svg(&buffer, args.paper, &title))
}

/// The keys to press: to the view, then what `--keys` says.
fn keys(args: &PictureArgs) -> Result<Vec<Key>, String> {
    let mut keys = Vec::new();
    if let Some(name) = &args.view {
        let at = View::ALL.iter().position(|view| view.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            let known: Vec<String> = View::ALL.iter().map(|view| view.name().to_lowercase()).collect();
            format!("no view is called `{name}`; there are: {}", known.join(", "))
        })?;
        keys.extend(Key::parse(&(at + 1).to_string()));
    }
    for notation in args.keys.iter().flat_map(|keys| keys.split_whitespace()) {
        let key = Key::parse(notation)
            .ok_or_else(|| format!("`{notation}` is no key; keys are written apart: `l l <enter> C-d`"))?;
        keys.push(key);
    }
    Ok(keys)
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    if path.as_os_str() == "-" {
        output::stdout(text);
        return Ok(());
    }
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
