import { createHash } from "node:crypto";
import path from "node:path";
import type { JsonSchema } from "../../lib/contract";
import { messageOf } from "../../lib/message-of";
import type { ArgumentSize, ArgumentValidator, SchemaError, ValidationOutcome } from "../engine/ports";
import { BoundedWorker } from "./bounded-worker";
import { schemaOverCaps, validationCost } from "./schema-risk";
import { type Check, compileSchema } from "./workers/schema-compiler.mjs";

interface Compiled {
  check: Check;
  /** Steps a value; Infinity when only a thread that can be ended may run it. */
  cost: number;
  hash: string;
  schemaText: string;
}

/** Compiled schemas kept; the least recently used is dropped, and compiled again when asked for (about 1 ms). */
const MAX_COMPILED = 1000;
/** Steps that the main thread takes on: some milliseconds. */
const MAX_STEPS_IN_PROCESS = 500_000;

/**
 * ajv, with the dialect chosen by `$schema`. Ordinary schemas are checked at once in this thread. One whose validation has
 * no bound of its own (patterns, `uniqueItems`, recursion, much data) is checked in a worker thread that is ended
 * after `validationMs`, so that it can stop neither the server nor, for longer, anybody else.
 */
export class AjvValidator implements ArgumentValidator {
  readonly #bySchema = new WeakMap<object, Compiled>();
  readonly #byHash = new Map<string, Compiled>();
  readonly #workers: BoundedWorker[];
  readonly #validationMs: number;

  constructor(options: { rootDir: string; validationMs?: number | undefined; workers?: number }) {
    this.#validationMs = options.validationMs ?? 2000;
    const file = path.join(options.rootDir, "src/server/adapters/workers/validation-worker.mjs");
    this.#workers = Array.from({ length: options.workers ?? 2 }, () => new BoundedWorker(file, this.#validationMs));
  }

  checkSchema(schema: JsonSchema): string | null {
    const tooLarge = schemaOverCaps(schema);
    if (tooLarge !== null) return tooLarge;
    try {
      this.#compiled(schema);
      return null;
    } catch (error) {
      return readableSchemaError(error);
    }
  }

  validate(schema: JsonSchema, args: unknown, size: ArgumentSize): ValidationOutcome | Promise<ValidationOutcome> {
    const compiled = this.#bySchema.get(schema) ?? this.#compiled(schema);
    if (compiled.cost * size.values > MAX_STEPS_IN_PROCESS) return this.#validateApart(compiled, args);
    const errors = compiled.check(args);
    return errors === null ? { valid: true } : { valid: false, errors };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  async #validateApart(compiled: Compiled, args: unknown): Promise<ValidationOutcome> {
    const worker = this.#workers.reduce((least, next) => (next.load < least.load ? next : least));
    const answer = await worker.run({
      hash: compiled.hash,
      schemaText: compiled.schemaText,
      argumentsText: JSON.stringify(args),
    });
    if (answer.kind === "answer") {
      const errors = answer.errors as SchemaError[] | null;
      return errors === null ? { valid: true } : { valid: false, errors };
    }
    if (answer.kind === "failed") return { valid: false, reason: `could not be checked: ${answer.message}` };
    return {
      valid: false,
      reason: `took longer than ${this.#validationMs} ms to check; a pattern, uniqueItems or recursion in the schema explodes on them`,
      limit: { name: "validation_time", value: this.#validationMs, unit: "ms", setBy: "global" },
    };
  }

  #compiled(schema: JsonSchema): Compiled {
    const known = this.#bySchema.get(schema);
    if (known) return known;
    const schemaText = JSON.stringify(schema);
    const hash = createHash("sha256").update(schemaText).digest("base64url");
    let compiled = this.#byHash.get(hash);
    if (compiled === undefined) {
      compiled = { check: compileSchema(schema), cost: validationCost(schema), hash, schemaText };
    }
    this.#byHash.delete(hash);
    this.#byHash.set(hash, compiled);
    if (this.#byHash.size > MAX_COMPILED) {
      const oldest = this.#byHash.keys().next().value;
      if (oldest !== undefined) this.#byHash.delete(oldest);
    }
    // An object that can still change may not stand for what it held when it was compiled.
    if (Object.isFrozen(schema)) this.#bySchema.set(schema, compiled);
    return compiled;
  }
}

/** ajv's own words, without its notation for the root. */
function readableSchemaError(error: unknown): string {
  const message = messageOf(error);
  const sentence = message
    .replace(/^schema is invalid: /, "")
    .replaceAll(/\bdata(?=\/)/g, "")
    .replace(/^data /, "the schema ");
  return sentence.split("\n")[0] ?? sentence;
}
