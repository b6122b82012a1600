"""absl: `app`, `flags` and `logging`."""
