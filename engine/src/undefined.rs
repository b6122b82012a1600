//! What a strict run shows of memory that nobody has written, as findings. Rules that find the same without running a launch
//! say more of it, where it was read: then that stands.

use pallas_check::rules;
use pallas_interpret::{Cause, Undefined};
use pallas_ir::{Certainty, Finding, Launch};
use pallas_syntax::Span;
use pallas_tensor::Shape;

/// A finding of a strict run.
pub(crate) struct Shown {
    pub(crate) finding: Finding,
    /// Where the launch is in the source.
    places: Vec<Span>,
}

impl Shown {
    /// What was found of a launch.
    pub(crate) fn new(found: &Undefined, launch: Option<&Launch>) -> Shown {
        Shown { finding: finding(found, launch), places: launch.map(Launch::places).unwrap_or_default() }
    }

    /// Whether a rule says the same of the launch.
    pub(crate) fn is_said_by(&self, finding: &Finding) -> bool {
        let of_warpgroups =
            self.finding.code == rules::READ_BEFORE_WRITE.code && finding.code == rules::GPU_READ_BEFORE_WRITE.code;
        (finding.code == self.finding.code || of_warpgroups) && self.places.contains(&finding.span)
    }
}

/// The finding: at the store that brought it to the output, or at the launch where there is none.
fn finding(found: &Undefined, launch: Option<&Launch>) -> Finding {
    let Undefined { name, element, count, cause, kept, store } = found;
    let element = Shape::from(&element[..]);
    let (rule, message) = match (cause, store) {
        (Cause::Padding, _) => {
            (&rules::PADDING_REACHES_OUTPUT, format!("what lies past the end of an array reaches {name}"))
        }
        (Cause::Lanes, _) => (&rules::PADDING_REACHES_OUTPUT, format!("lanes that a mask leaves out reach {name}")),
        (Cause::Memory, None) if *kept => {
            (&rules::OUTPUT_PARTLY_UNWRITTEN, format!("part of {name} stays what was in memory before"))
        }
        (Cause::Memory, _) => (&rules::READ_BEFORE_WRITE, format!("{name} depends on memory that nobody has written")),
    };
    let span = match store {
        Some((location, _)) => location.span,
        None => launch.map(|launch| launch.spans.apply).unwrap_or_default(),
    };
    let mut finding = rule.finding(Certainty::Found, span, message);
    let others = |verb: &str| match count - 1 {
        0 => String::new(),
        1 => format!(", and so {} one more element", if verb == "are" { "is" } else { "has" }),
        more => format!(", and so {verb} {more} more elements"),
    };
    let what = if *cause == Cause::Lanes { "those lanes hold" } else { "that memory holds" };
    let differs =
        || format!("element {element} of {name} has another value if {what} something else{}", others("have"));
    finding.evidence = Some(match store {
        Some((_, ids)) if !ids.is_empty() => format!("program {}: {}", Shape::from(&ids[..]), differs()),
        None if *kept => format!("element {element} of {name} is what was in memory before{}", others("are")),
        _ => differs(),
    });
    finding.help = Some(match cause {
        Cause::Padding => rules::MASK_WHERE_READ.to_string(),
        Cause::Lanes => rules::OTHER_FOR_LANES.to_string(),
        Cause::Memory => {
            "write to it first, for instance zeros under `pl.when` in the programs that begin a new block".to_string()
        }
    });
    finding
}
