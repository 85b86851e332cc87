import type {
  Actor,
  ExecutionDetail,
  ExecutionEnvelope,
  ExecutionFilter,
  ExecutionPage,
  ExecutionSource,
  ExecutionSummary,
  OverviewStats,
  ToolDefinition,
  ToolStats,
} from "../../../lib/contract";
import { AppError } from "../../app-error";
import { requiredParameters } from "../../engine/argument-faults";
import { ServerStopping } from "../../engine/failures";
import { failureText, viewOfText } from "../../engine/output-limits";
import type { ExecutionLimits } from "../../engine/ports";
import { isToolCallResult, textOfToolResult } from "../../engine/tool-call-result";
import type { ExecuteOptions, ToolExecutor } from "../../engine/tool-executor";
import { parseJsonText } from "../../parse-json-text";
import type { ExecutionOfRun, ExecutionStore, StoredExecution } from "./execution-store";

export interface ExecutionServicePorts {
  executor: Pick<ToolExecutor, "execute">;
  store: ExecutionStore;
  limits: ExecutionLimits;
  newId: () => string;
  /** Hash of the tool's definition as it is in the catalogue now; null when there is no such tool. */
  currentHash: (toolName: string) => string | null;
  /** Takes back the request of a call that waits for approval and that nobody here waits for. False where none is open. */
  withdrawApproval?: ((executionId: string) => Promise<boolean>) | undefined;
}

interface Running {
  controller: AbortController;
  done: Promise<ExecutionEnvelope>;
  /** For a person: nothing of it goes on, and nothing is lost when it stops waiting. */
  waiting: boolean;
}

export interface RunRequest {
  tool: string;
  /** What the person saw is what is sent. Read as JSON once; its values are what the tool gets and the logbook keeps. */
  argumentsText: string;
  executionId?: string | undefined;
  timeoutMs?: number | undefined;
  skipValidation?: boolean | undefined;
  parentId?: string | undefined;
  /** How long to wait for the end before answering with the execution as it stands; 10 s when absent. */
  waitMs?: number | undefined;
}

interface Caller {
  actor: Actor;
  source: ExecutionSource;
}

const DEFAULT_WAIT_MS = 10_000;
/** Stands where a call is not under way yet. */
const UNBEGUN: Promise<ExecutionEnvelope> = new Promise(() => {});

export type ExecutionService = ReturnType<typeof createExecutionService>;

