// Cannot bear a request before `initialize`: it ends, or with the argument `deaf` says nothing more.
import { serveStdio, text } from "./stdio-server.mjs";

let initialized = false;
let deaf = false;

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
