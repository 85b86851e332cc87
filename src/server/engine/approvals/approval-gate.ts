import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode, ApprovalPolicy, ToolApproval } from "../../../lib/contract/approval";
import { joinModes } from "../../../lib/contract/approver";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { CallArguments } from "../executor/call-arguments";
import { aborted, type CallFailure, failure, interrupted, notApproved } from "../executor/call-outcome";
import type { ExecutionRecorder } from "../executor/execution-recorder";
import type { ResolvedCall, RunningCall } from "../executor/running-call";
import { CallerLeft, isCallerLeft, isServerStopping } from "../failures";
import type { ApprovalRequest, Clock } from "../ports";
import type { ApprovalAsk, ApprovalBroker, ApprovalResult } from "./approval-ports";

/** The keys that an approval covers. Limits, icons and the like may change while a call waits. */
const APPROVED_KEYS = ["implementation", "description", "parameters", "annotations"] as const;

/** Whether a tool is still the one that a user was shown. */
export function isSameTool(shown: ToolDefinition, now: ToolDefinition): boolean {
  return shown === now || APPROVED_KEYS.every((key) => canonicalJson(shown[key]) === canonicalJson(now[key]));
}

/** The policies that apply to a tool; the one of its MCP server comes first. */
interface ApprovalPolicies {
  /** Null for a tool without a server, or a server that follows the global policy. */
  server: ApprovalPolicy | null;
  global: ApprovalPolicy;
}

/**
 * Whether a tool requires approval, and which setting decides it: the user's setting for the tool, then the definition's
 * `approval`, then the server's policy, then the global one. A destructive hint counts only where it is `true`: the protocol
 * treats a missing hint as destructive, which would make nearly every tool require approval.
 * @param mode what a user set for this tool; null for nothing
 */
export function checkApproval(
  definition: Pick<ToolDefinition, "approval" | "annotations">,
  mode: ApprovalMode | null,
  policies: ApprovalPolicies,
): ToolApproval {
  if (mode !== null) return { required: mode !== "never", because: "person", mode };
  const { approval } = definition;
  if (approval !== undefined) return { required: approval === "always", because: "definition", mode };
  const policy = policies.server ?? policies.global;
  const source = policies.server === null ? "policy" : "server";
  if (policy !== "destructive") return { required: policy === "always", because: source, mode };
  const required = definition.annotations?.destructiveHint === true;
  return { required, because: required ? "hint" : source, mode };
}

/** One of the settings that `checkApproval` reads, and what it says of a tool; null where it says nothing. */
export interface ApprovalSetting {
  of: "person" | "definition" | "server" | "policy";
  says: "ask" | "allow" | null;
}

/** The settings in their order: the first that is set decides, as in `checkApproval`. */
export function listApprovalSettings(
  definition: Pick<ToolDefinition, "approval" | "annotations">,
  mode: ApprovalMode | null,
  { server, global }: ApprovalPolicies,
): ApprovalSetting[] {
  const read = (policy: ApprovalPolicy): "ask" | "allow" =>
    policy === "always" || (policy === "destructive" && definition.annotations?.destructiveHint === true)
      ? "ask"
      : "allow";
  const { approval } = definition;
  return [
    { of: "person", says: mode === null ? null : mode === "never" ? "allow" : "ask" },
    { of: "definition", says: approval === undefined ? null : approval === "always" ? "ask" : "allow" },
    { of: "server", says: server === null ? null : read(server) },
    { of: "policy", says: read(global) },
  ];
}

/** Node's timers fire at once past this. */
const MAX_TIMER_MS = 2_147_483_647;

/** `edited` holds the arguments of the user, null where unchanged; `shown` the tool that was approved, `by` its approver. */
type Passed =
  | { answer: null; edited: CallArguments | null; shown: ToolDefinition | null; by: Actor }
  | { answer: ExecutionEnvelope };

interface GatePorts {
  broker: ApprovalBroker | undefined;
  recorder: ExecutionRecorder;
  clock: Clock;
}

/** Holds a call that requires approval until a user has decided. */
export class ApprovalGate {
  constructor(private readonly ports: GatePorts) {}

  /** Called for every call, so it reads memory only. */
  guards({ options, definition, state: { ruled, route } }: ResolvedCall): boolean {
    if (options.approval !== undefined || ruled?.kind === "ask") return true;
    const { broker } = this.ports;
    if (broker === undefined || options.provided !== undefined) {
      return definition.approval === "always" || route?.from.approval === "always";
    }
    if (route === null) return broker.required(definition, ruled?.kind === "allow" ? false : options.approvalRequired);
    // The toolset of the call says nothing about the tool that a rule has run, unless it asks for approval.
    const inToolset = options.approvalRequired === true ? true : undefined;
    return (
      broker.required(route.from, route.lifted.from ? false : options.approvalRequired) ||
      broker.required(definition, route.lifted.to ? false : inToolset)
    );
  }