/** Runs tools for people and keeps the logbook's rules: what can be replayed, cancelled, compared. */
export function createExecutionService(ports: ExecutionServicePorts) {
  const { store } = ports;
  const running = new Map<string, Running>();
  const reserved = new Set<string>();
  let stopping = false;

  async function find(id: string): Promise<StoredExecution> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `Execution '${id}' not found`);
    return found;
  }

  async function detail(id: string): Promise<ExecutionDetail> {
    const found = await find(id);
    const { modelChars: _modelChars, resultChars: _resultChars, instanceId: _instanceId, ...stored } = found;
    const [parent, children] = await Promise.all([
      stored.parentId === null ? null : store.summary(stored.parentId),
      store.children(id),
    ]);
    return {
      ...stored,
      definitionChanged: stored.definitionHash !== null && stored.definitionHash !== ports.currentHash(stored.toolName),
      modelView: modelViewOf(found, ports.limits),
      parent,
      children,
    };
  }

  /** Runs a call that can be cancelled here by its id, and that the end of the server waits for. */
  function execute(name: string, args: unknown, options: ExecuteOptions = {}): Promise<ExecutionEnvelope> {
    const executionId = options.executionId ?? ports.newId();
    const controller = new AbortController();
    const { signal } = options;
    const onAbort = (): void => controller.abort(signal?.reason);
    if (stopping) controller.abort(new ServerStopping());
    else if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    const call: Running = { controller, done: UNBEGUN, waiting: false };
    const done = ports.executor.execute(name, args, {
      ...options,
      executionId,
      signal: controller.signal,
      onWaiting: (expiresAt) => {
        call.waiting = true;
        options.onWaiting?.(expiresAt);
        if (stopping) controller.abort(new ServerStopping());
      },
      onApproved: (edited) => {
        call.waiting = false;
        options.onApproved?.(edited);
      },
    });
    call.done = done;
    running.set(executionId, call);
    // execute never rejects, so neither does this.
    void done.then(() => {
      // One whose caller left may have been taken up again since.
      if (running.get(executionId) === call) running.delete(executionId);
      signal?.removeEventListener("abort", onAbort);
    });
    return done;
  }

  function start(caller: Caller, name: string, args: unknown, options: ExecuteOptions): Promise<ExecutionEnvelope> {
    if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping; nothing new is run");
    return execute(name, args, { ...options, actor: caller.actor, source: caller.source });
  }

  async function run(caller: Caller, request: RunRequest): Promise<ExecutionDetail> {
    const args = parseJsonText(request.argumentsText, "arguments");
    if (request.parentId !== undefined) await find(request.parentId);
    const id = request.executionId ?? ports.newId();
    if (reserved.has(id) || running.has(id)) throw idUsed(id);
    // At once, before anything is waited for: two requests with one id must not both pass.
    reserved.add(id);
    try {
      if (request.executionId !== undefined && (await store.find(id)) !== null) throw idUsed(id);
      return await runReserved(caller, request, args, id);
    } finally {
      reserved.delete(id);
    }
  }

  async function runReserved(caller: Caller, request: RunRequest, args: unknown, id: string): Promise<ExecutionDetail> {
    // A person may take a day: who looks on is told at once that it waits.
    let tellWaiting = (): void => {};
    const waits = new Promise<null>((resolve) => {
      tellWaiting = () => resolve(null);
    });
    const done = start(caller, request.tool, args, {
      executionId: id,
      onWaiting: () => tellWaiting(),
      ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
      ...(request.skipValidation === undefined ? {} : { skipValidation: request.skipValidation }),
      ...(request.parentId === undefined ? {} : { parentId: request.parentId }),
    });
    const envelope = await withinMs(Promise.race([done, waits]), request.waitMs ?? DEFAULT_WAIT_MS);
    if (envelope !== null && !envelope.success && envelope.error_kind === "not_recorded") {
      throw new AppError("UNAVAILABLE", envelope.error);
    }
    return await detail(id);
  }

  return {
    /** For callers beside the console. Like the executor's own it never rejects. */
    execute,
    run: (actor: Actor, request: RunRequest, source: ExecutionSource = "console"): Promise<ExecutionDetail> =>
      run({ actor, source: request.parentId === undefined ? source : "replay" }, request),

    /** Runs a recorded call again with the arguments it had, against the tool as it is now. */
    async replay(actor: Actor, id: string, waitMs?: number): Promise<ExecutionDetail> {
      const original = await find(id);
      return run(
        { actor, source: "replay" },
        {
          tool: original.toolName,
          argumentsText: original.argumentsText,
          parentId: id,
          skipValidation: original.validationSkipped,
          waitMs,
        },
      );
    },

    /** False when it had ended already. */
    async cancel(id: string): Promise<{ cancelled: boolean }> {
      const call = running.get(id);
      if (call) {
        call.controller.abort(new DOMException("Cancelled", "AbortError"));
        return { cancelled: (await call.done).status === "cancelled" };
      }
      const { status } = await find(id);
      const withdrawn = status === "waiting" && (await ports.withdrawApproval?.(id)) === true;
      return { cancelled: withdrawn };
    },

    /** Whether a call is under way in this process; one that waits here for a person counts. */
    isRunning: (id: string): boolean => running.has(id),

    /** Resolves when a call that is under way in this process has ended and is in the logbook; at once for others. */
    async ended(id: string): Promise<void> {
      await running.get(id)?.done;
    },

    get: detail,
    list: async (filter: ExecutionFilter, cursor: number | undefined, limit: number): Promise<ExecutionPage> =>
      store.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) }),
    async setPinned(id: string, pinned: boolean): Promise<ExecutionSummary> {
      await find(id);
      return store.setPinned(id, pinned);
    },
    toolStats: async (name: string): Promise<ToolStats> => store.toolStats(name),
    overview: async (days: number): Promise<OverviewStats> => store.overview(days),
    /** Every call of a run, oldest first; `get` has what a model was given for one that ended. */
    findByRun: (runId: string): Promise<ExecutionOfRun[]> => store.findByRun(runId),
    facets: async (): Promise<{ tools: string[]; actors: Actor[] }> => store.facets(),
    counts: async (): Promise<{ executions: number; replays: number; running: number }> => store.counts(),

    /**
     * Refuses new calls, gives running ones until `graceMs` to end, then records them as interrupted. Those that wait for
     * a person are left so, for the next start.
     */
    async stop(graceMs: number): Promise<void> {
      stopping = true;
      for (const { controller, waiting } of running.values()) if (waiting) controller.abort(new ServerStopping());
      const all = (): Promise<unknown> => Promise.all(Array.from(running.values(), ({ done }) => done));
      await withinMs(all(), graceMs);
      for (const { controller } of running.values()) controller.abort(new ServerStopping());
      await all();
    },
  };
}

function idUsed(id: string): AppError {
  return new AppError("CONFLICT", `executionId '${id}' has been used`);
}

/** What a model is given for a recorded call; null while it runs. */
function modelViewOf(stored: StoredExecution, limits: ExecutionLimits): ExecutionDetail["modelView"] {
  const maxChars = stored.definition?.max_model_chars ?? limits.maxModelChars;
  if (stored.error !== null) {
    const required = stored.errorKind === "invalid_arguments" && stored.definition ? requiredOf(stored.definition) : [];
    return viewOfText(failureText({ error: stored.error, required_parameters: required }), maxChars);
  }
  if (stored.resultText === null) return null;
  const whole = textForModel(stored, stored.resultText);
  const view = viewOfText(whole, maxChars);
  return stored.resultTruncated ? { ...view, totalChars: Math.max(view.totalChars, stored.resultChars ?? 0) } : view;
}

function requiredOf(definition: ToolDefinition): ReturnType<typeof requiredParameters> {
  return requiredParameters(definition.parameters);
}

function textForModel({ implementationType, resultTruncated }: StoredExecution, resultText: string): string {
  if (implementationType !== "mcp") return resultTruncated ? resultText : plainText(resultText);
  try {
    const result: unknown = JSON.parse(resultText);
    return isToolCallResult(result) ? textOfToolResult(result) : resultText;
  } catch {
    // Cut in the middle, since it was too large even without its media.
    return resultText;
  }
}

/** A string result goes to the model as it is, without JSON's quotes. */
function plainText(resultText: string): string {
  if (!resultText.startsWith('"')) return resultText;
  const value: unknown = JSON.parse(resultText);
  return typeof value === "string" ? value : resultText;
}

async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, waited]);
  } finally {
    clearTimeout(timer);
  }
}
