-- The Pallas language server for Neovim 0.11 and later. The plug-in enables it; everything here can be overridden with
-- `vim.lsp.config('pallas', { ... })`.

local config = require('pallas.config')
local server = require('pallas.server')
local options = config.get()
local capabilities, handlers = require('pallas.lenses').client()

---@type vim.lsp.Config
return {
  cmd = server.command() or { 'pallas-lsp', '--stdio' },
  filetypes = { 'python' },
  workspace_required = false,
  -- Says what to do where there is no server, instead of an error at every file.
  root_dir = function(bufnr, start)
    if server.is_there() then
      start(server.root(bufnr))
    end
  end,
  settings = { pallas = options.settings },
  init_options = options.settings,
  -- Results of commands are shown by the plug-in.
  capabilities = vim.tbl_extend('error', capabilities, { experimental = { pallas = { presentsResults = true } } }),
  handlers = handlers,
  -- Neovim waits 150 ms by default before it tells of an edit; the server is done long before that.
  flags = { debounce_text_changes = 10 },
  on_init = server.on_init,
  on_attach = server.on_attach,
  on_exit = server.on_exit,
}
