//! What calls that failed have taught of a function's arguments: the next ones are made accordingly.

use pallas_syntax::ast::Name;
use pallas_tensor::DType;
use std::collections::BTreeMap;

/// What is known of the arguments of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    params: BTreeMap<Name, Param>,
    lengths: BTreeMap<String, usize>,
    axes: Vec<Name>,
    mesh: Vec<Name>,
    context_mesh: Vec<Name>,
    /// So many arrays are passed to a function that takes any number (`*operands`).
    variadic: usize,
    /// Of enums, which member is made: their numbers by name of the class.
    members: BTreeMap<Name, usize>,
    /// Attributes that something was asked for which does not have them: an object with configuration was meant.
    missing: Vec<Name>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Param {
    /// It is not to be left out: its default will not do.
    is_given: bool,
    /// It is to be `None`.
    is_none: bool,
    dtype: Option<DType>,
    rank: Option<usize>,
    number: Option<i64>,
    flag: Option<bool>,
}

/// Longer dimensions are a misunderstanding.
const LONGEST: usize = 1 << 24;

impl Learnt {
    /// Whether the function is called on the devices of a mesh, or under one.
    pub fn has_mesh(&self) -> bool {
        !self.axes.is_empty() || !self.context_mesh.is_empty()
    }

    /// Names of axes that the function asks a mesh for, which it must be called under.
    pub(super) fn axes(&self) -> &[Name] {
        &self.axes
    }

    /// Names of the axes of the mesh that has to be set when the function is called; none if none has to be.
    pub(super) fn context_mesh(&self) -> &[Name] {
        &self.context_mesh
    }

    pub(super) fn variadic(&self) -> usize {
        self.variadic
    }

    pub(super) fn member(&self, class: &Name) -> usize {
        self.members.get(class).copied().unwrap_or(0)
    }

    /// Names of the axes that a mesh has to have.
    pub(super) fn mesh(&self) -> &[Name] {
        &self.mesh
    }

    pub(super) fn is_given(&self, name: &str) -> bool {
        self.params.get(name).is_some_and(|param| param.is_given)
    }

    pub(super) fn is_none(&self, name: &str) -> bool {
        self.params.get(name).is_some_and(|param| param.is_none)
    }

    pub(super) fn dtype(&self, name: &str) -> Option<DType> {
        self.params.get(name)?.dtype
    }

    pub(super) fn rank(&self, name: &str) -> Option<usize> {
        self.params.get(name)?.rank
    }

    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.params.get(name)?.number
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.params.get(name)?.flag
    }

    pub(super) fn length(&self, dim: &str) -> Option<usize> {
        self.lengths.get(dim).copied()
    }

    pub(super) fn is_missing(&self, attribute: &Name) -> bool {
        self.missing.contains(attribute)
    }

    pub(super) fn miss(&mut self, attribute: &str) {
        if !self.missing.iter().any(|known| **known == *attribute) {
            self.missing.push(Name::from(attribute));
        }
    }

    pub(super) fn give(&mut self, name: &Name) {
        self.param(name).is_given = true;
    }

    pub(super) fn leave_out(&mut self, name: &Name) {
        self.param(name).is_none = true;
    }

    pub(super) fn set_dtype(&mut self, name: &Name, dtype: DType) {
        self.param(name).dtype = Some(dtype);
    }

    pub(super) fn set_rank(&mut self, name: &Name, rank: usize) {
        self.param(name).rank = Some(rank);
    }

    pub(super) fn set_number(&mut self, name: &Name, number: i64) {
        let param = self.param(name);
        (param.number, param.is_given) = (Some(number), true);
    }

    pub(super) fn set_flag(&mut self, name: &Name, flag: bool) {
        let param = self.param(name);
        (param.flag, param.is_given) = (Some(flag), true);
    }

    /// Whether the length makes sense.
    pub(super) fn set_length(&mut self, dim: &str, length: i64) -> bool {
        let length = usize::try_from(length).ok().filter(|length| (1..=LONGEST).contains(length));
        length.is_some_and(|length| {
            self.lengths.insert(dim.to_string(), length);
            true
        })
    }

    pub(super) fn bind_axis(&mut self, axis: &str) {
        if !self.axes.iter().any(|known| &**known == axis) {
            self.axes.push(Name::from(axis));
        }
    }

    pub(super) fn set_context_mesh(&mut self, axes: Vec<Name>) {
        self.context_mesh = axes;
    }

    pub(super) fn set_variadic(&mut self, count: usize) {
        self.variadic = count;
    }

    pub(super) fn set_member(&mut self, class: &Name, number: usize) {
        self.members.insert(class.clone(), number);
    }

    pub(super) fn set_mesh(&mut self, axes: Vec<Name>) {
        self.mesh = axes;
    }

    fn param(&mut self, name: &Name) -> &mut Param {
        self.params.entry(name.clone()).or_default()
    }
}
