// Judges arguments whose validation could explode (patterns, uniqueItems, recursion). The server ends this thread when
// a judgement takes too long, which V8 allows even inside a regular expression.
import { parentPort } from "node:worker_threads";
import { compileSchema } from "./schema-compiler.mjs";

const MAX_COMPILED = 200;
/** @type {Map<string, import("./schema-compiler.mjs").Check>} */
const compiled = new Map();

parentPort?.on("message", ({ id, hash, schemaText, argumentsText }) => {
  try {
    let check = compiled.get(hash);
    if (!check) {
      check = compileSchema(JSON.parse(schemaText));
      if (compiled.size >= MAX_COMPILED) compiled.clear();
      compiled.set(hash, check);
    }
    parentPort?.postMessage({ id, errors: check(JSON.parse(argumentsText)) });
  } catch (error) {
    parentPort?.postMessage({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});
// The first compilation makes ajv itself warm, which is no part of anybody's time limit.
compileSchema({ type: "object", properties: { warm: { type: "string", pattern: "^a", format: "email" } } })({
  warm: "a",
});
parentPort?.postMessage({ ready: true });
