//! The launch at the cursor as text: the kernel's IR, or the code that is generated from it for a GPU. Code is made when somebody
//! looks at it, beside everything else, and forgotten when another launch or another form is looked at.

use super::{App, Effect, Pane, View};
use pallas_engine::generated::Form;
use std::sync::Arc;

/// Code that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generated {
    /// The report that it is of.
    pub(crate) generation: usize,
    /// The launch, by its place in the report.
    pub(crate) launch: usize,
    /// What it is.
    pub(crate) form: Form,
    /// The code, or why there is none.
    pub(crate) text: Result<String, String>,
}

/// As what a launch is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The form of generated code; the IR where there is none.
    pub(crate) form: Option<Form>,
    /// What was made last.
    made: Option<Arc<Generated>>,
    /// What was asked for last: report, launch, form.
    asked: Option<(usize, usize, Form)>,
}

impl Code {
    /// Takes what was asked for last. What was asked for before that may be done later, and would take its place.
    pub(super) fn take(&mut self, code: Arc<Generated>) {
        if self.asked == Some((code.generation, code.launch, code.form)) {
            self.made = Some(code);
        }
    }
}

impl App {
    /// The text of the launch at the cursor; empty where there is none, or none yet.
    pub(crate) fn ir(&self) -> &str {
        match (self.code.form, self.profile()) {
            (_, None) => "",
            (None, Some((_, launch))) => launch.ir.as_str(),
            (Some(_), Some(_)) => self.generated().and_then(|text| text.as_ref().ok()).map_or("", String::as_str),
        }
    }

    /// What the pane of the IR is about.
    pub(crate) fn form_title(&self) -> &'static str {
        match self.code.form {
            None => "IR",
            Some(Form::Cuda) => "CUDA C++",
            Some(Form::Simt) => "SIMT IR",
            Some(Form::Ttir) => "Triton IR",
            Some(Form::TileIr) => "CUDA Tile IR",
        }
    }

    /// The code of the launch at the cursor, or why there is none; `None` as long as it is being made.
    pub(crate) fn generated(&self) -> Option<&Result<String, String>> {
        let made = self.code.made.as_ref()?;
        let is = (made.generation, made.launch, Some(made.form)) == (self.generation, self.launch, self.code.form);
        is.then_some(&made.text)
    }

    /// The next form: the IR, then each form of generated code.
    pub(super) fn next_form(&mut self) {
        self.code.form = match self.code.form {
            None => Form::ALL.first().copied(),
            Some(form) => Form::ALL.iter().copied().skip_while(|&other| other != form).nth(1),
        };
        self.ir_scroll = 0;
    }

    /// What has to be asked for, if somebody looks at code that has not been made.
    pub(super) fn want_code(&mut self) -> Option<Effect> {
        let form = self.code.form.filter(|_| self.view == View::Ir || self.focus == Pane::Ir)?;
        let launch = self.launch()?.launch.clone();
        let question = (self.generation, self.launch, form);
        if self.generated().is_some() || self.code.asked == Some(question) {
            return None;
        }
        self.code.asked = Some(question);
        Some(Effect::Generate { generation: self.generation, launch, number: self.launch, form })
    }
}
