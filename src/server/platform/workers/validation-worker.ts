// Compiles expensive schemas, and validates arguments that could take exponential time (patterns, uniqueItems, recursion).
// The server terminates this thread when a job takes too long, even inside a regular expression.
import { BoundedCache } from "./bounded-cache";
import { type Check, compileSchema } from "./schema-compiler";
import { serveJobs } from "./serve-jobs";

/**
 * A job with a schema's text compiles the schema, one with arguments validates them; `missing` requests the schema
 * first.
 */
type ValidationJob = { hash: string } & ({ schemaText: string } | { argumentsText: string });

const compiled: BoundedCache<Check> = new BoundedCache({ maxEntries: 200, maxSize: 4_194_304 });

// The first compilation warms ajv up, which must not count against a job's time limit.
compileSchema({ type: "object", properties: { warm: { type: "string", pattern: "^a", format: "email" } } })({
  warm: "a",
});
serveJobs((job: ValidationJob) => {
  const { hash } = job;
  if ("schemaText" in job) {
    compiled.set(hash, compileSchema(JSON.parse(job.schemaText)), job.schemaText.length);
    return { compiled: true };
  }
  const check = compiled.get(hash);
  return check === undefined ? { missing: true } : { errors: check(JSON.parse(job.argumentsText)) };
});
