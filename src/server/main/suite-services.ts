import type { Actor } from "../../lib/contract/actor";
import type { JsonSchema } from "../../lib/contract/json";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { newId } from "../../lib/execution-id";
import { hasMask } from "../../lib/masked-value";
import { aliasesByName } from "../../lib/portable-name";
import { readPath } from "../../lib/testing/read-path";
import type { ExecutionService } from "../calls/executions/execution-service";
import type { OpenCountedModel } from "../calls/spend/counted-models";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import { CallMask } from "../engine/masking/call-mask";
import { toFaults } from "../engine/validation/argument-faults";
import { measureJson } from "../engine/validation/validate-arguments";
import type { createModelService } from "../features/models/model-service";
import type { createRunService } from "../features/runs/run-service";
import { createEvalStore } from "../features/suites/db/suite-eval-store";
import { createSuiteStore } from "../features/suites/db/suite-store";
import { createSuiteSecrets } from "../features/suites/suite-secrets";
import { createSuiteService } from "../features/suites/suite-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import { invalidInput } from "../platform/shared/app-error";
import { parseJsonText } from "../platform/shared/parse-json-text";
import { createToolFinder } from "../platform/workers/tool-finder";
import type { Foundation } from "./foundation";

interface SuiteParts {
  engine: Pick<ToolEngine, "validator" | "limits" | "registry">;
  tools: ToolService;
  toolsets: ToolsetService;
  models: ReturnType<typeof createModelService>;
  openModel: OpenCountedModel;
  runs: Pick<ReturnType<typeof createRunService>, "list" | "get" | "readLog">;
  executions: ExecutionService;
  findRunDenial: (actor: Actor) => Promise<string | null>;
}

const MAX_FAULTS = 20;
const SUITE_SECRETS = "arguments of a suite";

/** Suites of tests and of evals, and replays of recorded calls. */
export function createSuiteServices(
  { db, live, logger, coordination, masking, secretBox }: Foundation,
  { engine, tools, toolsets, models, openModel, runs, executions, findRunDenial }: SuiteParts,
) {
  const { calls, jobs, copies } = coordination;
  const { validator, limits } = engine;
  const { now } = systemClock;

  /** A masked value may be any value, so it is not checked. */
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

  return createSuiteService({
    store: createSuiteStore({ db, now, owner: copies.self.id }),
    evals: createEvalStore({ db, clock: systemClock }),
    models,
    openModel,
    clock: systemClock,
    offer: {
      definitions: () => engine.registry.list(),
      aliasNames: aliasesByName,
      createFinder: createToolFinder,
      toolset: toolsets.get,
    },
    readEdit({ editing, definitionText }) {
      const candidate = parseJsonText(definitionText, "definition");
      const problems = tools.findProblems(candidate);
      if (problems.length > 0) throw invalidInput("The definition is invalid: ", problems);
      return { name: editing, definition: candidate as ToolDefinition };
    },
    recentRuns: async (limit) => (await runs.list({ source: ["agent", "api", "background"] }, undefined, limit)).items,
    readRun: async (id) => ({ ...(await runs.get(id)), ...(await runs.readLog(id)) }),
    prepareToolset: toolsets.prepare,
    executions,
    logger,
    now,
    calls,
    jobs,
    find: executions.readAll("a test is checked by the call that it made").find,
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
    newEvalRunId: () => newId("evalrun"),
    newEvalId: () => newId("eval"),
    onSuites: () => live.publish({ type: "suites" }),
    onProgress: () => live.publish({ type: "suites" }),
    onChange: ({ id, kind, name, status, trigger, total, passed }) =>
      live.publish({ type: "suites", run: { id, kind, name, status, trigger, total, passed } }),
  });
}
