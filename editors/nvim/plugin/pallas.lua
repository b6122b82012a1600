-- Enables the server for Python files, and `:Pallas`. Little is loaded until one of them is used.

if vim.g.loaded_pallas then
  return
end
vim.g.loaded_pallas = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.schedule(function()
    vim.notify('Pallas: Neovim 0.11 or later is needed, this one is older; nothing was set up', vim.log.levels.WARN)
  end)
  return
end

vim.api.nvim_create_user_command('Pallas', function(given)
  require('pallas.commands').execute(given)
end, {
  nargs = '*',
  desc = 'Run, test, profile, watch and explain Pallas kernels',
  complete = function(lead, line)
    return require('pallas.commands').complete(lead, line)
  end,
})

-- Lenses run in a terminal here; without these, the server would run them and show what came of it.
for _, name in ipairs({ 'run', 'profile' }) do
  vim.lsp.commands['pallas.' .. name] = function(command)
    require('pallas.commands').lens(name)(command)
  end
end

vim.lsp.commands['pallas.test'] = function(command)
  require('pallas.commands').test_lens(command)
end

vim.api.nvim_create_autocmd('LspAttach', {
  group = vim.api.nvim_create_augroup('pallas.neighbours', {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name ~= 'pallas' and vim.bo[event.buf].filetype == 'python' then
      require('pallas.server').beside(client.name)
    end
  end,
})

local options = vim.g.pallas
if type(options) ~= 'table' or options.enable ~= false then
  vim.lsp.enable('pallas')
end
