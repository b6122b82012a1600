--- `:checkhealth pallas`: what is there, what is not, and what to do.

local M = {}

--- The version that a program says it has.
---@param program string
---@return string?, string?
local function version(program)
  local ok, done = pcall(function()
    return vim.system({ program, '--version' }, { text = true }):wait(5000)
  end)
  if not ok then
    return nil, tostring(done)
  end
  if done.code ~= 0 then
    return nil, vim.trim(done.stderr or '')
  end
  return vim.trim(done.stdout):match('(%d+%.%d+%.%d+%S*)')
end

---@param what string
---@param program string
local function check_program(what, program)
  local server = require('pallas.server')
  local found, problem = version(program)
  if not found then
    problem = server.trouble(program) or problem or 'it says no version'
    vim.health.error(('%s: %s does not start: %s'):format(what, program, problem))
  elseif not server.fits(found) then
    local message = '%s: %s is version %s, this plug-in is made for %s'
    vim.health.warn(message:format(what, program, found, require('pallas.config').version), {
      'Install both from one checkout.',
    })
  else
    vim.health.ok(('%s: %s, version %s'):format(what, program, found))
  end
end

function M.check()
  local health = vim.health
  health.start('pallas: Neovim')
  if vim.fn.has('nvim-0.11') == 0 then
    health.error('Neovim 0.11 or later is needed', { 'Install a newer Neovim.' })
    return
  end
  health.ok(tostring(vim.version()))
  local config, server = require('pallas.config'), require('pallas.server')

  health.start('pallas: options')
  local problems = config.problems(config.given())
  for _, problem in ipairs(problems) do
    health.error(problem)
  end
  if #problems == 0 then
    health.ok('vim.g.pallas is understood')
  end

  health.start('pallas: programs')
  local command = server.command()
  if command then
    check_program('server', command[1])
  else
    health.error(server.missing())
  end
  local tui, problem = server.tui()
  if tui then
    check_program('runner', tui)
  else
    health.error(problem or 'there is no `pallas-tui`')
  end

  health.start('pallas: server')
  local clients = vim.lsp.get_clients({ name = 'pallas' })
  if #clients == 0 then
    local enabled = vim.lsp.is_enabled == nil or vim.lsp.is_enabled('pallas')
    health.info(enabled and 'it runs when a Python file is open' or "it is not enabled: vim.lsp.enable('pallas')")
  end
  for _, client in ipairs(clients) do
    local buffers = #vim.tbl_keys(client.attached_buffers)
    local message = 'client %d serves %d buffers in %s, counts columns in %s'
    health.ok(message:format(client.id, buffers, client.root_dir or 'no folder', client.offset_encoding))
  end
end

return M
