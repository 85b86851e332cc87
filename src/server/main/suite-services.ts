import type { Actor } from "../../lib/contract/actor";
import type { JsonSchema } from "../../lib/contract/json";
import type { TestRun } from "../../lib/contract/suite";
import { newId } from "../../lib/execution-id";
import { hasMask } from "../../lib/masked-value";
import { readPath } from "../../lib/testing/read-path";
import type { ExecutionService } from "../calls/executions/execution-service";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import { CallMask } from "../engine/masking/call-mask";
import { toFaults } from "../engine/validation/argument-faults";
import { measureJson } from "../engine/validation/validate-arguments";
import { createTestStore } from "../features/suites/db/suite-store";
import { createSuiteSecrets } from "../features/suites/suite-secrets";
import { createTestService } from "../features/suites/suite-service";
import type { ToolService } from "../features/tools/tool-service";
import type { Foundation } from "./foundation";

interface TestParts {
  engine: Pick<ToolEngine, "validator" | "limits" | "registry">;
  tools: ToolService;
  executions: ExecutionService;
  findRunDenial: (actor: Actor) => Promise<string | null>;
}

const MAX_FAULTS = 20;
const SUITE_SECRETS = "arguments of a suite";

/** Suites of tests, and replays of recorded calls. */
export function createTestServices(
  { db, live, logger, coordination, masking, secretBox }: Foundation,
  { engine, tools, executions, findRunDenial }: TestParts,
) {
  const { calls, jobs, copies } = coordination;
  const { validator, limits } = engine;
  const { now } = systemClock;

  /** A masked value can stand for any value. */
  async function checkSchema(schema: JsonSchema, value: unknown) {
    const size = measureJson(value, { maxBytes: limits.maxArgumentBytes, maxDepth: limits.maxArgumentDepth });
    if (size.bytes > limits.maxArgumentBytes || size.depth > limits.maxArgumentDepth) {
      return [{ path: "", message: "the result is too large to be checked against a schema" }];
    }
    const outcome = await validator.validate(schema, value, size);
    if (outcome.valid) return [];
    if (!("errors" in outcome)) return [{ path: "", message: `the result ${outcome.reason}` }];
    const isMasked = (pointer: string): boolean => {
      const at = readPath(value, pointer);
      return typeof at.value === "string" && hasMask(at.value);
    };
    const faults = toFaults(outcome.errors, schema).filter(({ pointer }) => !isMasked(pointer));
    return faults.slice(0, MAX_FAULTS).map(({ path, message }) => ({ path, message }));
  }

  return createTestService({
    store: createTestStore({ db, now, owner: copies.self.id }),
    executions,
    logger,
    now,
    calls,
    jobs,
    find: executions.readAll("a test is judged by the call that it made").find,
    checkSchema,
    secrets: createSuiteSecrets({
      maskArguments: (tool, text) => new CallMask(engine.registry.get(tool) ?? null, masking).argumentsText(text),
      seal: (text) => secretBox.seal(text, SUITE_SECRETS),
      open: (sealed) => secretBox.open(sealed, SUITE_SECRETS),
    }),
    needsApproval: (tool) => tools.getApproval(tool)?.required === true,
    checkJsonSchema: (schema) => validator.checkSchema(schema, { compile: true }),
    findDenial: findRunDenial,
    newId: () => newId("test"),
    onSuites: () => live.publish({ type: "tests" }),
    onProgress: () => live.publish({ type: "tests" }),
    onChange: ({ id, kind, name, status, trigger, total, passed }: TestRun) =>
      live.publish({ type: "tests", run: { id, kind, name, status, trigger, total, passed } }),
  });
}
