// Does not answer. With the argument `mute` it does not even answer `initialize`. What it is told to cancel it writes to stderr.
import { send, serveStdio, text } from "./stdio-server.mjs";

const mute = process.argv[2] === "mute";
/** @type {Map<unknown, () => void>} */
const late = new Map();

serveStdio({
  name: "hanging",
  tools: [
    { name: "ok", run: () => text("quick") },
    { name: "hang", run: () => undefined },
    // Answers after it was cancelled, as servers do that look at cancellations too late.
    { name: "late", run: (_, { id, reply }) => void late.set(id, () => reply(text("too late"))) },
    {
      name: "progress",
      run: (_, { params }) => {
        const { progressToken } = params._meta ?? {};
        send({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 4, message: "step 1" },
        });
      },
    },
  ],
  handle: ({ method, params }) => {
    if (method === "notifications/cancelled") {
      process.stderr.write(`cancelled ${JSON.stringify(params)}\n`);
      late.get(params.requestId)?.();
    }
    return mute;
  },
});
