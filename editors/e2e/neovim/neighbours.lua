--- Beside pyright, basedpyright, ruff and ty in one buffer: nothing is said twice. `NEIGHBOURS` is the folder of their programs; those that
--- are not there are passed over, and named.

local bin = assert(os.getenv('PALLAS_BIN'), 'PALLAS_BIN is not set')
local fixtures = assert(os.getenv('PALLAS_FIXTURES'), 'PALLAS_FIXTURES is not set')
local neighbours = os.getenv('NEIGHBOURS') or ''
vim.g.pallas = { server = bin .. '/pallas-lsp', tui = bin .. '/pallas-tui' }

local commands = {
  ruff = { 'ruff', 'server' },
  ty = { 'ty', 'server' },
  pyright = { 'pyright-langserver', '--stdio' },
  basedpyright = { 'basedpyright-langserver', '--stdio' },
}
local failures, checks = 0, 0

local function check(what, ok, seen)
  checks = checks + 1
  failures = failures + (ok and 0 or 1)
  local shown = not ok and '\n    seen: ' .. vim.inspect(seen) or ''
  io.stdout:write(('  %s %s%s\n'):format(ok and 'ok  ' or 'FAIL', what, shown))
end

local function ask(method, position)
  vim.api.nvim_win_set_cursor(0, position)
  local answers = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0, method = method })) do
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    local answer = client:request_sync(method, params, 10000, 0)
    answers[client.name] = answer and answer.result or nil
  end
  return answers
end

local function main()
  local here = {}
  for name, command in pairs(commands) do
    local program = neighbours ~= '' and neighbours .. '/' .. command[1] or vim.fn.exepath(command[1])
    if vim.fn.executable(program) == 1 then
      command[1] = program
      vim.lsp.config(name, { cmd = command, filetypes = { 'python' } })
      vim.lsp.enable(name)
      here[#here + 1] = name
    end
  end
  table.sort(here)
  if #here == 0 then
    io.stdout:write('SKIPPED neighbours: none of ruff, ty, pyright and basedpyright is there\n')
    vim.cmd('qall!')
  end
  io.stdout:write('       beside ' .. table.concat(here, ', ') .. '\n')
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  local lines = vim.fn.readfile(fixtures .. '/scale.py')
  lines[#lines + 1] = 'q = nowhere'
  lines[#lines + 1] = 'def broken('
  vim.fn.writefile(lines, folder .. '/scale.py')
  vim.cmd.edit(folder .. '/scale.py')
  local function by_source(source)
    return vim.tbl_filter(function(diagnostic)
      return (diagnostic.source == 'pallas') == (source == 'pallas')
    end, vim.diagnostic.get(0))
  end
  check('all attach to the buffer', vim.wait(60000, function()
    return #vim.lsp.get_clients({ bufnr = 0 }) == #here + 1 and #by_source('others') > 0 and #by_source('pallas') > 0
  end, 50), vim.diagnostic.get(0))
  vim.wait(20000, function()
    return #by_source('pallas') == 1
  end, 50)
  local codes = vim.tbl_map(function(diagnostic)
    return diagnostic.code
  end, by_source('pallas'))
  check('Pallas says only what they do not', vim.deep_equal(codes, { 'PL106' }), by_source('pallas'))
  local twice = {}
  for _, ours in ipairs(by_source('pallas')) do
    for _, theirs in ipairs(by_source('others')) do
      if ours.lnum == theirs.lnum and ours.col == theirs.col then
        twice[#twice + 1] = theirs
      end
    end
  end
  check('no place is underlined by both', #twice == 0, twice)

  -- Without the mistakes: hovers, hints and completions.
  vim.api.nvim_buf_set_lines(0, #lines - 2, -1, false, { 'jnp.' })
  vim.api.nvim_buf_set_lines(0, 16, 17, false, { '      in_specs=[pl.BlockSpec((4, 128), lambda i, j: (i, 0))],' })
  vim.wait(20000, function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end, 50)
  local hovers = ask('textDocument/hover', { 9, 28 })
  check('its hover on a Ref says the block', vim.inspect(hovers.pallas):find('f32[4,128]', 1, true) ~= nil, hovers.pallas)
  check('it has no hover on what others know', ask('textDocument/hover', { 4, 9 }).pallas == nil)
  local items = ask('textDocument/completion', { #lines - 1, 4 }).pallas
  check('it completes nothing but Pallas', #(items and items.items or items or {}) == 0, items)
  local encodings = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0 })) do
    encodings[client.name] = client.offset_encoding
  end
  io.stdout:write('       columns: ' .. vim.inspect(encodings):gsub('%s+', ' ') .. '\n')
  check('it claims no semantic tokens', vim.lsp.get_clients({ name = 'pallas' })[1].server_capabilities.semanticTokensProvider == nil)
  vim.fn.delete(folder, 'rf')
  io.stdout:write(('neighbours: %d checks, %d failed\n'):format(checks, failures))
  vim.cmd(failures == 0 and 'qall!' or 'cquit 1')
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      local ok, problem = xpcall(main, debug.traceback)
      if not ok then
        io.stdout:write('  FAIL ' .. problem .. '\n')
        vim.cmd('cquit 1')
      end
    end)
  end,
})
