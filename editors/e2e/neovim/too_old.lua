--- The plug-in in a Neovim that is too old for it: it says so once, and sets nothing up.

local messages = {}
vim.notify = function(message)
  messages[#messages + 1] = message
end

vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      local said = vim.wait(5000, function()
        return #messages > 0
      end, 5)
      local text = table.concat(messages, '\n')
      local fine = said and #messages == 1 and text:find('Neovim 0.11 or later is needed', 1, true) ~= nil
      local quiet = vim.fn.exists(':Pallas') == 0
      io.stdout:write(('  %s an older Neovim is told apart: %s\n'):format(fine and 'ok  ' or 'FAIL', text))
      io.stdout:write(('  %s and nothing is set up in it\n'):format(quiet and 'ok  ' or 'FAIL'))
      vim.cmd(fine and quiet and 'qall!' or 'cquit 1')
    end)
  end,
})
