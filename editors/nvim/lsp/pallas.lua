-- The Pallas language server for Neovim 0.11 and later: `vim.lsp.enable('pallas')`.
-- Everything here can be overridden with `vim.lsp.config('pallas', { ... })`.
---@type vim.lsp.Config
return {
  -- `pallas-lsp` must be on $PATH.
  cmd = { 'pallas-lsp', '--stdio' },
  filetypes = { 'python' },
  -- A file without any of these is served on its own.
  root_markers = { 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', '.git' },
  workspace_required = false,
}
