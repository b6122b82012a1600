--- What the user set in `vim.g.pallas`: a table, or a function that gives one. There is no setup to call.

local M = {}

--- The version of the server that this plug-in is made for.
M.version = '0.1.0'

---@class pallas.Options
---@field enable boolean Whether Python files get the server without `vim.lsp.enable('pallas')`.
---@field server? string|string[] The server: a path, or a command with arguments.
---@field tui? string The program that runs kernels and shows profiles.
---@field inlay_hints boolean Whether inlay hints are turned on in buffers that the server attaches to.
---@field code_lens boolean Whether code lenses are turned on there.
---@field split string How terminals and results are opened.
---@field settings table The server's settings.
M.defaults = {
  enable = true,
  server = nil,
  tui = nil,
  inlay_hints = true,
  code_lens = true,
  split = 'botright 15split',
  settings = vim.empty_dict(),
}

--- What is allowed: the types by name.
local types = {
  enable = { 'boolean' },
  server = { 'string', 'table' },
  tui = { 'string' },
  inlay_hints = { 'boolean' },
  code_lens = { 'boolean' },
  split = { 'string' },
  settings = { 'table' },
}

--- Every mistake in what the user set, as a sentence.
---@param given any
---@return string[]
function M.problems(given)
  if given == nil then
    return {}
  end
  if type(given) ~= 'table' then
    return { ('vim.g.pallas is a %s; a table is expected'):format(type(given)) }
  end
  local problems = {}
  for key, value in pairs(given) do
    if not types[key] then
      local known = vim.tbl_keys(types)
      table.sort(known)
      problems[#problems + 1] = ('vim.g.pallas.%s is no option; there are: %s'):format(key, table.concat(known, ', '))
    elseif not vim.list_contains(types[key], type(value)) then
      local wanted = table.concat(types[key], ' or ')
      problems[#problems + 1] = ('vim.g.pallas.%s is a %s; a %s is expected'):format(key, type(value), wanted)
    end
  end
  table.sort(problems)
  return problems
end

--- What the user set, as given.
function M.given()
  local given = vim.g.pallas
  if type(given) == 'function' then
    local ok, result = pcall(given)
    return ok and result or ('error: ' .. tostring(result))
  end
  return given
end

--- What counts: what the user set over the defaults. What is wrong in it is passed over, and said by `:checkhealth pallas`.
---@return pallas.Options
function M.get()
  local options = vim.deepcopy(M.defaults)
  local given = M.given()
  if type(given) ~= 'table' then
    return options
  end
  for key, value in pairs(given) do
    if types[key] and vim.list_contains(types[key], type(value)) then
      options[key] = value
    end
  end
  if next(options.settings) == nil then
    options.settings = vim.empty_dict()
  end
  return options
end

return M
