/** Diagnostics go to stderr, where MCP clients look for a server's log. @param {string} message */
export const log = (message) => {
  process.stderr.write(`zwave-mcp-server: ${message}\n`);
};
