--- Pallas in Neovim. Nothing has to be called: `plugin/pallas.lua` does what is needed, `vim.g.pallas` says how.

local M = {}

--- Sets options from a plug-in manager's `opts`, for those who like it that way; the same as setting `vim.g.pallas`.
---@param options? table
function M.setup(options)
  if options and next(options) ~= nil then
    vim.g.pallas = vim.tbl_deep_extend('force', type(vim.g.pallas) == 'table' and vim.g.pallas or {}, options)
    local config = require('pallas.config').get()
    local command = require('pallas.server').command()
    vim.lsp.config('pallas', {
      cmd = command,
      settings = { pallas = config.settings },
      init_options = config.settings,
    })
  end
end

--- Carries out a command of `:Pallas`.
---@param name string
---@param ... string
function M.run(name, ...)
  require('pallas.commands').execute({ fargs = { name, ... } })
end

return M
