// Changes its tools while it runs, as a server does that is developed: one comes, one goes, one asks for more than before.
import { send, serveStdio, text } from "./stdio-server.mjs";

let evolved = false;

const read = () => ({
  name: "read",
  description: "Reads a page",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, page: { type: "integer" } },
    required: evolved ? ["path", "page"] : ["path"],
  },
  run: () => text("read"),
});

serveStdio({
  name: "evolving",
  tools: () => [
    {
      name: "evolve",
      description: "Changes the tools",
      run: () => {
        evolved = true;
        send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
        return text("evolved");
      },
    },
    read(),
    evolved
      ? { name: "arrived", description: "Is new", run: () => text("new") }
      : { name: "leaving", description: "Goes soon", run: () => text("old") },
  ],
});
