//! The engine behind pallas-lsp and pallas-tui: Workspace, Analysis, Run, Profile.
