import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { CATALOG_FILE_VERSION } from "../../../lib/contract/catalog-file";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import {
  BUNDLE_VERSION,
  bundledExecutionSchema,
  type ExecutionBundle,
  executionBundleSchema,
  type OpenedBundle,
} from "../../../lib/contract/execution-bundle";
import { isPlainObject } from "../../../lib/contract/json";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { newExecutionId } from "../../../lib/execution-id";
import { getMessage } from "../../../lib/get-message";
import { equalJson } from "../../../lib/json/equal-json";
import { isBeyondLimits } from "../../../lib/json/limits";
import { parseWithDigits } from "../../../lib/json/number-digits";
import type { ReadableExecutions } from "../../calls/executions/readable-executions";
import type { Clock, ExecutionEnd, ExecutionJournal, ExecutionStart } from "../../engine/ports";
import { AppError, invalidInput } from "../../platform/shared/app-error";

interface BundlePorts {
  executions: Pick<ReadableExecutions, "readsFor">;
  journal: Pick<ExecutionJournal, "record">;
  /** The definition that the catalog has under a name; null for none. */
  findDefinition(name: string): ToolDefinition | null;
  /** The text of a catalog file with one server, without secrets; null for a server that is gone. */
  exportServer(principal: Principal, name: string): Promise<string | null>;
  /** `JSON.parse` that does not hold the event loop for large texts. */
  parseJson(text: string): Promise<unknown>;
  version: string;
  clock: Pick<Clock, "now">;
}

/** One execution as a file: written here, opened by another Toolroom. */
export function createBundleService(ports: BundlePorts) {
  return {
    /** @throws AppError for a call that has not ended, or whose arguments the reader may not see */
    async export(principal: Principal, id: string): Promise<ExecutionBundle> {
      const execution = await ports.executions.readsFor(principal).get(id);
      if (execution.restricted) {
        throw new AppError(
          "DENIED",
          "The call used the personal credential of another user: only that user can export it",
        );
      }
      if (execution.status === "running" || execution.status === "waiting") {
        throw new AppError("CONFLICT", "The call has not ended: export it when it has");
      }
      const recordedAt = new Date(execution.queuedAt).toISOString();
      return {
        toolroomExecution: BUNDLE_VERSION,
        version: ports.version,
        execution: bundledExecutionSchema.parse({ ...execution, recordedAt }),
        catalog: await buildCatalog(ports, principal, execution),
      };
    },

    /**
     * Records the execution of a bundle here, under a new id: it is listed with the source `import` and is in no figure.
     * @throws AppError that names each field that is wrong
     */
    async open(actor: Actor, text: string): Promise<OpenedBundle> {
      const { execution, version } = await readBundle(ports, text);
      const now = ports.clock.now();
      const id = newExecutionId();
      const start = toStart(execution, { id, actor, now });
      await ports.journal.record(start, toEnd(execution, { id, now, version }));
      return { id, toolName: execution.toolName, tool: compareTool(ports, execution) };
    },
  };
}

function compareTool(ports: BundlePorts, { toolName, definition }: ExecutionBundle["execution"]): OpenedBundle["tool"] {
  const known = ports.findDefinition(toolName);
  if (known === null) return "missing";
  return equalJson(known, definition) ? "same" : "different";
}

/** The catalog file that an import needs to add the tool: its server, or its definition where no server runs it. */
async function buildCatalog(
  ports: BundlePorts,
  principal: Principal,
  { serverName, definition }: ExecutionDetail,
): Promise<ExecutionBundle["catalog"]> {
  if (serverName !== null) {
    const text = await ports.exportServer(principal, serverName);
    return text === null ? null : (parseWithDigits(text) as Record<string, unknown>);
  }
  const type = definition?.implementation.type;
  if (definition === null || type === "mcp" || type === "function") return null;
  return { toolroom: CATALOG_FILE_VERSION, tools: [{ definition, enabled: true, approval: null }], servers: [] };
}

async function readBundle(ports: BundlePorts, text: string): Promise<ExecutionBundle> {
  const value = await ports.parseJson(text.replace(/^\uFEFF/, "")).catch((error: unknown) => {
    const problem = isBeyondLimits(error) ? "is refused" : "is not JSON";
    throw new AppError("INVALID", `The bundle ${problem}: ${getMessage(error)}`);
  });
  if (isPlainObject(value) && Object.hasOwn(value, "toolroomExecution") && value.toolroomExecution !== BUNDLE_VERSION) {
    const message = `toolroomExecution: this version reads format ${BUNDLE_VERSION}: update Toolroom to open the bundle`;
    throw new AppError("INVALID", message);
  }
  const read = executionBundleSchema.safeParse(value);
  if (!read.success) throw invalidInput("The bundle cannot be opened: ", problemsOfIssues(read.error.issues));
  const { argumentsText, resultText, resultTruncated } = read.data.execution;
  await assertJson(ports, "execution.argumentsText", argumentsText);
  if (resultText !== null && !resultTruncated) await assertJson(ports, "execution.resultText", resultText);
  return read.data;
}

async function assertJson(ports: BundlePorts, field: string, text: string): Promise<void> {
  await ports.parseJson(text).catch((error: unknown) => {
    throw new AppError("INVALID", `${field}: ${isBeyondLimits(error) ? "" : "must be JSON: "}${getMessage(error)}`);
  });
}

interface Imported {
  id: string;
  now: number;
}

function toStart(
  execution: ExecutionBundle["execution"],
  { id, actor, now }: Imported & { actor: Actor },
): ExecutionStart {
  const { toolName, calledAs, definition, implementationType, client, serverName, argumentsText } = execution;
  const { timing, timeoutMs, validationSkipped, toolset, reason } = execution;
  return {
    id,
    toolName,
    definition,
    implementationType,
    client,
    serverName,
    argumentsText,
    timeoutMs,
    validationSkipped,
    ...(calledAs === undefined ? {} : { calledAs }),
    source: "import",
    actor: { id: actor.id, name: actor.name },
    protocol: null,
    queuedAt: now,
    validateMs: timing.validateMs,
    parentId: null,
    runId: null,
    callId: null,
    toolset,
    reason,
  };
}

function toEnd(
  execution: ExecutionBundle["execution"],
  { id, now, version }: Imported & { version: string },
): ExecutionEnd {
  const { status, resultText, resultTruncated, resultBytes, error, errorKind, faults, limit, timing } = execution;
  const { recordedAt, source, executionTimeMs, logs } = execution;
  const origin = `Imported: recorded ${recordedAt} by Toolroom ${version}, source ${source}`;
  return {
    id,
    status,
    resultText,
    resultTruncated,
    resultBytes,
    error,
    errorKind,
    faults,
    limit,
    storedBytes: resultText === null ? null : Buffer.byteLength(resultText),
    modelChars: null,
    resultChars: null,
    recordMs: null,
    credential: null,
    startedAt: timing.runMs === null ? null : now,
    finishedAt: now,
    executionTimeMs: executionTimeMs ?? 0,
    runMs: timing.runMs,
    logs: [{ atMs: 0, level: "info", message: origin }, ...logs],
  };
}
