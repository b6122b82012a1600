--- `:Pallas`, and the commands behind lenses. Programs run in terminals of their own: their output is seen as it comes, and
--- they are stopped like any other.

local config = require('pallas.config')
local server = require('pallas.server')

local M = {}

--- The file of a buffer, saved; `nil` where there is none, which is said.
---@param bufnr integer
---@return string?
local function file_of(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' then
    server.say('this buffer is no file; open a Python file, and save it', vim.log.levels.ERROR)
    return
  end
  if vim.bo[bufnr].modified or vim.fn.filereadable(name) == 0 then
    local ok, problem = pcall(vim.api.nvim_buf_call, bufnr, function()
      vim.cmd.write({ mods = { silent = true } })
    end)
    if not ok then
      server.say(('%s cannot be saved: %s'):format(name, problem), vim.log.levels.ERROR)
      return
    end
  end
  return name
end

--- Terminals by what they are for, so that running again takes the place of the last run.
local terminals = {}

--- Runs `pallas-tui` in a terminal split.
---@param what string
---@param arguments string[]
---@param file string
---@param enter boolean Whether it is for typing into.
---@return integer? # its buffer
local function terminal(what, arguments, file, enter)
  local program, problem = server.tui()
  if not program then
    server.say(problem, vim.log.levels.ERROR)
    return
  end
  local before = vim.api.nvim_get_current_win()
  local old = terminals[what]
  local window = old and vim.api.nvim_buf_is_valid(old) and vim.fn.bufwinid(old) or -1
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
    vim.cmd.enew()
  else
    vim.cmd(config.get().split)
    vim.cmd.enew()
  end
  if old and vim.api.nvim_buf_is_valid(old) then
    pcall(vim.api.nvim_buf_delete, old, { force = true })
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local command = vim.list_extend({ program }, arguments)
  local python = config.get().settings.python
  if type(python) == 'string' and python ~= '' then
    vim.list_extend(command, { '--python', python })
  end
  -- What comes after the file are its own arguments.
  command[#command + 1] = file
  vim.fn.jobstart(command, { term = true, cwd = vim.fs.dirname(file) })
  pcall(vim.api.nvim_buf_set_name, bufnr, ('pallas://%s/%s'):format(what, vim.fs.basename(file)))
  vim.bo[bufnr].bufhidden = 'hide'
  vim.b[bufnr].pallas = what
  terminals[what] = bufnr
  if enter then
    vim.cmd.startinsert()
  else
    vim.cmd.normal({ 'G', bang = true })
    vim.api.nvim_set_current_win(before)
  end
  return bufnr
end

--- Shows a text in a split that `q` closes.
---@param name string
---@param text string
---@param filetype string
local function show(name, text, filetype)
  local existing = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?') .. '$')
  local bufnr = existing ~= -1 and existing or vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(vim.trim(text), '\n'))
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].buftype = 'nofile'
  vim.bo[bufnr].bufhidden = 'wipe'
  if existing == -1 then
    vim.api.nvim_buf_set_name(bufnr, name)
  end
  if vim.fn.bufwinid(bufnr) == -1 then
    vim.cmd(config.get().split)
    vim.api.nvim_win_set_buf(0, bufnr)
  else
    vim.api.nvim_set_current_win(vim.fn.bufwinid(bufnr))
  end
  -- Some builds lack the parser that the file type starts; the text is there all the same.
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd('silent! setlocal filetype=' .. filetype)
  end)
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr, desc = 'Close' })
end

--- Has the server carry out a command.
---@param command string
---@param argument any
---@param done fun(result: any)
local function ask(command, argument, done)
  local client = server.client(0) or server.client()
  if not client then
    server.say('no server is attached to this buffer; `:Pallas restart` starts it', vim.log.levels.ERROR)
    return
  end
  client:request('workspace/executeCommand', { command = command, arguments = { argument } }, function(problem, result)
    if problem then
      server.say(problem.message, vim.log.levels.ERROR)
    else
      done(result)
    end
  end, vim.api.nvim_get_current_buf())
end

--- Shows another form of the launch at the cursor.
---@param command string
---@param kind string
---@param more table<string, string>
---@param filetype string
local function at_cursor(command, kind, more, filetype)
  local client = server.client(0)
  if not client then
    ask(command, nil, function() end)
    return
  end
  local argument = vim.tbl_extend('force', more, {
    uri = vim.uri_from_bufnr(0),
    position = vim.lsp.util.make_position_params(0, client.offset_encoding).position,
  })
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(0))
  ask(command, argument, function(result)
    show(('pallas://%s/%s'):format(kind, name), result.text, filetype)
  end)
