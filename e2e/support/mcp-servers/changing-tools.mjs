// Changes its tools while it runs, and says so in a burst.
import { send, serveStdio, text } from "./stdio-server.mjs";

let round = 1;

serveStdio({
  name: "changing",
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
