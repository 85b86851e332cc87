// Ignores the end of its input and SIGTERM.
import { serveStdio, text } from "./stdio-server.mjs";

process.on("SIGTERM", () => process.stderr.write("not now\n"));
const { exit } = process;
process.exit = /** @type {typeof process.exit} */ (() => undefined);
setInterval(() => undefined, 1000);

serveStdio({
  name: "stubborn",
  tools: [
    { name: "ok", run: () => text(String(process.pid)) },
    { name: "exit", run: () => exit(0) },
  ],
});
