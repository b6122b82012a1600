--- Lenses in Neovim 0.11, which is to be told when to ask for them; 0.12 knows by itself. The server's are asked for here and not by
--- `vim.lsp.codelens.refresh`: that one waits for the answer of a server that was killed, and shows no lens ever after.

local M = {}

local method = 'textDocument/codeLens'

---@param client vim.lsp.Client
---@param bufnr integer
local function ask(client, bufnr)
  client:request(method, { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }, vim.lsp.codelens.on_codelens, bufnr)
end

--- Asks for the lenses of a buffer, and shows them.
---@param bufnr integer
function M.refresh(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'pallas', bufnr = bufnr, method = method })) do
    ask(client, bufnr)
  end
end

--- Buffers whose edits are followed, with the timer of the last one.
---@type table<integer, uv.uv_timer_t>
local watched = {}

--- Asks again when edits of a buffer have come to rest, as 0.12 does.
---@param bufnr integer
local function watch(bufnr)
  if watched[bufnr] then
    return
  end
  local timer = assert(vim.uv.new_timer())
  watched[bufnr] = timer
  local function edited()
    timer:start(
      200,
      0,
      vim.schedule_wrap(function()
        if vim.api.nvim_buf_is_loaded(bufnr) then
          M.refresh(bufnr)
        end
      end)
    )
  end
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = edited,
    on_reload = edited,
    on_detach = function()
      watched[bufnr] = nil
      timer:close()
    end,
  })
end

--- Shows the lenses of a buffer from now on. The client is only just being attached, so it is not found by its buffer.
---@param client vim.lsp.Client
---@param bufnr integer
function M.enable(client, bufnr)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  watch(bufnr)
  ask(client, bufnr)
end

--- Shows a lens again that was followed: Neovim takes it away until its command answers, and commands of clients never do.
---@param bufnr integer
function M.followed(bufnr)
  if not vim.lsp.codelens.enable then
    M.refresh(bufnr)
  end
end

--- What the client says and does beyond what Neovim does: the server's word that lenses are others now.
---@return table capabilities, table handlers
function M.client()
  if vim.lsp.codelens.enable then
    return {}, {}
  end
  return { workspace = { codeLens = { refreshSupport = true } } },
    {
      ['workspace/codeLens/refresh'] = function(_, _, context)
        local client = vim.lsp.get_client_by_id(context.client_id)
        for bufnr in pairs(client and client.attached_buffers or {}) do
          M.refresh(bufnr)
        end
        return vim.NIL
      end,
    }
end

return M
