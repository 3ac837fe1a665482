-- Prints the diagnostics of the open file, and the hover text of its third line.
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, found in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write((found.lnum + 1) .. ": " .. found.message .. "\n")
end
local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 2, character = 2 } }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/hover", params, 20000)) do
  io.stdout:write(answer.result.contents.value .. "\n")
end
vim.cmd("qall!")
