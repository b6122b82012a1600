--- The server's life: where its program is, what happens when it starts, when a buffer attaches, and when it ends.

local config = require('pallas.config')

local M = {}

local uv = vim.uv
local windows = vim.fn.has('win32') == 1

--- Says something to the user.
---@param message string
---@param level? integer
function M.say(message, level)
  vim.notify('Pallas: ' .. message, level or vim.log.levels.INFO)
end

--- The folder of the repository that this plug-in lies in, if it is a checkout that was built.
local function checkout()
  local here = debug.getinfo(1, 'S').source:sub(2)
  return vim.fs.normalize(vim.fs.joinpath(vim.fs.dirname(vim.fn.fnamemodify(here, ':p')), '..', '..', '..', '..'))
end

--- A program: what the user named, on $PATH, or built in the checkout that this plug-in lies in.
---@param name string
---@param named? string
---@return string?
local function find(name, named)
  if named then
    return vim.fn.exepath(vim.fn.expand(named)) ~= '' and vim.fn.exepath(vim.fn.expand(named)) or nil
  end
  local path = vim.fn.exepath(name)
  if path ~= '' then
    return path
  end
  for _, profile in ipairs({ 'release', 'debug' }) do
    local built = vim.fs.joinpath(checkout(), 'target', profile, windows and name .. '.exe' or name)
    if vim.fn.executable(built) == 1 then
      return built
    end
  end
end

--- The command that starts the server; `nil` where there is none.
---@return string[]?
function M.command()
  local named = config.get().server
  if type(named) == 'table' then
    local program = find(named[1], named[1])
    return program and vim.list_extend({ program }, named, 2) or nil
  end
  local program = find('pallas-lsp', named)
  return program and { program, '--stdio' } or nil
end

--- The program that runs kernels; `nil` and where it was looked for, if there is none.
---@return string?, string?
function M.tui()
  local named = config.get().tui
  local program = find('pallas-tui', named)
  if not program and not named then
    -- It is installed with the server, so it may lie beside it.
    local command = M.command()
    program = command and find('pallas-tui', vim.fs.joinpath(vim.fs.dirname(command[1]), 'pallas-tui'))
  end
  if program then
    return program
  end
  if named then
    return nil, ('vim.g.pallas.tui names `%s`, which is no program'):format(named)
  end
  return nil, '`pallas-tui`, which runs kernels, is not on $PATH; install it with `cargo install --path tui`'
end

--- What is to be done where there is no server.
---@return string
function M.missing()
  local named = config.get().server
  if named then
    local text = type(named) == 'table' and named[1] or named
    return ('vim.g.pallas.server names `%s`, which is no program'):format(text)
  end
  return '`pallas-lsp` is not on $PATH; install it with `cargo install --path lsp` in a checkout of Pallas Workbench, '
    .. 'or name it in vim.g.pallas.server, then `:Pallas restart`'
end

--- Whether a program is a text that another one reads.
---@param program string
---@return boolean
function M.is_script(program)
  local file = io.open(program, 'rb')
  local head = file and file:read(2)
  if file then
    file:close()
  end
  return head == '#!'
end

--- Whether a shell says that it cannot read a program: `PROGRAM: 4: ...`, or `PROGRAM: line 4: ...`.
---@param program string
---@param said string
---@return boolean
local function is_of_shell(program, said)
  local at = #program + 3
  return vim.startswith(said, program .. ': ') and (said:find('^%d+: ', at) or said:find('^line %d+: ', at)) ~= nil
end

--- What was found out of programs, by their path: why one does not start, `false` if it does.
local tried = {}

--- Why a program that is there does not start; `nil` if it does, as far as asking for its version tells.
---@param program string
---@return string?
function M.trouble(program)
  if tried[program] == nil then
    local ok, done = pcall(function()
      return vim.system({ program, '--version' }, { text = true }):wait(5000)
    end)
    local why = false
    local known = {
      ENOEXEC = 'it is made for another processor or system (ENOEXEC)',
      ENOENT = 'the system has no loader for it: it is made for another Linux (with glibc or with musl)',
    }
    if not ok then
      local code = tostring(done):match('E%u%u+') or tostring(done)
      why = known[code] or ('the system refuses it (%s)'):format(code)
    elseif is_of_shell(program, done.stderr or '') and not M.is_script(program) then
      -- What the system does not execute, some Neovims give to a shell.
      why = known.ENOEXEC
    elseif done.code ~= 0 and done.code ~= 124 then
      local last = vim.trim(done.stderr or ''):match('[^\n]*$')
      why = ('it ended with status %d%s'):format(done.code, last == '' and '' or ': ' .. last)
    elseif done.signal ~= 0 and done.code ~= 124 then
      why = ('it was ended by signal %d'):format(done.signal)
    end
    tried[program] = why
  end
  return tried[program] or nil
end

--- What to say of a server that does not start; `nil` if it does.
---@param program string
---@return string?
local function refusal(program)
  local trouble = M.trouble(vim.fn.exepath(program))
  return trouble and ('%s does not start: %s; `:Pallas restart` tries it again'):format(program, trouble)
end

