// Import it first: it reserves stdout for the protocol, whatever a library prints.
import { Writable } from "node:stream";

const write = process.stdout.write.bind(process.stdout);

// @ts-expect-error the overloads of write
process.stdout.write = (chunk, encoding, done) => process.stderr.write(chunk, encoding, done);
for (const method of ["log", "info", "debug", "dir", "table", "group", "timeEnd", "timeLog", "count"]) {
  console[method] = console.error.bind(console);
}

/** Writes to the real stdout. */
export const protocolOutput = new Writable({
  decodeStrings: false,
  write: (chunk, encoding, done) => {
    write(chunk, encoding, done);
  },
});
// Each answer that waits for a slow reader listens for it.
protocolOutput.setMaxListeners(0);
