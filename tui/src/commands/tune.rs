//! `pallas-tui tune FILE [FUNCTION]`: runs a file with other values of its parameters, and says which are the quickest.

use crate::args::{Backend, Device, TuneArgs};
use crate::exit::{Exit, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::progress::Bar;
use crate::tuner::{Outcome, Point, Told, Tuner};
use crate::{device, output, report, sources};
use pallas_engine::simt::Tuning;
use pallas_engine::tune::{Parameter, Place, candidates, places, points, variant};
use pallas_engine::{Cancel, Notebook, SourceFile, path_text, syntax};
use std::path::Path;
use std::sync::Arc;

/// More combinations than this are a mistake.
const MOST: usize = 4096;

pub(super) fn tune(args: &TuneArgs, python: Option<&Path>) -> Exit {
    match run(args, python) {
        Ok(exit) => exit,
        Err(message) => {
            output::error(&message);
            Exit::Usage
        }
    }
}

/// What is tried: parameters of the program with their places, then those of the device.
struct Plan {
    text: Arc<str>,
    parameters: Vec<(Parameter, Vec<Place>)>,
    warps: Vec<Option<u32>>,
    stages: Vec<Option<usize>>,
    /// Ways to machine code; one: no point says it.
    backends: Vec<Backend>,
}

fn run(args: &TuneArgs, python: Option<&Path>) -> Result<Exit, String> {
    let plan = plan(args, python)?;
    let tuner = Tuner::new(args.file.clone(), args.function.clone(), args.on, python, &args.arguments, args.rounds)?;
    device::tell_fallback(args.on.device);
    let cancel = Cancel::new();
    let _interrupt = Interrupt::cancels(&cancel);
    let wanted = plan.points();
    let all = wanted.len();
    let path = path_text(&args.file);
    let bar = Bar::start(&path, "points");
    let teller = bar.teller();
    let mut measured: Vec<Point> = Vec::new();
    teller.tell(&path, 0, all + 1);
    // The file as it is: what others are compared with.
    let as_it_is = Told { tuning: Tuning::default(), backend: plan.backends[0] };
    let before = tuner.measure(Vec::new(), &plan.text, as_it_is, None, &cancel);
    if let Some(before) = &before
        && let Outcome::Failed(why) = &before.outcome
        && before.printed.is_none()
    {
        drop(bar);
        return Err(format!("{path}: {why}"));
    }
    let printed = before.as_ref().and_then(|point| point.printed.clone());
    for (number, (values, text, told)) in wanted.into_iter().enumerate() {
        if cancel.is_cancelled() {
            break;
        }
        let name = values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        teller.tell(&name, number + 1, all + 1);
        measured.extend(tuner.measure(values, &text, told, printed.as_deref(), &cancel));
    }
    drop(bar);
    let tuned = report::tune::Tuned {
        file: path.clone(),
        device: tuner.device(),
        before,
        points: measured,
        planned: all,
        cancelled: cancel.is_cancelled(),
    };
    if let Some(file) = &args.json {
        let text = report::tune::json(&tuned).map_err(|error| error.to_string())?;
        match file.as_os_str() == "-" {
            true => output::stdout(&text),
            false => std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?,
        }
    }
    if args.json.as_ref().is_none_or(|file| file.as_os_str() != "-") {
        output::stdout(&report::tune::text(&tuned));
    }
    if args.write && !tuned.cancelled {
        write(&args.file, &plan, &tuned)?;
    }
    if tuned.cancelled {
        output::error(&format!("{path}: stopped; {} of {} points were measured", tuned.points.len(), tuned.planned));
        return Ok(Exit::Program(INTERRUPTED));
    }
    Ok(if tuned.best().is_some() { Exit::Success } else { Exit::Findings })
}

fn plan(args: &TuneArgs, python: Option<&Path>) -> Result<Plan, String> {
    let text = sources::read(&args.file)?;
    let path = path_text(&args.file);
    let module = syntax::parse(Arc::new(SourceFile::new(syntax::FileId(0), path.as_str(), text.clone())));
    if let Some(error) = module.errors.first() {
        let line = module.source.line_of(error.span.start);
        return Err(format!("{path}:{line}: {}; mend it first, then tune", error.message));
    }
    let function = args.function.as_deref();
    let on_device = args.on.device != Device::Interpret;
    let for_device = !args.warps.is_empty() || !args.stages.is_empty();
    if for_device && !on_device {
        return Err(
            "--warps and --stages are about a device: they need `--device cuda`, `auto` or `simulator`".to_string()
        );
    }
    if args.backend == Backend::TileIr && for_device {
        return Err("--warps and --stages are told to `--backend simt` alone: tileiras decides itself".to_string());
    }
    if args.backend != Backend::Auto && !matches!(args.on.device, Device::Cuda | Device::Auto) {
        return Err("--backend is about a CUDA device: it needs `--device cuda` or `auto`".to_string());
    }
    let mut parameters = Vec::new();
    for parameter in &args.param {
        let found = places(&module, function, &parameter.name);
        if found.is_empty() {
            let known = candidates(&module, function);
            let inside = function.map_or(String::new(), |function| format!(" of `{function}`"));
            let others = match known.is_empty() {
                true => String::new(),
                false => format!("; there are: {}", known.join(", ")),
            };
            return Err(format!(
                "{path}: nothing{inside} is called `{}`: a parameter is a name that is assigned, the default of a function's \
                 parameter, or an argument of a call{others}",
                parameter.name
            ));
        }
        parameters.push((parameter.clone(), found));
    }
    let alone = parameters.is_empty() && on_device && args.backend != Backend::TileIr;
    let some = |given: &[u32], usual: &[u32]| -> Vec<Option<u32>> {
        match (given.is_empty(), alone) {
            (false, _) => given.iter().copied().map(Some).collect(),
            (true, true) => usual.iter().copied().map(Some).collect(),
            (true, false) => vec![None],
        }
    };
    let warps = some(&args.warps, &[4, 8]);
    let stages =
        some(&args.stages, &[2, 3, 4]).into_iter().map(|stages| stages.map(|stages| stages as usize)).collect();
    let backends = backends(args, python);
    let plan = Plan { text, parameters, warps, stages, backends };
    if plan.parameters.is_empty() && !on_device {
        let known = candidates(&module, function);
        let inside = function.map_or(String::new(), |function| format!(" in `{function}`"));
        return Err(match known.first() {
            None => format!("{path}: nothing to try: no name is given a whole number{inside}, as `bm=128` would be"),
            Some(first) => {
                let others = known.join(", ");
                format!("name what to try, as `--param {first}=64,128,256`; {path} has{inside}: {others}")
            }
        });
    }
    match plan.count() {
        count if count > MOST => Err(format!("{count} points are too many; {MOST} are the most")),
        _ => Ok(plan),
    }
}

/// Ways to machine code that are tried. As it is a file goes the first one.
fn backends(args: &TuneArgs, python: Option<&Path>) -> Vec<Backend> {
    let on_cuda = matches!(args.on.device, Device::Cuda | Device::Auto);
    match args.backend {
        Backend::Auto if on_cuda && device::has_tiles(python, &args.file) => vec![Backend::Simt, Backend::TileIr],
        Backend::Auto => vec![Backend::Simt],
        one => vec![one],
    }
}

/// Names with values.
type Values = Vec<(String, String)>;

impl Plan {
    /// How many points there are. Warps and stages are nothing that the way of tiles is told.
    fn count(&self) -> usize {
        let ways = self.backends.iter().map(|backend| match backend {
            Backend::TileIr => 1,
            _ => self.warps.len() * self.stages.len(),
        });
        let values = self.parameters.iter().map(|(parameter, _)| parameter.values.len());
        values.chain([ways.sum()]).fold(1, usize::saturating_mul)
    }

    /// What the device is told at each point, with the words for it.
    fn told(&self) -> Vec<(Values, Told)> {
        let mut all = Vec::new();
        let named = |name: &str, value: Option<String>| Some((name.to_string(), value?));
        for &backend in &self.backends {
            let way = (self.backends.len() > 1).then(|| backend.name().to_string());
            let is_told = backend != Backend::TileIr;
            // Every row has all columns.
            let shown = |value: Option<String>| if is_told { value } else { value.map(|_| String::new()) };
            for &warps in if is_told { &self.warps[..] } else { &self.warps[..1] } {
                for &stages in if is_told { &self.stages[..] } else { &self.stages[..1] } {
                    let tuning = if is_told { Tuning { warps, stages } } else { Tuning::default() };
                    let values = [
                        named("warps", shown(warps.map(|n| n.to_string()))),
                        named("stages", shown(stages.map(|n| n.to_string()))),
                        named("backend", way.clone()),
                    ];
                    all.push((values.into_iter().flatten().collect(), Told { tuning, backend }));
                }
            }
        }
        all
    }

    /// Every point: its values, the text with them, and what the lowering is told.
    fn points(&self) -> Vec<(Values, String, Told)> {
        let parameters: Vec<Parameter> = self.parameters.iter().map(|(parameter, _)| parameter.clone()).collect();
        let mut all = Vec::new();
        for point in points(&parameters) {
            let chosen = || self.parameters.iter().zip(&point);
            let values: Values = chosen()
                .map(|((parameter, _), &value)| (parameter.name.clone(), parameter.values[value].clone()))
                .collect();
            let changes: Vec<(&Place, &str)> = chosen()
                .flat_map(|((parameter, places), &value)| {
                    places.iter().map(move |place| (place, parameter.values[value].as_str()))
                })
                .collect();
            let text = variant(&self.text, &changes);
            for (device, told) in self.told() {
                all.push((values.iter().cloned().chain(device).collect(), text.clone(), told));
            }
        }
        all
    }
}

/// Puts the best values into the file. What only the device is told has no place there.
fn write(file: &Path, plan: &Plan, tuned: &report::tune::Tuned) -> Result<(), String> {
    let Some(best) = tuned.best() else { return Ok(()) };
    let mut changes: Vec<(&Place, &str)> = Vec::new();
    for (parameter, places) in &plan.parameters {
        if let Some((_, value)) = best.values.iter().find(|(name, _)| *name == parameter.name) {
            changes.extend(places.iter().map(|place| (place, value.as_str())));
        }
    }
    let path = path_text(file);
    if variant(&plan.text, &changes) == *plan.text {
        output::error(&format!("{path}: has the best values already"));
        return Ok(());
    }
    let source = SourceFile::new(syntax::FileId(0), path.as_str(), plan.text.clone());
    let line = |place: &Place| source.line_words(place.line as u32);
    let lines: Vec<String> = changes.iter().map(|(place, value)| format!("{}: {value}", line(place))).collect();
    if *sources::read(file)? != *plan.text {
        return Err(format!("{path}: has changed meanwhile, and is left as it is; the best are {}", lines.join(", ")));
    }
    let text = changed(file, &changes)?;
    std::fs::write(file, text).map_err(|error| format!("{path}: {error}"))?;
    output::error(&format!("{path}: written, {}", lines.join(", ")));
    Ok(())
}

/// What the file says with other values at places of its text.
fn changed(file: &Path, changes: &[(&Place, &str)]) -> Result<String, String> {
    let path = path_text(file);
    let said = std::fs::read_to_string(file).map_err(|error| format!("{path}: {error}"))?;
    // A mark of the byte order is no part of the text.
    let (mark, said) = said.split_at(said.len() - said.trim_start_matches('\u{feff}').len());
    let text = match syntax::notebook::is_notebook(&path) {
        false => variant(said, changes),
        true => {
            let places: Vec<_> = changes.iter().map(|(place, value)| (place.range.clone(), *value)).collect();
            let changed = Notebook::new(&path, said)?.changed(&places);
            changed.map_err(|place| format!("{place}: does not stand so in the notebook; change it there yourself"))?
        }
    };
    Ok(format!("{mark}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(backends: &[Backend]) -> Plan {
        let (warps, stages) = (vec![Some(4), Some(8)], vec![Some(2), Some(3)]);
        Plan { text: "".into(), parameters: Vec::new(), warps, stages, backends: backends.to_vec() }
    }

    #[test]
    fn the_way_of_tiles_is_one_more_point_and_is_told_nothing_else() {
        let both = plan(&[Backend::Simt, Backend::TileIr]);
        let points = both.points();
        assert_eq!((points.len(), both.count()), (5, 5));
        let names = |point: &(Values, String, Told)| {
            point.0.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&points[0]), "warps=4 stages=2 backend=simt");
        assert_eq!(names(&points[4]), "warps= stages= backend=tileir");
        let told = points[4].2;
        assert_eq!((told.backend, told.tuning), (Backend::TileIr, Tuning::default()));
        let one = plan(&[Backend::Simt]);
        assert_eq!((one.points().len(), one.count()), (4, 4));
        assert_eq!(names(&one.points()[3]), "warps=8 stages=3", "nothing is said of what there is no choice of");
    }
}