  async pass(call: ResolvedCall): Promise<Passed> {
    const { broker, recorder, clock } = this.ports;
    const { approval } = call.options;
    if (approval !== undefined) return await this.#apply(call, approval);
    if (broker === undefined) {
      const error = `Tool '${call.toolName}' requires approval, which is not possible here`;
      return { answer: await recorder.recordRefusal(call, failure("rejected", error)) };
    }
    if (!call.state.begun) {
      const unrecorded = await recorder.begin(call, { request: this.#toRequest(broker, call) });
      if (unrecorded !== null) return { answer: unrecorded };
    }
    const wait = new CallerWait(call);
    const since = clock.elapsed();
    let result: ApprovalResult;
    try {
      result = await broker.ask(toRequest(call, wait.opened), wait.signal);
    } catch (error) {
      call.markWaited(since);
      return { answer: await this.#giveUp(call, wait.signal, error) };
    } finally {
      wait.end();
    }
    call.markWaited(since);
    return await this.#apply(call, result);
  }

  #toRequest({ expiryMs, getMode }: ApprovalBroker, call: ResolvedCall): ApprovalRequest | null {
    const requestedAt = this.ports.clock.now();
    if (expiryMs === undefined) return null;
    const { ruled, route } = call.state;
    const names = route === null ? [call.definition.name] : [route.from.name, call.definition.name];
    const mode = names
      .map((name) => getMode?.(name) ?? null)
      .reduce(joinModes, ruled?.kind === "ask" ? ruled.approver : null);
    return { requestedAt, expiresAt: requestedAt + expiryMs, mode };
  }

  async #apply(call: ResolvedCall, result: ApprovalResult): Promise<Passed> {
    if (!result.approved) return { answer: await this.ports.recorder.recordRefusal(call, notApproved(result)) };
    const edited = result.args === undefined ? null : CallArguments.from(result.args);
    const shown = result.definition === undefined ? call.definition : result.definition;
    return { answer: null, edited, shown, by: result.by };
  }

  /** The caller left, the request was withdrawn, or it could not be stored. */
  async #giveUp(call: ResolvedCall, signal: AbortSignal, error: unknown): Promise<ExecutionEnvelope> {
    const { recorder } = this.ports;
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (isCallerLeft(reason)) return recorder.leave(call, pending(call));
    if (isServerStopping(reason)) {
      const how = "the server stopped while this call waited for approval; the request stays open";
      return recorder.leave(call, interrupted(how));
    }
    if (signal.aborted || isAbort(error)) return await recorder.recordRefusal(call, aborted(reason));
    const why = error instanceof Error ? error.message : "the reason is not known";
    const message = `The approval request could not be stored, so the tool was not run: ${why}`;
    return await recorder.recordRefusal(call, failure("not_recorded", message));
  }
}

/** The text that asked MCP clients receive as the reason of the withdrawal. */
const OVER = "The call no longer waits for this approval";

/** Ends the wait when the caller cancels, or after the time that it waits for approval. */
class CallerWait {
  readonly #controller = new AbortController();
  readonly #over = new AbortController();
  readonly #call: RunningCall;
  #timer: ReturnType<typeof setTimeout> | undefined;

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
    if (this.#over.signal.aborted) return;
    const asked = this.#call.options.onWaiting?.(expiresAt, this.#over.signal);
    if (asked === undefined) this.#limit();
    else void asked.then(() => this.#limit());
  };

  #limit(): void {
    const { approvalWaitMs } = this.#call.options;
    if (this.#over.signal.aborted || approvalWaitMs === undefined) return;
    const leave = (): void => this.#controller.abort(new CallerLeft());
    this.#timer = setTimeout(leave, Math.min(approvalWaitMs, MAX_TIMER_MS));
  }

  end(): void {
    this.#over.abort(OVER);
    clearTimeout(this.#timer);
    this.#call.options.signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#call.options.signal?.reason);
}

function toRequest(call: ResolvedCall, opened: (expiresAt: number) => void): ApprovalAsk {
  const { executionId, source, actor, options, definition, args } = call;
  return {
    executionId,
    definition,
    args: args.value,
    ...(call.storedArgumentsText === args.text ? {} : { masked: { args, restore: (text) => call.mask.restore(text) } }),
    source,
    actor,
    client: options.client ?? null,
    runId: options.runId ?? null,
    callId: options.callId ?? null,
    opened,
  };
}

function pending({ toolName, executionId, options: { kind } }: RunningCall): CallFailure {
  if (kind !== undefined) {
    return failure(
      "approval_pending",
      `This ${kind} waits for a user's approval. The request stays open under Approvals in Toolroom; once it is ` +
        `approved, execution ${executionId} has the content`,
    );
  }
  return failure(
    "approval_pending",
    `Tool '${toolName}' waits for a user's approval. The request stays open under Approvals in Toolroom, ` +
      `and the call (execution ${executionId}) runs there once it is approved: do not call the tool again for it`,
  );
}

function isAbort(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as { name?: unknown }).name === "AbortError";
}
