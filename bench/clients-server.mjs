// The MCP server behind `bench/clients.ts`: one tool for each thing that a client does.
import { ask, send, serveStdio, text } from "../e2e/support/mcp-servers/stdio-server.mjs";

/** Far enough apart that no report is overtaken by the answer. */
const STEP_MS = 200;
const BIG_CHARS = 3 * 1024 * 1024;
const SCHEMA = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };

serveStdio({
  name: "matrix",
  tools: [
    {
      name: "echo",
      // A schema for which clients of SDK 1.x refuse the whole list.
      inputSchema: { type: "object", properties: { text: { type: "string" }, any: true, none: false } },
      run: ({ text: given }) => text(String(given)),
    },
    { name: "fail", run: () => ({ ...text("the disk is full"), isError: true }) },
    { name: "big", run: () => text("x".repeat(BIG_CHARS)) },
    {
      name: "steps",
      run: async (_args, { params }) => {
        const progressToken = params._meta?.progressToken;
        if (progressToken === undefined) return text("nobody listens");
        for (const progress of [1, 2, 3]) {
          send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress, total: 3 } });
          await new Promise((resolve) => setTimeout(resolve, STEP_MS));
        }
        return text("stepped");
      },
    },
    { name: "hang", run: () => undefined },
    {
      name: "form",
      run: async () =>
        text(JSON.stringify(await ask("elicitation/create", { message: "How old?", requestedSchema: SCHEMA }))),
    },
  ],
});
