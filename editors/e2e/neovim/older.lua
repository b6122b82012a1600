--- Makes this Neovim lack what an older one lacks, as far as the plug-in can see: sourced by `--cmd` before the plug-in is loaded.
--- `PRETEND` is the version, `0.11` or `0.10`. What the newer one does differently behind the same names stays as it is.

local version = assert(os.getenv('PRETEND'), 'PRETEND is not set')
local minor = assert(tonumber(version:match('^0%.(%d+)$')), version)

local has = vim.fn.has
vim.fn.has = function(feature)
  local wanted = tonumber(feature:match('^nvim%-0%.(%d+)'))
  if wanted and wanted > minor then
    return 0
  end
  return has(feature)
end

-- 0.12 came with a new way to show lenses, and with questions about what is enabled.
local enable = vim.lsp.codelens.enable
if minor < 12 and enable then
  vim.lsp.codelens.refresh = function(options)
    enable(true, { bufnr = options and options.bufnr })
  end
  vim.lsp.codelens.enable = nil
  vim.lsp.codelens.is_enabled = nil
  vim.lsp.is_enabled = nil
  vim.lsp.get_configs = nil
end
-- 0.11 came with servers that are named and enabled.
if minor < 11 then
  vim.lsp.config = nil
  vim.lsp.enable = nil
end