--- Whether there is a server to start; says once what to do if not.
---@return boolean
function M.is_there()
  local command = vim.lsp.config.pallas.cmd
  if type(command) == 'function' then
    return true
  end
  local message = M.missing()
  if vim.fn.executable(command[1]) == 1 then
    message = refusal(command[1])
  end
  if message then
    vim.notify_once('Pallas: ' .. message, vim.log.levels.WARN)
  end
  return message == nil
end

--- The folder that a buffer is served in: that of the project, else its own.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  local markers = { 'pallas.toml', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', '.git' }
  return vim.fs.root(bufnr, { markers })
end

--- The client of a buffer.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.client(bufnr)
  return vim.lsp.get_clients({ name = 'pallas', bufnr = bufnr })[1]
end

--- Whether two versions go together: what stands before the last dot is the same.
---@param server? string
---@return boolean
function M.fits(server)
  local function minor(version)
    return tostring(version):match('^(%d+%.%d+)')
  end
  return server == nil or minor(server) == minor(config.version)
end

function M.on_init(_, result)
  local version = result.serverInfo and result.serverInfo.version
  if not M.fits(version) then
    local message = 'the server is version %s, this plug-in is made for %s; install both from one checkout'
    M.say(message:format(version, config.version), vim.log.levels.WARN)
  end
end

--- Servers that say what every language server for Python says.
local neighbours = { 'pyright', 'basedpyright', 'ruff', 'ty', 'pyrefly', 'zuban', 'pylsp', 'jedi_language_server' }

--- Leaves to a neighbour what both would say, unless the user wants it otherwise.
---@param name string The neighbour.
function M.beside(name)
  local wanted = config.get().settings.diagnostics
  if not vim.list_contains(neighbours, name) or (wanted and wanted.common ~= nil) then
    return
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'pallas' })) do
    local settings = client.settings
    if vim.tbl_get(settings, 'pallas', 'diagnostics', 'common') == nil then
      client.settings = vim.tbl_deep_extend('force', settings, { pallas = { diagnostics = { common = false } } })
      client:notify('workspace/didChangeConfiguration', { settings = client.settings })
    end
  end
end

function M.on_attach(client, bufnr)
  for _, other in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    M.beside(other.name)
  end
  local options = config.get()
  if options.inlay_hints and client:supports_method('textDocument/inlayHint') then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if options.code_lens and client:supports_method('textDocument/codeLens') then
    require('pallas.lenses').enable(client, bufnr)
  end
end

--- Ends of servers that nobody asked for: when.
local ends = {}
--- More of them than this in three minutes, and it is not started again.
local most = 5

function M.on_exit(code, signal, id)
  local client = vim.lsp.get_client_by_id(id)
  -- Neovim ends servers that do not go by signal 15.
  if signal == 15 or client == nil or vim.v.exiting ~= vim.NIL then
    return
  end
  if not client.initialized then
    local message = '%s ended while it was starting (status %d); is it a `pallas-lsp`? `:Pallas log` says more'
    vim.schedule(function()
      M.say(message:format(client.config.cmd[1], code), vim.log.levels.ERROR)
    end)
    return
  end
  if code == 0 and signal == 0 then
    return
  end
  local buffers = vim.tbl_keys(client.attached_buffers)
  local setup = client.config
  vim.schedule(function()
    local now = uv.now()
    ends = vim.tbl_filter(function(moment)
      return now - moment < 180000
    end, ends)
    ends[#ends + 1] = now
    local how = signal ~= 0 and ('by signal %d'):format(signal) or ('with status %d'):format(code)
    if #ends > most then
      local message = 'the server ended %s, %d times in three minutes; `:Pallas restart` starts it, `:Pallas log` says more'
      M.say(message:format(how, #ends), vim.log.levels.ERROR)
      return
    end
    for _, bufnr in ipairs(buffers) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        vim.lsp.start(setup, { bufnr = bufnr })
      end
    end
    M.say(('the server ended %s, and was started again'):format(how), vim.log.levels.WARN)
  end)
end

--- Ends the server, and starts it again for all Python buffers.
function M.restart()
  ends = {}
  tried = {}
  local running = vim.lsp.get_clients({ name = 'pallas' })
  -- An answer that comes when its buffer is let go would be shown beside those of the next server.
  vim.wait(1000, function()
    for _, client in ipairs(running) do
      for _, request in pairs(client.requests) do
        if request.type == 'pending' then
          return false
        end
      end
    end
    return true
  end, 10)
  for _, client in ipairs(running) do
    -- Buffers that were just edited would ask a server that is ending, and show that it refuses.
    for bufnr in pairs(vim.deepcopy(client.attached_buffers)) do
      vim.lsp.buf_detach_client(bufnr, client.id)
    end
    client:stop()
  end
  local function is_gone()
    return #vim.lsp.get_clients({ name = 'pallas' }) == 0
  end
  if not vim.wait(2000, is_gone, 10) then
    for _, client in ipairs(vim.lsp.get_clients({ name = 'pallas' })) do
      client:stop(true)
    end
    vim.wait(1000, is_gone, 10)
  end
  -- The server may have been installed meanwhile.
  local command = M.command()
  if not command then
    M.say(M.missing(), vim.log.levels.ERROR)
    return
  end
  local problem = refusal(command[1])
  if problem then
    M.say(problem, vim.log.levels.ERROR)
    return
  end
  vim.lsp.config('pallas', { cmd = command })
  vim.lsp.enable('pallas')
  M.say('the server was started')
end

return M
