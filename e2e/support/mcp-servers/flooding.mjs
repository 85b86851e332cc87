// Sends more than anybody can take.
import { once } from "node:events";
import { serveStdio, text } from "./stdio-server.mjs";

const CHUNK = "x".repeat(1024 * 1024);

/** @param {number} megabytes */
async function flood(megabytes) {
  for (let sent = 0; sent < megabytes; sent += 1) {
    if (!process.stdout.write(CHUNK)) await once(process.stdout, "drain");
  }
}

/** One flood after the other: two at once would tear each other's line apart. */
let before = Promise.resolve();

/** @param {(args: any, call: any) => Promise<any>} run */
const inTurn = (run) => (/** @type {any} */ args, /** @type {any} */ call) => {
  const result = before.then(() => run(args, call));
  before = result.then(() => undefined);
  return result;
};

serveStdio({
  name: "flooding",
  tools: [
    { name: "ok", run: () => text("small") },
    {
      name: "answer",
      run: inTurn(async ({ megabytes }, { id }) => {
        process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
        await flood(megabytes);
        process.stdout.write('"}]}}\n');
      }),
    },
    // Its id comes last, as most servers write it.
    {
      name: "answer_id_last",
      run: inTurn(async ({ megabytes }, { id }) => {
        process.stdout.write('{"result":{"content":[{"type":"text","text":"');
        await flood(megabytes);
        process.stdout.write(`"}]},"jsonrpc":"2.0","id":${id}}\n`);
      }),
    },
    {
      name: "garbage",
      run: inTurn(async ({ megabytes }) => {
        await flood(megabytes);
        process.stdout.write("\n");
        return text("after the flood");
      }),
    },
    {
      name: "stderr",
      run: async ({ lines }) => {
        for (let line = 0; line < lines; line += 1) process.stderr.write(`line ${line}\n`);
        return text("told");
      },
    },
  ],
});
