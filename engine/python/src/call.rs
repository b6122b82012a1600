//! Arguments on their way into a call. Binding them to parameters is in [`crate::native`] and [`crate::function`].

use crate::value::Value;
use pallas_syntax::ast::Name;
use smallvec::SmallVec;

/// What a call passes, stars already unpacked.
#[derive(Clone, Default)]
pub struct CallArgs {
    /// In order.
    pub positional: SmallVec<[Value; 6]>,
    /// In order of writing; names are unique.
    pub keywords: SmallVec<[(Name, Value); 2]>,
    /// What stands for the arguments of stars that analysis knows nothing of, of functions in Python.
    pub unknown: Unpacked,
}

/// Stars of a call whose items are not known: how many there are, and what they are called.
#[derive(Clone, Default)]
pub struct Unpacked {
    /// `*items`
    pub positional: Option<Value>,
    /// `**items`
    pub keywords: Option<Value>,
}

impl CallArgs {
    /// Positional arguments only.
    pub fn positional(values: impl IntoIterator<Item = Value>) -> Self {
        CallArgs { positional: values.into_iter().collect(), ..CallArgs::default() }
    }

    /// The same call with `receiver` in front.
    pub fn with_receiver(mut self, receiver: Value) -> Self {
        self.positional.insert(0, receiver);
        self
    }
}
