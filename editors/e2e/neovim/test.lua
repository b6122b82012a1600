--- The plug-in in a real Neovim, with the real server:
---   nvim --headless --clean --cmd 'set runtimepath^=editors/nvim' -S editors/e2e/neovim/test.lua
--- `PALLAS_BIN` is the folder of the programs, `PALLAS_FIXTURES` that of the files. Ends with a status other than 0 if a check fails.

local bin = assert(os.getenv('PALLAS_BIN'), 'PALLAS_BIN is not set')
local fixtures = assert(os.getenv('PALLAS_FIXTURES'), 'PALLAS_FIXTURES is not set')
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')
vim.g.pallas = { server = bin .. '/pallas-lsp', tui = bin .. '/pallas-tui' }

local messages = {}
vim.notify = function(message)
  messages[#messages + 1] = message
end
vim.notify_once = vim.notify

local failures, checks = 0, 0

local function check(what, ok, seen)
  checks = checks + 1
  if not ok then
    failures = failures + 1
  end
  local shown = seen ~= nil and not ok and '\n    seen: ' .. (type(seen) == 'string' and seen or vim.inspect(seen)) or ''
  io.stdout:write(('  %s %s%s\n'):format(ok and 'ok  ' or 'FAIL', what, shown))
  return ok
end

local function wait(condition, milliseconds)
  return vim.wait(milliseconds or 20000, condition, 5)
end

local function open(name)
  local path = folder .. '/' .. name
  vim.fn.writefile(vim.fn.readfile(fixtures .. '/' .. name), path)
  vim.cmd.edit(path)
  return vim.api.nvim_get_current_buf()
end

local function findings(bufnr, source)
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.source == (source or 'pallas')
  end, vim.diagnostic.get(bufnr))
end

local function text_of(bufnr)
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
end

local function buffer_of(kind)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.b[bufnr].pallas == kind then
      return bufnr
    end
  end
end

local function client()
  return vim.lsp.get_clients({ name = 'pallas' })[1]
end

--- The lenses of a buffer; 0.12 gives what they belong to with them.
local function lenses(bufnr)
  local newer = vim.fn.has('nvim-0.12') == 1
  local got = newer and vim.lsp.codelens.get({ bufnr = bufnr }) or vim.lsp.codelens.get(bufnr)
  return vim.tbl_map(function(lens)
    return (lens.lens or lens).command.title
  end, got)
end

