// Compiles expensive schemas, and validates arguments that could take exponential time (patterns, uniqueItems, recursion).
// The server terminates this thread when a job takes too long, even inside a regular expression.
import { parentPort } from "node:worker_threads";
import { BoundedCache } from "./bounded-cache";
import { type Check, compileSchema } from "./schema-compiler";

const compiled: BoundedCache<Check> = new BoundedCache({ maxEntries: 200, maxSize: 4_194_304 });

/** A job with a schema's text compiles it, one with arguments validates them; `missing` asks for the schema first. */
parentPort?.on("message", ({ id, hash, schemaText, argumentsText }) => {
  const answer = (value: unknown) => parentPort?.postMessage({ id, value });
  try {
    if (schemaText !== undefined) {
      compiled.set(hash, compileSchema(JSON.parse(schemaText)), schemaText.length);
      answer({ compiled: true });
      return;
    }
    const check = compiled.get(hash);
    answer(check === undefined ? { missing: true } : { errors: check(JSON.parse(argumentsText)) });
  } catch (error) {
    parentPort?.postMessage({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});
// The first compilation warms ajv up, which must not count against a job's time limit.
compileSchema({ type: "object", properties: { warm: { type: "string", pattern: "^a", format: "email" } } })({
  warm: "a",
});
parentPort?.postMessage({ ready: true });
