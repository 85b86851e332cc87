import type { Actor } from "../../../lib/contract/actor";
import type { ExecutionEnvelope, ExecutionSource } from "../../../lib/contract/envelope";
import type { ExecutionDetail, LogLine } from "../../../lib/contract/execution";
import { type ContentKind, getKind } from "../../../lib/contract/execution-kind";
import { toJsonText } from "../../../lib/json/known-text";
import { asReceived } from "../../../lib/rules/received-execution";
import { type CallArguments, maskFaults } from "../../engine/executor/call-arguments";
import type { ExecuteOptions, ToolExecutor } from "../../engine/executor/tool-executor";
import { ServerStopping } from "../../engine/failures";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { parseArgumentsText } from "../../platform/shared/parse-json-text";
import { withinMs } from "../../platform/shared/within-ms";
import type { ExecutionStore, StoredExecution } from "./execution-store";

interface RunningCall {
  controller: AbortController;
  done: Promise<ExecutionEnvelope>;
  /** For approval: it can stop at once, since nothing runs yet. */
  waiting: boolean;
  /** The lines that the call has logged so far. */
  lines: LogLine[];
}

/** Equals the number that is stored when a call ends. */
const MAX_LINES = 200;

export type RunningExecutions = ReturnType<typeof createRunningExecutions>;

interface RunningPorts {
  executor: Pick<ToolExecutor, "execute">;
  newId: () => string;
}

/** Placeholder when no call is running. */
const NOT_STARTED: Promise<ExecutionEnvelope> = new Promise(() => {});

