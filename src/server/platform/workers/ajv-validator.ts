import { createHash } from "node:crypto";
import type { JsonSchema } from "../../../lib/contract/json";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import { getMessage } from "../../../lib/get-message";
import type { ArgumentSize, ArgumentValidator, SchemaError, ValidationOutcome } from "../../engine/ports";
import { BoundedCache } from "./bounded-cache";
import { BoundedWorker } from "./bounded-worker";
import { readSchema } from "./readable-schema";
import { type Check, compileSchema, findSchemaProblem } from "./schema-compiler";
import { measureSchema, type SchemaSize, validationCost } from "./schema-risk";
import { createStart, WORKERS } from "./start-worker";

/** Measured before the schema is compiled. */
interface KnownSchema {
  size: SchemaSize;
  /** Steps per value; Infinity when only a worker thread may run it. */
  cost: number;
  hash: string;
  /** Ignored keywords; null until first needed. */
  notes: readonly SchemaNote[] | null;
}

/** Cached validators and the bytes of their schemas; a validator takes some fifty times the memory of its schema. */
const CACHE_LIMITS = { maxEntries: 1000, maxSize: 4_194_304 };
/** JSON values of the largest schema that the main thread compiles: about ten milliseconds. */
const MAX_VALUES_IN_PROCESS = 400;
/** Steps of the longest validation on the main thread: a few milliseconds. */
const MAX_STEPS_IN_PROCESS = 500_000;
/**
 * The limit per thread; further checks are refused immediately, since the last one would wait for minutes at two
 * seconds each.
 */
const MAX_WAITING = 100;
/** A thread may end between compiling a schema and using it, because of other calls. */
const MAX_ATTEMPTS = 3;
const VALID: ValidationOutcome = { valid: true };

/**
 * ajv, with the dialect chosen by `$schema`. Schemas are compiled on first use, ordinary ones on the main thread. A large
 * schema, and one with unbounded validation cost (patterns, `uniqueItems`, recursion, much data), goes to a worker thread
 * that is ended after `compileMs` and `validationMs`, so that it cannot block the server. A schema that cannot be compiled
 * is not checked.
 */
export class AjvValidator implements ArgumentValidator {
  readonly #known = new WeakMap<object, KnownSchema>();
  readonly #compiled = new BoundedCache<Check>(CACHE_LIMITS);
  /** By hash: the reason why a schema is not checked. */
  readonly #unchecked = new BoundedCache<string>({ maxEntries: 1000, maxSize: 1_048_576 });
  readonly #workers: BoundedWorker[];
  readonly #validationMs: number;
  readonly #compileMs: number;