--- The texts that are drawn among those of a buffer.
local function drawn(bufnr)
  local texts = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true })) do
    for _, line in ipairs({ mark[4].virt_text or {}, unpack(mark[4].virt_lines or {}) }) do
      for _, chunk in ipairs(line) do
        texts[#texts + 1] = chunk[1]
      end
    end
  end
  return texts
end

local tests = {}

function tests.attaches()
  local bufnr = open('scale.py')
  check('the server attaches to a Python file', wait(function()
    return client() ~= nil and client().initialized and client().attached_buffers[bufnr] ~= nil
  end))
  check('columns are counted in bytes', client().offset_encoding == 'utf-8', client().offset_encoding)
  check('the finding is shown', wait(function()
    return #findings(bufnr) == 1
  end), vim.diagnostic.get(bufnr))
  local finding = findings(bufnr)[1] or {}
  check('with its code and place', finding.code == 'PL106' and finding.lnum == 16 and finding.col == 39, finding)
end

function tests.fixes()
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_cursor(0, { 17, 45 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.kind == 'quickfix'
    end,
  })
  check('a quick fix is applied', wait(function()
    return text_of(bufnr):find('lambda i, j: (i, 0)', 1, true) ~= nil
  end), text_of(bufnr))
  check('and its finding goes', wait(function()
    return #findings(bufnr) == 0
  end), findings(bufnr))
end

function tests.shows_hints_and_lenses()
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_cursor(0, { 9, 28 })
  local answer = vim.lsp.buf_request_sync(bufnr, 'textDocument/hover', vim.lsp.util.make_position_params(0, 'utf-8'), 5000)
  local _, first = next(answer or {})
  local hover = first and first.result and first.result.contents.value or ''
  check('a hover behind an emoji says the block', hover:find('x_ref', 1, true) ~= nil, hover)
  check('inlay hints are on', wait(function()
    return #vim.lsp.inlay_hint.get({ bufnr = bufnr }) > 0
  end))
  local labels = {}
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = bufnr })) do
    labels[#labels + 1] = hint.inlay_hint.label
  end
  check('and say blocks', table.concat(labels, ' '):find('f32[4,128]', 1, true) ~= nil, labels)
  check('lenses are on', wait(function()
    return vim.list_contains(lenses(bufnr), 'Run') and vim.list_contains(lenses(bufnr), 'Profile')
  end), lenses(bufnr))
end

function tests.runs_kernels()
  local bufnr = vim.api.nvim_get_current_buf()
  -- As the user does it: the lens at the cursor, chosen from those of the line.
  local line = vim.fn.search('pl.pallas_call', 'w')
  vim.ui.select = function(items, options, choose)
    for _, item in ipairs(items) do
      if options.format_item(item):find('Run', 1, true) then
        return choose(item)
      end
    end
    check('lenses are offered', false, items)
  end
  vim.api.nvim_win_set_cursor(0, { line, 2 })
  vim.lsp.codelens.run()
  check('the lens runs the kernel in a terminal', wait(function()
    local terminal = buffer_of('run')
    return terminal ~= nil and text_of(terminal):find('4096.0', 1, true) ~= nil
  end), buffer_of('run') and text_of(buffer_of('run')) or 'no terminal')
  check('the file was saved first', not vim.bo[bufnr].modified)
  check('the cursor stays where it was', vim.api.nvim_get_current_buf() == bufnr)
  -- 0.12 draws them for a screen only, which there is none of here.
  if not vim.lsp.codelens.enable then
    check('the lens that was followed is there again', wait(function()
      return vim.list_contains(drawn(bufnr), 'Run') and vim.list_contains(drawn(bufnr), 'Profile')
    end), drawn(bufnr))
  end

  vim.cmd('Pallas profile h100')
  check(':Pallas profile opens the report', wait(function()
    local terminal = buffer_of('profile')
    return terminal ~= nil and text_of(terminal):find('modelled on', 1, true) ~= nil
  end), buffer_of('profile') and text_of(buffer_of('profile')) or 'no terminal')
  check('for the machine that was named', text_of(buffer_of('profile')):find('H100', 1, true) ~= nil)
end

function tests.tests()
  local bufnr = open('test_scale.py')
  check('tests have lenses', wait(function()
    return vim.list_contains(lenses(bufnr), 'Run test') and vim.list_contains(lenses(bufnr), 'Check tests (strict)')
  end), lenses(bufnr))
  messages = {}
  vim.cmd('Pallas test')
  check(':Pallas test runs the tests of a file', wait(function()
    return (messages[1] or ''):find('1 failed, 3 passed', 1, true) ~= nil
  end), messages)
  local failures = findings(bufnr, 'pallas test')
  check('the test that failed is a diagnostic where it failed', wait(function()
    failures = findings(bufnr, 'pallas test')
    return #failures == 1
  end) and failures[1].lnum == 23 and failures[1].message:find('assert 2 == 3', 1, true) ~= nil, vim.diagnostic.get(bufnr))
  local listed = vim.fn.getqflist()
  check('and stands in the quickfix list', #listed == 1 and listed[1].lnum == 24 and listed[1].bufnr == bufnr, listed)
  check('with what became of it beside its lens', wait(function()
    return vim.iter(lenses(bufnr)):any(function(title)
      return title:find('failed: assert 2 == 3', 1, true) ~= nil
    end)
  end), lenses(bufnr))
  vim.cmd('Pallas test output')
  check(':Pallas test output shows the traceback', text_of(0):find('Traceback', 1, true) ~= nil, text_of(0))
  vim.cmd.close()
  vim.cmd.buffer(bufnr)
  vim.api.nvim_win_set_cursor(0, { 24, 0 })
  vim.api.nvim_buf_set_lines(bufnr, 23, 24, false, { '  assert 2 == 2' })
  check('an edit takes the diagnostic away', wait(function()
    return #findings(bufnr, 'pallas test') == 0
  end), vim.diagnostic.get(bufnr))
  messages = {}
  vim.cmd('Pallas test nearest')
  check(':Pallas test nearest runs the one at the cursor', wait(function()
    return messages[1] == 'Pallas: 1 passed'
  end), messages)
  check('saved', not vim.bo[bufnr].modified)
  check('and the quickfix list is empty', #vim.fn.getqflist() == 0, vim.fn.getqflist())
  messages = {}
  vim.api.nvim_win_set_cursor(0, { 20, 0 })
  vim.cmd('Pallas test nearest strict')
  check('strict, with what is found in its kernel', wait(function()
    return (messages[1] or ''):find('2 passed, 1 finding', 1, true) ~= nil
  end), messages)
  vim.cmd.bdelete({ bang = true })
  vim.cmd.buffer(folder .. '/scale.py')
end

function tests.watches()
  vim.cmd('Pallas watch')
  check(':Pallas watch shows the grid', wait(function()
    local terminal = buffer_of('watch')
    return terminal ~= nil and text_of(terminal):find('scale_kernel', 1, true) ~= nil
  end), buffer_of('watch') and text_of(buffer_of('watch')) or 'no terminal')
  vim.cmd.stopinsert()
  vim.api.nvim_buf_delete(buffer_of('watch'), { force = true })
end

function tests.explains()
  vim.cmd.buffer(folder .. '/scale.py')
  vim.cmd('Pallas explain PL106')
  check(':Pallas explain shows the page', wait(function()
    return vim.api.nvim_buf_get_name(0):find('explain/PL106', 1, true) ~= nil
  end) and text_of(0):find('index-map-arity', 1, true) ~= nil, text_of(0))
  vim.cmd.close()
  vim.cmd('Pallas ir')
  check(':Pallas ir shows the kernel', wait(function()
    return vim.api.nvim_buf_get_name(0):find('pallas://ir', 1, true) ~= nil
  end) and text_of(0):find('scale_kernel', 1, true) ~= nil, text_of(0))
  vim.cmd.close()
  vim.cmd('Pallas code')
  check(':Pallas code shows CUDA C++', wait(function()
    return vim.api.nvim_buf_get_name(0):find('pallas://cuda', 1, true) ~= nil
  end) and text_of(0):find('__global__', 1, true) ~= nil, text_of(0))
  vim.cmd.close()
  messages = {}
  vim.cmd('Pallas code verse')
  check('what is no form of code is said', wait(function()
    return (messages[1] or ''):find('cuda, simt, ttir', 1, true) ~= nil
  end), messages)
  local complete = vim.fn.getcompletion('Pallas ', 'cmdline')
  check(':Pallas completes its commands', vim.list_contains(complete, 'profile') and vim.list_contains(complete, 'ir'), complete)
  complete = vim.fn.getcompletion('Pallas explain PL10', 'cmdline')
  check(':Pallas explain completes rules', vim.list_contains(complete, 'PL106'), complete)
  messages = {}
  vim.cmd('Pallas fly')
  check('what is no command is said', (messages[1] or ''):find('`fly` is no command', 1, true) ~= nil, messages)
end

function tests.health()
  vim.cmd('checkhealth pallas')
  local text = text_of(0)
  check(':checkhealth pallas finds both programs', text:find('server: ', 1, true) and text:find('runner: ', 1, true), text)
  check('and no error', not text:find('ERROR', 1, true), text)
  vim.cmd.bdelete()
end

function tests.recovers()
  local bufnr = vim.fn.bufnr(folder .. '/scale.py')
  vim.cmd.buffer(bufnr)
  local old = client().id
  messages = {}
  vim.system({ 'pkill', '-9', '-P', tostring(vim.fn.getpid()), 'pallas-lsp' }):wait()
  check('a server that was killed comes back', wait(function()
    return client() ~= nil and client().id ~= old and client().initialized
  end), messages)
  check('which is said', (messages[1] or ''):find('started again', 1, true) ~= nil, messages)
  check('and has lenses', wait(function()
    return vim.list_contains(lenses(bufnr), 'Run')
  end), lenses(bufnr))
  vim.api.nvim_buf_set_lines(bufnr, 16, 17, false, { '      in_specs=[pl.BlockSpec((4, 128), lambda i: (i, 0))],' })
  check('and says what is wrong', wait(function()
    return #findings(bufnr) == 1
  end), vim.diagnostic.get(bufnr))
  messages = {}
  vim.cmd('Pallas restart')
  check(':Pallas restart starts it again', wait(function()
    return client() ~= nil and client().initialized and client().attached_buffers[bufnr] ~= nil and #findings(bufnr) == 1
  end), messages)
  -- Right after edits, while answers are under way.
  for n = 1, 5 do
    messages = {}
    vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { '' })
    vim.wait(10 * n)
    vim.cmd('Pallas restart')
    vim.wait(300)
    if not wait(function()
      return #findings(bufnr) == 1
    end, 5000) or #messages ~= 1 then
      break
    end
  end
  check('at any moment, and nothing is shown twice', #findings(bufnr) == 1 and #messages == 1, { messages, findings(bufnr) })
end

--- Keys come every 50 ms: a comment at first, then a name that is wrong until its last letter. What is shown in the end is of
--- the whole text.
function tests.types()
  local bufnr = vim.fn.bufnr(folder .. '/scale.py')
  vim.cmd.buffer(bufnr)
  local had = #findings(bufnr)
  local at, column = vim.api.nvim_buf_line_count(bufnr), 0
  vim.api.nvim_buf_set_lines(bufnr, at, at, false, { '' })
  local keys, last, counts, settled = 0, 0, {}, 0
  local watcher = vim.api.nvim_create_autocmd('DiagnosticChanged', {
    callback = function()
      local count = #findings(bufnr)
      if counts[#counts] ~= count then
        counts[#counts + 1] = count
        settled = vim.uv.hrtime()
      end
    end,
  })
  local typed = ('# ' .. ('a comment that goes on and on, '):rep(8)):sub(1, 187) .. '\ny = jnp.ones'
  for character in typed:gmatch('.') do
    if character == '\n' then
      at, column = at + 1, 0
      vim.api.nvim_buf_set_lines(bufnr, at, at, false, { '' })
    else
      vim.api.nvim_buf_set_text(bufnr, at, column, at, column, { character })
      column = column + 1
    end
    keys, last = keys + 1, vim.uv.hrtime()
    vim.wait(50)
  end
  wait(function()
    return #findings(bufnr) == had
  end, 5000)
  vim.wait(500)
  local what = 'typing ends with what the whole text has (%d keys, settled %.0f ms after the last key)'
  check(what:format(keys, (settled - last) / 1e6), #findings(bufnr) == had and #counts > 1, findings(bufnr))
  io.stdout:write('       numbers of findings while typing: ' .. table.concat(counts, ' ') .. '\n')
  vim.api.nvim_del_autocmd(watcher)
end

--- MiB that the server has in memory; `nil` where that cannot be asked.
local function memory()
  local found = vim.system({ 'pgrep', '-P', tostring(vim.fn.getpid()), 'pallas-lsp' }):wait()
  local pid = vim.trim(found.stdout or ''):match('%d+$')
  local file = pid and io.open('/proc/' .. pid .. '/status')
  if not file then
    return nil
  end
  local kib = file:read('*a'):match('VmRSS:%s*(%d+)')
  file:close()
  return kib and tonumber(kib) / 1024
end

--- A file of 20,000 lines: what is wrong in its last line is shown, and goes when it is mended.
function tests.large_files()
  local lines = {}
  for _, line in ipairs(vim.fn.readfile(fixtures .. '/scale.py')) do
    lines[#lines + 1] = (line:gsub('lambda i:', 'lambda i, j:'))
  end
  for n = 1, 4995 do
    vim.list_extend(lines, { '', '', ('def helper_%d(x):'):format(n), ('  return x * %d'):format(n) })
  end
  vim.list_extend(lines, { '', '', 'z = jnp.rubbish' })
  local path = folder .. '/large.py'
  vim.fn.writefile(lines, path)
  local begun = vim.uv.hrtime()
  vim.cmd.edit(path)
  local bufnr = vim.api.nvim_get_current_buf()
  check(('a file of %d lines is checked'):format(#lines), wait(function()
    return #findings(bufnr) == 1 and findings(bufnr)[1].lnum == #lines - 1
  end, 60000), findings(bufnr))
  local opened = (vim.uv.hrtime() - begun) / 1e6
  local edited = vim.uv.hrtime()
  vim.api.nvim_buf_set_lines(bufnr, #lines - 1, #lines, false, { 'z = jnp.ones' })
  check('an edit of its last line mends it', wait(function()
    return #findings(bufnr) == 0
  end), findings(bufnr))
  io.stdout:write(('       findings %.0f ms after it was opened, gone %.0f ms after the edit\n'):format(opened, (vim.uv.hrtime() - edited) / 1e6))
  vim.cmd.bdelete({ bang = true })
end

--- `EDITS` edits (10,000 where there is time) take no more memory than the first of them.
function tests.stays_small()
  local bufnr = vim.fn.bufnr(folder .. '/scale.py')
  vim.cmd.buffer(bufnr)
  if memory() == nil then
    io.stdout:write('  SKIPPED memory: there is no /proc or no pgrep\n')
    return
  end
  local count = tonumber(os.getenv('EDITS') or '') or 300
  local at = vim.api.nvim_buf_line_count(bufnr)
  vim.api.nvim_buf_set_lines(bufnr, at, at, false, { '' })
  local had, first = #findings(bufnr), nil
  for n = 1, count do
    local wrong = n % 2 == 1
    vim.api.nvim_buf_set_lines(bufnr, at, at + 1, false, { ('z%d = jnp.%s'):format(n, wrong and 'rubbish' or 'ones') })
    -- Every edit is answered before the next one is made.
    if not wait(function()
      return #findings(bufnr) == had + (wrong and 1 or 0)
    end) then
      return check(('edit %d is answered'):format(n), false, findings(bufnr))
    end
    if n == math.ceil(count / 5) then
      first = memory()
    end
  end
  local last = memory()
  check(('%d edits leave the memory as it is: %.1f MiB after a fifth of them, %.1f MiB after all'):format(count, first, last), last < first + 8)
  vim.api.nvim_buf_set_lines(bufnr, at, at + 1, false, {})
end

function tests.without_a_server()
  messages = {}
  vim.g.pallas = { server = '/nowhere/pallas-lsp' }
  vim.cmd('Pallas restart')
  check('a server that is not there is named', (messages[1] or ''):find('/nowhere/pallas-lsp', 1, true) ~= nil, messages)
  messages = {}
  vim.cmd('Pallas ir')
  check('and commands say so', (messages[1] or ''):find('no server is attached', 1, true) ~= nil, messages)
  -- Programs that are there and do not start.
  local head = vim.fn.readblob(vim.fs.joinpath(os.getenv('PALLAS_BIN'), 'pallas-lsp'), 0, 4096)
  -- Its processor is the other one of the two that servers are built for.
  local processor = string.char(head:byte(19) == 183 and 62 or 183)
  for name, one in pairs({
    foreign = { head:sub(1, 18) .. processor .. head:sub(20), 'another processor or system' },
    musl = { '#!/nowhere/ld.so\n', 'no loader' },
    old = { '#!/bin/sh\necho "GLIBC_2.99 not found" >&2\nexit 1\n', 'status 1: GLIBC_2.99 not found' },
    other = { '#!/bin/sh\nexit 0\n', 'ended while it was starting' },
  }) do
    local path = vim.fs.joinpath(folder, name .. '-server')
    local file = assert(io.open(path, 'wb'))
    file:write(one[1])
    file:close()
    vim.uv.fs_chmod(path, 493)
    messages = {}
    vim.g.pallas = { server = path }
    vim.cmd('Pallas restart')
    check(('a server that does not start is named, with the reason (%s)'):format(name), wait(function()
      local said = table.concat(messages, '\n')
      return said:find(one[2], 1, true) ~= nil and said:find(path, 1, true) ~= nil
    end), messages)
  end
  -- The same that VS Code's test takes; it is written for Node.
  if vim.fn.executable('node') == 1 then
    messages = {}
    vim.g.pallas = { server = { 'node', fixtures .. '/../vscode/old-server.mjs' } }
    vim.cmd('Pallas restart')
    check('a server of another version is named', wait(function()
      return table.concat(messages, '\n'):find('the server is version 9.9.9', 1, true) ~= nil
    end), messages)
  else
    io.stdout:write('  SKIPPED a server of another version: there is no node\n')
  end
  vim.g.pallas = { servr = 1, tui = 3 }
  local problems = require('pallas.config').problems(vim.g.pallas)
  check('options that are wrong are named', #problems == 2 and problems[1]:find('servr is no option', 1, true), problems)
end

local order = {
  'attaches', 'fixes', 'shows_hints_and_lenses', 'runs_kernels', 'tests', 'watches', 'explains', 'health', 'recovers', 'types',
  'large_files', 'stays_small', 'without_a_server',
}
local function main()
  for _, name in ipairs(order) do
    local ok, problem = xpcall(tests[name], debug.traceback)
    if not ok then
      check(name, false, problem)
    end
  end
  io.stdout:write(('neovim %s: %d checks, %d failed\n'):format(tostring(vim.version()), checks, failures))
  vim.fn.delete(folder, 'rf')
  vim.cmd(failures == 0 and 'qall!' or 'cquit 1')
end

-- A script on the command line runs before Neovim is up.
vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(main)
  end,
})
