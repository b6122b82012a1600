//! Says of what was seen in a call with made-up arguments that it is only as good as they are.

use pallas_engine::{Analysis, Fact};

/// What a fact depends on, if it was seen in no call of the program: plain text, one line.
pub(crate) fn assumption(analysis: &Analysis, fact: &Fact) -> Option<String> {
    let name = fact.assumed.as_ref()?;
    let assumed = analysis.assumed.iter().find(|assumed| assumed.function == *name)?;
    Some(match assumed.arguments.as_str() {
        "" => format!("Assumed: nobody calls {name} here; it was analysed without arguments."),
        arguments => format!("Assumed: nobody calls {name} here; it was analysed with {arguments}."),
    })
}