  constructor(options: {
    home: string;
    validationMs?: number | undefined;
    compileMs?: number | undefined;
    workers?: number;
  }) {
    this.#validationMs = options.validationMs ?? 2000;
    this.#compileMs = options.compileMs ?? 5000;
    const start = createStart(options.home, WORKERS.validation);
    const exitReason = "the validation thread ended";
    this.#workers = Array.from(
      { length: options.workers ?? 2 },
      () => new BoundedWorker({ start, limitMs: this.#validationMs, exitReason, maxWaiting: MAX_WAITING }),
    );
  }

  checkSchema(schema: JsonSchema, { compile = false }: { compile?: boolean } = {}): string | null {
    const known = this.#knownSchema(schema);
    if (known.size.problem !== null) return known.size.problem;
    try {
      const problem = findSchemaProblem(schema);
      if (problem !== null) return readableSchemaError(problem);
      if (compile && known.size.values <= MAX_VALUES_IN_PROCESS) this.#compile(schema, known);
      return null;
    } catch (error) {
      return readableSchemaError(getMessage(error));
    }
  }

  uncheckedKeywords(schema: JsonSchema): readonly SchemaNote[] {
    const known = this.#knownSchema(schema);
    const whole = known.size.problem ?? this.#unchecked.get(known.hash);
    if (whole !== undefined) return [{ pointer: "", keyword: "", message: `The schema is not checked: ${whole}` }];
    known.notes ??= listNotes(schema);
    return known.notes;
  }

  validate(schema: JsonSchema, args: unknown, size: ArgumentSize): ValidationOutcome | Promise<ValidationOutcome> {
    const known = this.#knownSchema(schema);
    if (known.size.problem !== null || this.#unchecked.get(known.hash) !== undefined) return VALID;
    const large = known.size.values > MAX_VALUES_IN_PROCESS;
    if (large || known.cost * size.values > MAX_STEPS_IN_PROCESS) return this.#validateApart(schema, known, args);
    let check = this.#compiled.get(known.hash);
    try {
      check ??= this.#compile(schema, known);
    } catch (error) {
      return this.#stopChecking(known, `it cannot be compiled (${getMessage(error)})`);
    }
    const errors = check(args);
    return errors === null ? VALID : { valid: false, errors };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  async #validateApart(schema: JsonSchema, known: KnownSchema, args: unknown): Promise<ValidationOutcome> {
    const { hash } = known;
    const worker = this.#workers.reduce((least, next) => (next.load < least.load ? next : least));
    const argumentsText = JSON.stringify(args);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const checked = await worker.run({ hash, argumentsText });
      if (checked.kind === "timeout") return this.#tooSlow();
      if (checked.kind !== "answer") return { valid: false, reason: `couldn't be checked: ${checked.message}` };
      const { missing, errors } = checked.value as { missing?: true; errors: SchemaError[] | null };
      if (missing === undefined) return errors === null ? VALID : { valid: false, errors };
      // The thread is new, or has evicted the schema from its cache.
      const compiled = await worker.run({ hash, schemaText: JSON.stringify(schema) }, { limitMs: this.#compileMs });
      if (compiled.kind === "refused") return { valid: false, reason: `couldn't be checked: ${compiled.message}` };
      if (compiled.kind === "failed") return this.#stopChecking(known, `it cannot be compiled (${compiled.message})`);
      if (compiled.kind !== "answer") return this.#stopChecking(known, "it is too expensive to check");
    }
    return { valid: false, reason: "couldn't be checked: the validation thread ended too often" };
  }

  #tooSlow(): ValidationOutcome {
    return {
      valid: false,
      reason: `took longer than ${this.#validationMs} ms to check; a pattern, uniqueItems or recursion in the schema explodes on them`,
      limit: { name: "validation_time", value: this.#validationMs, unit: "ms", setBy: "global" },
    };
  }

  /** Stops checking the schema; its note says why. */
  #stopChecking({ hash }: KnownSchema, reason: string): ValidationOutcome {
    this.#unchecked.set(hash, reason, reason.length);
    return VALID;
  }

  /** @throws Error for a schema that ajv refuses */
  #compile(schema: JsonSchema, { hash, size }: KnownSchema): Check {
    const check = compileSchema(schema);
    this.#compiled.set(hash, check, size.bytes);
    return check;
  }

  #knownSchema(schema: JsonSchema): KnownSchema {
    const before = this.#known.get(schema);
    if (before) return before;
    const size = measureSchema(schema);
    const known: KnownSchema = {
      size,
      cost: size.problem === null ? validationCost(schema) : Number.POSITIVE_INFINITY,
      hash: size.problem === null ? createHash("sha256").update(JSON.stringify(schema)).digest("base64url") : "",
      notes: null,
    };
    // Not cached for a mutable object, which may change after it was read.
    if (Object.isFrozen(schema)) this.#known.set(schema, known);
    return known;
  }
}

function listNotes(schema: JsonSchema): SchemaNote[] {
  try {
    return readSchema(schema).notes.map(({ pointer, keyword, message }) => ({ pointer, keyword, message }));
  } catch (error) {
    return [
      { pointer: "", keyword: "", message: `The schema is not checked: it cannot be read (${getMessage(error)})` },
    ];
  }
}

/** ajv's message without its notation for the root. */
function readableSchemaError(message: string): string {
  const sentence = message
    .replace(/^schema is invalid: /, "")
    .replaceAll(/\bdata(?=\/)/g, "")
    .replace(/^data /, "the schema ");
  return sentence.split("\n")[0] ?? sentence;
}
