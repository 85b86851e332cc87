// Ends at a request before `initialize`, or with the argument `deaf` says nothing more. A number after it is the
// milliseconds that its start takes.
import { serveStdio, text } from "./stdio-server.mjs";

let initialized = false;
let deaf = false;

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.argv[3] ?? 0));
serveStdio({
  name: "probe-averse",
  tools: [{ name: "ok", run: () => text("initialized") }],
  handle: ({ method }) => {
    if (method === "initialize" && !deaf) initialized = true;
    if (initialized) return false;
    process.stderr.write(`unexpected ${method}\n`);
    if (process.argv[2] === "deaf") deaf = true;
    else process.exit(1);
    return true;
  },
});