end

--- The codes of all rules, as `pallas-tui explain` lists them.
local codes

---@return string[]
local function rules()
  if not codes then
    local program = server.tui()
    local listed = program and vim.system({ program, 'explain' }, { text = true }):wait(3000)
    codes = {}
    for line in vim.gsplit(listed and listed.stdout or '', '\n') do
      local code, name = line:match('^(PL%d+)%s+%S+%s+(%S+)')
      if code then
        vim.list_extend(codes, { code, name })
      end
    end
  end
  return codes
end

--- The code of the finding at the cursor: the one that it stands on, else one of the line.
---@return string?
local function finding_here()
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  local on_line
  for _, diagnostic in ipairs(vim.diagnostic.get(0, { lnum = line - 1 })) do
    if diagnostic.source == 'pallas' then
      if diagnostic.col <= column and (diagnostic.end_lnum > line - 1 or column < diagnostic.end_col) then
        return tostring(diagnostic.code)
      end
      on_line = on_line or tostring(diagnostic.code)
    end
  end
  return on_line
end

--- The request that runs tests, and the report of the last run.
---@type { client: vim.lsp.Client, id: integer }?
local running
---@type string?
local report

--- Runs tests of a file by the server, which shows what failed as diagnostics; here it is put into the quickfix list.
---@param argument { uri: string, test?: string, position?: table, strict?: boolean }
local function run_tests(argument)
  local client = server.client(vim.uri_to_bufnr(argument.uri)) or server.client()
  if not client then
    server.say('no server is attached to this buffer; `:Pallas restart` starts it', vim.log.levels.ERROR)
    return
  end
  if running then
    running.client:cancel_request(running.id)
  end
  local params = { command = 'pallas.test', arguments = { argument } }
  local _, id = client:request('workspace/executeCommand', params, function(problem, result)
    running = nil
    if problem then
      -- One that was stopped is no problem.
      if problem.code ~= -32800 then
        server.say(problem.message, vim.log.levels.ERROR)
      end
      return
    end
    report = result.text
    local items = {}
    for _, test in ipairs(result.tests) do
      if type(test.place) == 'table' then
        items[#items + 1] = { filename = test.place.path, lnum = test.place.line, text = test.test .. ': ' .. test.message, type = 'E' }
      end
    end
    local strange = #items == 0 and result.exit ~= 0 and #result.findings == 0
    vim.fn.setqflist({}, ' ', { title = 'Pallas test', items = items })
    local more = #items > 0 and '; :copen lists what failed, :Pallas test output shows it' or ''
    local said = strange and result.summary == 'no tests ran' and vim.trim(result.text) or result.summary
    local bad = #items > 0 or #result.findings > 0 or strange
    server.say(said .. more, bad and vim.log.levels.WARN or vim.log.levels.INFO)
  end, vim.uri_to_bufnr(argument.uri))
  running = id and { client = client, id = id } or nil
end

---@class pallas.Command
---@field about string
---@field run fun(arguments: string[])
---@field complete? fun(): string[]

---@type table<string, pallas.Command>
M.commands = {
  run = {
    about = 'run the file, as Python with JAX would',
    run = function(arguments)
      local file = arguments.file or file_of(0)
      if file then
        terminal('run', { 'run' }, file, false)
      end
    end,
  },
  profile = {
    about = 'run the file, and say where the time goes',
    run = function(arguments)
      local file = arguments.file or file_of(0)
      if file then
        local machine = arguments[1] and { '--machine', arguments[1] } or {}
        terminal('profile', vim.list_extend({ 'profile' }, machine), file, false)
      end
    end,
    complete = function()
      return { 'v5e', 'v5p', 'v6e', 'a100', 'h100', 'h200', 'b200', 'cpu' }
    end,
  },
  test = {
    about = 'run tests: of the file, or the nearest one; strict looks for what was not proved of their kernels',
    run = function(arguments)
      local word = arguments[1] or 'file'
      if word == 'stop' then
        if running then
          running.client:cancel_request(running.id)
          running = nil
        end
        return
      end
      if word == 'output' then
        if report then
          show('pallas://tests', report, 'text')
        else
          server.say('no tests have run yet')
        end
        return
      end
      if not vim.list_contains({ 'file', 'nearest', 'strict' }, word) then
        server.say(('`%s` is no way to run tests; there are: file, nearest, strict, output, stop'):format(word), vim.log.levels.ERROR)
        return
      end
      local client = server.client(0)
      if not file_of(0) then
        return
      end
      local argument = { uri = vim.uri_from_bufnr(0), strict = vim.list_contains(arguments, 'strict') }
      if vim.list_contains(arguments, 'nearest') and client then
        argument.position = vim.lsp.util.make_position_params(0, client.offset_encoding).position
      end
      run_tests(argument)
    end,
    complete = function()
      return { 'nearest', 'file', 'strict', 'output', 'stop' }
    end,
  },
  watch = {
    about = 'show grid, blocks and findings, and look again at every save',
    run = function()
      local file = file_of(0)
      if file then
        terminal('watch', {}, file, true)
      end
    end,
  },
  explain = {
    about = 'explain the finding at the cursor, or a rule',
    run = function(arguments)
      local code = arguments[1] or finding_here()
      if not code then
        server.say('there is no finding of Pallas on this line; `:Pallas explain PL106` explains a rule')
        return
      end
      ask('pallas.explain', { code = code }, function(result)
        show('pallas://explain/' .. code, result.text, 'markdown')
      end)
    end,
    complete = rules,
  },
  ir = {
    about = 'show the kernel IR of the launch at the cursor',
    run = function()
      at_cursor('pallas.kernelIr', 'ir', {}, 'mlir')
    end,
  },
  code = {
    about = 'show the code generated from the launch at the cursor: cuda, simt, ttir or tileir',
    run = function(arguments)
      local form = arguments[1] or 'cuda'
      at_cursor('pallas.generatedCode', form, { form = form }, form == 'cuda' and 'cuda' or 'mlir')
    end,
    complete = function()
      return { 'cuda', 'simt', 'ttir', 'tileir' }
    end,
  },
  log = {
    about = "open Neovim's log of language servers",
    run = function()
      local log = vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
      vim.cmd.tabnew(vim.fn.fnameescape(log))
      vim.cmd.normal({ 'G', bang = true })
    end,
  },
  info = {
    about = 'show what the server is and knows, for reports of mistakes',
    run = function()
      ask('pallas.debugInformation', nil, function(result)
        show('pallas://info', result.text, 'text')
      end)
    end,
  },
  restart = {
    about = 'end the server, and start it again',
    run = function()
      server.restart()
    end,
  },
}

--- The names of all commands, sorted.
---@return string[]
function M.names()
  local names = vim.tbl_keys(M.commands)
  table.sort(names)
  return names
end

--- `:Pallas NAME [ARGUMENT]`
function M.execute(given)
  local arguments = given.fargs
  local name = table.remove(arguments, 1)
  if not name then
    local lines = vim.tbl_map(function(known)
      return (':Pallas %-8s %s'):format(known, M.commands[known].about)
    end, M.names())
    vim.api.nvim_echo({ { table.concat(lines, '\n') } }, false, {})
    return
  end
  local command = M.commands[name]
  if not command then
    server.say(('`%s` is no command; there are: %s'):format(name, table.concat(M.names(), ', ')), vim.log.levels.ERROR)
    return
  end
  command.run(arguments)
end

--- Completion of `:Pallas`.
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line:gsub('^%s*%S*Pallas!?%s+', ''), '%s+')
  local candidates
  if #words <= 1 then
    candidates = M.names()
  else
    local command = M.commands[words[1]]
    candidates = #words == 2 and command and command.complete and command.complete() or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate:lower(), lead:lower())
  end, candidates)
end

--- What a lens of a test does: runs it.
function M.test_lens(command)
  local argument = (command.arguments or {})[1]
  local bufnr = vim.uri_to_bufnr(argument.uri)
  if file_of(bufnr) then
    run_tests(argument)
  end
  require('pallas.lenses').followed(bufnr)
end

--- What a lens does: the file that it names, in a terminal.
---@param name string
function M.lens(name)
  return function(command)
    local argument = (command.arguments or {})[1]
    local uri = type(argument) == 'table' and argument.uri or argument
    local bufnr = uri and vim.uri_to_bufnr(uri) or 0
    local file = file_of(bufnr)
    if file then
      M.commands[name].run({ file = file })
    end
    if bufnr ~= 0 then
      require('pallas.lenses').followed(bufnr)
    end
  end
end

return M
