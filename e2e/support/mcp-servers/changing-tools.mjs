// Changes its tools while it runs, and says so in a burst. `fails-first`: it can list them from its first change on;
// `no-version`: its answer to `initialize` is none.
import { send, serveStdio, text } from "./stdio-server.mjs";

let round = 1;
const [kind] = process.argv.slice(2);

serveStdio({
  name: "changing",
  handle: ({ id, method }) => {
    if (kind === "no-version" && method === "initialize") send({ jsonrpc: "2.0", id, result: { ready: true } });
    else if (kind === "fails-first" && method === "tools/list" && round === 1) {
      send({ jsonrpc: "2.0", id, error: { code: -32603, message: "no database" } });
    } else return false;
    return true;
  },
  tools: () => [
    {
      name: "change",
      description: "Adds a tool",
      run: () => {
        round += 1;
        for (let index = 0; index < 5; index += 1) send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
        return text(`round ${round}`);
      },
    },
    ...Array.from({ length: round }, (_, index) => ({
      name: `tool_${index + 1}`,
      run: () => text(`tool ${index + 1}`),
    })),
  ],
});