/** The calls of this process, by execution id; those that wait here for approval count. */
export function createRunningExecutions({ executor, newId }: RunningPorts) {
  const running = new Map<string, RunningCall>();
  let stopping = false;

  return {
    /** Runs a call that can be cancelled by its id and that `stop` waits for. */
    execute(name: string, args: unknown, options: ExecuteOptions = {}): Promise<ExecutionEnvelope> {
      const executionId = options.executionId ?? newId();
      const controller = options.controller ?? new AbortController();
      const signal = options.controller === undefined ? options.signal : undefined;
      const onAbort = (): void => controller.abort(signal?.reason);
      if (stopping) controller.abort(new ServerStopping());
      else if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
      const call: RunningCall = { controller, done: NOT_STARTED, waiting: false, lines: [] };
      const done = executor.execute(name, args, {
        ...options,
        executionId,
        signal: controller.signal,
        onWaiting: (expiresAt, ended) => {
          call.waiting = true;
          const asked = options.onWaiting?.(expiresAt, ended);
          if (stopping) controller.abort(new ServerStopping());
          return asked;
        },
        onApproved: (edited) => {
          call.waiting = false;
          options.onApproved?.(edited);
        },
        onLog: (line, sent) => {
          if (call.lines.length < MAX_LINES) call.lines.push(line);
          options.onLog?.(line, sent);
        },
      });
      call.done = done;
      running.set(executionId, call);
      // execute never rejects, so neither does this.
      void done.then(() => {
        // An abandoned call may have been started again under the same id.
        if (running.get(executionId) === call) running.delete(executionId);
        signal?.removeEventListener("abort", onAbort);
      });
      return done;
    },

    has: (id: string): boolean => running.has(id),

    /** The log so far of a call that runs in this process; empty for others. */
    readLog: (id: string): LogLine[] => [...(running.get(id)?.lines ?? [])],

    /** Resolves when a running call of this process has ended and is stored; at once for others. */
    async ended(id: string): Promise<void> {
      await running.get(id)?.done;
    },

    /** Whether the call ended as cancelled; null where it does not run in this process. */
    async cancel(id: string): Promise<boolean | null> {
      const call = running.get(id);
      if (call === undefined) return null;
      call.controller.abort(new DOMException("Cancelled", "AbortError"));
      return (await call.done).status === "cancelled";
    },

    isStopping: (): boolean => stopping,

    /**
     * Gives running calls until `graceMs` to end, then records them as interrupted; later calls are interrupted at once.
     * Calls that wait for approval keep waiting until the next start.
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

interface RequestPorts {
  store: Pick<ExecutionStore, "find">;
  newId: () => string;
  running: RunningExecutions;
  /** Returns the definition that a recorded read of a resource or prompt runs again. */
  contentTool?: ((kind: ContentKind, server: string) => ExecuteOptions["provided"]) | undefined;
  /** @throws AppError NOT_FOUND */
  find: (id: string) => Promise<StoredExecution>;
  readDetail: (id: string) => Promise<ExecutionDetail>;
}

/** The options of a request that the executor takes. */
type CallOptions = Pick<
  ExecuteOptions,
  "executionId" | "timeoutMs" | "skipValidation" | "parentId" | "client" | "callId" | "tokenId" | "isCallerGone"
> & {
  /** For a read of a resource or prompt. */
  content?: Pick<ExecuteOptions, "kind" | "provided"> | undefined;
};

/** The options of the answer. */
interface AnswerOptions {
  /** How long to wait for the end before answering with the execution as it stands; 10 s when absent. */
  waitMs?: number | undefined;
  /** For a program that makes the call: result and error as the tool returned them, in place of what is stored. */
  unmasked?: boolean | undefined;
}

/** A call with its arguments, which are stored exactly as sent: as a text of their own, or parsed with the request's body. */
type ExecutionRequest = CallOptions &
  AnswerOptions & { tool: string } & ({ argumentsText: string } | { args: CallArguments });

type ReplayOptions = AnswerOptions & Pick<CallOptions, "executionId" | "tokenId" | "isCallerGone">;

interface Caller {
  actor: Actor;
  source: ExecutionSource;
}

const DEFAULT_WAIT_MS = 10_000;
/** Calls that a user requests with arguments as text: runs and replays. */
export function createExecutionRequests({ store, newId, running, find, readDetail, contentTool }: RequestPorts) {
  const reserved = new Set<string>();

  async function run(caller: Caller, request: ExecutionRequest): Promise<ExecutionDetail> {
    const args = "args" in request ? request.args : await parseArgumentsText(request.argumentsText);
    refuseMasks(args);
    if (request.parentId !== undefined) await find(request.parentId);
    const id = request.executionId ?? newId();
    if (reserved.has(id) || running.has(id)) throw idUsed(id);
    // Reserved before the first await: two requests with one id must not both pass.
    reserved.add(id);
    try {
      if (request.executionId !== undefined && (await store.find(id)) !== null) throw idUsed(id);
      if (running.isStopping()) throw new AppError("UNAVAILABLE", "The server is stopping: no new calls are accepted");
      const { tool, timeoutMs, skipValidation, parentId, client, callId, tokenId, isCallerGone, content } = request;
      const own = { timeoutMs, skipValidation, parentId, client, callId, tokenId, isCallerGone, ...content };
      const envelope = await executeWithin(tool, args, { ...caller, ...own, executionId: id }, request.waitMs);
      if (envelope !== null && !envelope.success && envelope.error_kind === "not_recorded") {
        throw new AppError("UNAVAILABLE", envelope.error);
      }
      const stored = await readDetail(id);
      return request.unmasked === true && envelope !== null
        ? { ...asReceived(stored), ...toReturned(envelope) }
        : stored;
    } finally {
      reserved.delete(id);
    }
  }

  /** Resolves with null after `waitMs`, and at once for a call that waits for approval, which may take a day. */
  function executeWithin(
    tool: string,
    args: CallArguments,
    options: ExecuteOptions,
    waitMs = DEFAULT_WAIT_MS,
  ): Promise<ExecutionEnvelope | null> {
    return new Promise((resolve) => {
      let isDue = false;
      let isRecorded = false;
      const onDue = (): void => {
        isDue = true;
        // The response is read from the journal, which a long validation may not have reached yet.
        if (isRecorded) resolve(null);
      };
      const timer = setTimeout(onDue, waitMs);
      const onRecorded = (): void => {
        isRecorded = true;
        if (isDue) resolve(null);
      };
      void running.execute(tool, args, { ...options, onWaiting: onDue, onRecorded }).then((envelope) => {
        clearTimeout(timer);
        resolve(envelope);
      });
    });
  }

  return {
    run: (actor: Actor, request: ExecutionRequest, source: ExecutionSource = "console"): Promise<ExecutionDetail> =>
      run({ actor, source: request.parentId === undefined ? source : "replay" }, request),

    /** Runs a recorded call again with the arguments it had, against the tool as it is now. */
    async replay(actor: Actor, id: string, options: ReplayOptions = {}): Promise<ExecutionDetail> {
      const original = await find(id);
      return run(
        { actor, source: "replay" },
        {
          ...options,
          tool: original.toolName,
          argumentsText: original.argumentsText,
          parentId: id,
          skipValidation: original.validationSkipped,
          content: toContent(original),
        },
      );
    },
  };

  function toContent({ implementationType, serverName }: StoredExecution): CallOptions["content"] {
    const kind = getKind({ implementationType });
    return kind === "tool" ? undefined : { kind, provided: contentTool?.(kind, serverName ?? "") };
  }
}

/** The caller receives the tool's result, which may differ from the stored one. */
function toReturned(envelope: ExecutionEnvelope): Pick<ExecutionDetail, "resultText" | "resultTruncated" | "error"> {
  const resultText = toJsonText(envelope.result) ?? null;
  return { resultText, resultTruncated: false, error: envelope.success ? null : envelope.error };
}

/** @throws AppError that names every argument which the log of calls has masked only */
function refuseMasks(args: CallArguments): void {
  const faults = maskFaults(args);
  if (faults.length === 0) return;
  const problems = faults.map(({ path, message }) => ({ path: path === "" ? "arguments" : path, message }));
  throw invalidInput("A mask is never sent to a tool. Use Edit and replay: ", problems);
}

function idUsed(id: string): AppError {
  return new AppError("CONFLICT", `executionId '${id}' has been used`);
}
