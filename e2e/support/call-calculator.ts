/** Calls a tool at an address of a server's gateway with a token. @returns the status and the text of the answer */
export const callCalculator =
  (url: string, address = "/mcp") =>
  async (token: string): Promise<[number, string]> => {
    const response = await fetch(`${url}${address}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "calculator",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "calculator",
          arguments: { expression: "2 + 2" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    return [response.status, await response.text()];
  };
