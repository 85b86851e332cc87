import type { ExecutionEnvelope, ToolDefinition } from "../../lib/contract";
import type { ApprovalDesk, ApprovalVerdict } from "./approval-ports";
import type { ExecutionRecorder } from "./execution-recorder";
import { CallerLeft, isCallerLeft, isServerStopping } from "./failures";
import type { Clock } from "./ports";
import type { RunningCall } from "./running-call";
import { aborted, type FailureVerdict, failure, interrupted, notApproved } from "./verdict";

/** Node's timers fire at once past this. */
const MAX_TIMER_MS = 2_147_483_647;

/** `edited` holds the arguments that a person put in place of those asked for, `shown` the tool that was approved. */
type Passed =
  | { answer: null; edited: { args: unknown } | null; shown: ToolDefinition | null }
  | { answer: ExecutionEnvelope };

interface GatePorts {
  desk: ApprovalDesk | undefined;
  recorder: ExecutionRecorder;
  clock: Clock;
}

/** Lets a call through once a person has said yes. */
export class ApprovalGate {
  constructor(private readonly ports: GatePorts) {}

  /** Whether the call has to pass. One look into memory, since every call is asked. */
  guards({ options }: RunningCall, definition: ToolDefinition): boolean {
    if (options.approval !== undefined) return true;
    const { desk } = this.ports;
    if (desk === undefined || options.provided !== undefined) return definition.approval === "always";
    return desk.required(definition);
  }

  async pass(call: RunningCall, definition: ToolDefinition, args: unknown): Promise<Passed> {
    const { desk, recorder } = this.ports;
    const { approval } = call.options;
    if (approval !== undefined) return await this.#follow(call, definition, args, approval);
    if (desk === undefined) {
      const error = `Tool '${call.toolName}' requires approval and nobody can be asked here`;
      return { answer: await recorder.neverRan(call, args, failure("rejected", error)) };
    }
    if (!call.begun) {
      const unrecorded = await this.#beginWaiting(call, args, desk);
      if (unrecorded !== null) return { answer: unrecorded };
    }
    const wait = new CallerWait(call);
    const since = this.ports.clock.elapsed();
    let verdict: ApprovalVerdict;
    try {
      verdict = await desk.ask(askOf(call, definition, args, wait.opened), wait.signal);
    } catch (error) {
      call.markWaited(since);
      return { answer: await this.#giveUp(call, args, wait.signal, error) };
    } finally {
      wait.end();
    }
    call.markWaited(since);
    return await this.#follow(call, definition, args, verdict);
  }

  async #beginWaiting(call: RunningCall, args: unknown, { expiryMs }: ApprovalDesk): Promise<ExecutionEnvelope | null> {
    const requestedAt = call.now();
    call.asking = true;
    call.request = expiryMs === undefined ? null : { requestedAt, expiresAt: requestedAt + expiryMs };
    const unrecorded = await this.ports.recorder.begin(call, args);
    call.asking = false;
    return unrecorded;
  }

  async #follow(call: RunningCall, found: ToolDefinition, args: unknown, verdict: ApprovalVerdict): Promise<Passed> {
    if (verdict.approved) {
      const edited = verdict.args === undefined ? null : { args: verdict.args };
      return { answer: null, edited, shown: verdict.definition === undefined ? found : verdict.definition };
    }
    return { answer: await this.ports.recorder.neverRan(call, args, notApproved(verdict)) };
  }

  /** Nobody waits any more: the caller left, the request was withdrawn, or nobody could be asked. */
  async #giveUp(call: RunningCall, args: unknown, signal: AbortSignal, error: unknown): Promise<ExecutionEnvelope> {
    const { recorder } = this.ports;
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (isCallerLeft(reason)) return recorder.leave(call, args, pending(call));
    if (isServerStopping(reason)) {
      const how = "the server stopped while this call waited for approval; the request stays open";
      return recorder.leave(call, args, interrupted(how));
    }
    if (signal.aborted || isAbort(error)) return await recorder.neverRan(call, args, aborted(reason));
    const why = error instanceof Error ? error.message : "the reason is not known";
    const said = `The request for approval could not be kept, so the tool was not run: ${why}`;
    return await recorder.neverRan(call, args, failure("not_recorded", said));
  }
}

/** The caller's cancel, and how long it waits. */
class CallerWait {
  readonly #controller = new AbortController();
  readonly #call: RunningCall;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(call: RunningCall) {
    this.#call = call;
    const { signal } = call.options;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (signal?.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly opened = (expiresAt: number): void => {
    const { approvalWaitMs, onWaiting } = this.#call.options;
    if (this.#ended) return;
    if (approvalWaitMs !== undefined) {
      const leave = (): void => this.#controller.abort(new CallerLeft());
      this.#timer = setTimeout(leave, Math.min(approvalWaitMs, MAX_TIMER_MS));
    }
    onWaiting?.(expiresAt);
  };

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#call.options.signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#call.options.signal?.reason);
}

function askOf(call: RunningCall, definition: ToolDefinition, args: unknown, opened: (expiresAt: number) => void) {
  const { executionId, source, actor, options } = call;
  return {
    executionId,
    definition,
    args,
    source,
    actor,
    client: options.client ?? null,
    runId: options.runId ?? null,
    callId: options.callId ?? null,
    opened,
  };
}

function pending({ toolName, executionId }: RunningCall): FailureVerdict {
  return failure(
    "approval_pending",
    `Tool '${toolName}' waits for a person's approval. The request stays open under Approvals in Toolroom, ` +
      `and the call (execution ${executionId}) runs there once it is approved: do not call the tool again for it`,
  );
}

function isAbort(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as { name?: unknown }).name === "AbortError";
}
