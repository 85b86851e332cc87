import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from "@modelcontextprotocol/server";
import type { ExecutionEnvelope, FailureEnvelope, ToolCallResult, ToolDefinition } from "../../lib/contract";
import { ServerStopping } from "../engine/failures";
import type { InteractionHandler } from "../engine/ports";
import { ApprovalWait, abortReason } from "./approval-wait";
import { CallNotices } from "./call-notices";
import { toCallResult } from "./call-result";
import type { CatalogueView } from "./catalogue-view";
import { askSession, capabilityFor } from "./client-interaction";
import { clientLabel } from "./client-label";
import type { GatewayLimits, GatewayPorts } from "./gateway-ports";
import { type Listener, ParkedCalls, Round } from "./parked-calls";

/** One `tools/call`, whichever protocol brought it. */
export interface CallRequest {
  name: string;
  args: unknown;
  protocol: string;
  clientInfo: unknown;
  clientCapabilities: unknown;
  /** Whether the client has asked for log lines. */
  logs: boolean;
  stateless: boolean;
}

/** Every call that comes through the gateway: to the executor and back. */
export class GatewayCalls {
  readonly #running = new Set<AbortController>();
  readonly #answering = new Set<Promise<Result>>();
  readonly #parked: ParkedCalls;

  constructor(
    private readonly ports: GatewayPorts,
    private readonly limits: GatewayLimits,
  ) {
    this.#parked = new ParkedCalls(limits.answerMs);
  }

  /** @throws ProtocolError -32602 for an unknown tool, -32603 without detail for a fault of ours */
  async call(view: CatalogueView, request: CallRequest, ctx: ServerContext): Promise<Result> {
    const answer = this.#answer(view, request, ctx);
    this.#answering.add(answer);
    try {
      return await answer;
    } finally {
      this.#answering.delete(answer);
    }
  }

  async #answer(view: CatalogueView, request: CallRequest, ctx: ServerContext): Promise<Result> {
    try {
      if (ctx.mcpReq.requestState() !== undefined) return await this.#resume(view, request, ctx);
      if (!request.stateless)
        return await this.#run(view, request, { ctx }, ctx.mcpReq.signal, sessionAsker(request, ctx));
      return await this.#begin(view, request, ctx);
    } catch (error) {
      if (error instanceof Error && error.name === "ProtocolError") throw error;
      const stack = error instanceof Error ? error.stack : String(error);
      this.ports.logger.error({ tool: request.name, stack }, "Gateway: a call failed unexpectedly");
      throw new ProtocolError(ProtocolErrorCode.InternalError, "The call could not be carried out");
    }
  }

  /** Ends what is running; it is recorded as interrupted. */
  stop(): void {
    for (const controller of this.#running) controller.abort(new ServerStopping());
    this.#parked.clear();
  }

  /** Resolves when every answer is on its way, at the latest after `limitMs`. Call `stop` before. */
  async ended(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.allSettled(this.#answering), limit]);
    clearTimeout(timer);
    this.#answering.clear();
    // The SDK sends an answer some promises after its handler has given it.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #run(
    view: CatalogueView,
    request: CallRequest,
    listener: Listener,
    callerSignal: AbortSignal | null,
    interact: InteractionHandler | undefined,
  ): Promise<ToolCallResult> {
    const controller = new AbortController();
    const { signal } = controller;
    const onAbort = (): void => controller.abort(abortReason(callerSignal?.reason));
    const notices = new CallNotices(listener);
    const wait = new ApprovalWait(notices, listener, this.limits);
    this.#running.add(controller);
    if (callerSignal?.aborted) onAbort();
    callerSignal?.addEventListener("abort", onAbort, { once: true });
    try {
      const definition = view.find(request.name) ?? (await this.#findLate(view, request, signal));
      const name = definition?.name ?? view.catalogueName(request.name);
      const envelope = await this.ports.executor.execute(name, request.args, {
        ...this.#options(request, notices, signal),
        ...wait.options,
        ...(interact === undefined ? {} : { interact }),
      });
      if (isUnknownTool(envelope)) throw notFound(request, envelope.error);
      // Its server may have connected since, and then it is a tool of this view that ran.
      return toCallResult(envelope, definition ?? view.find(request.name));
    } finally {
      wait.end();
      await notices.flush();
      this.#running.delete(controller);
      callerSignal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * A tool whose server is still connecting. Undefined for a name that nobody has: its call goes on, to be recorded.
   * @throws ProtocolError for a name of another part of the catalogue, which must not run even when its tool comes later
   */
  async #findLate(view: CatalogueView, request: CallRequest, signal: AbortSignal): Promise<ToolDefinition | undefined> {
    const name = view.catalogueName(request.name);
    if (view.isForeign(name)) throw notFound(request);
    if (this.ports.prepare !== undefined) {
      await this.ports.prepare(name, signal).catch((error: unknown) => {
        // A cancelled call is recorded as one.
        if (!signal.aborted) throw error;
      });
    }
    const definition = view.find(request.name);
    if (definition === undefined && this.ports.tools().some((tool) => tool.name === request.name || tool.name === name))
      throw notFound(request);
    return definition;
  }

  #options(request: CallRequest, notices: CallNotices, signal: AbortSignal) {
    const client = clientLabel(request.clientInfo);
    return {
      source: "gateway" as const,
      actor: this.ports.actor,
      executionId: this.ports.newId(),
      protocol: request.protocol,
      signal,
      onProgress: notices.progress,
      ...(request.logs ? { onLog: notices.log } : {}),
      ...(client === null ? {} : { client }),
    };
  }

  /** A stateless call is answered with questions as often as its tool has some; each answer goes on with the same run. */
  async #begin(view: CatalogueView, request: CallRequest, ctx: ServerContext): Promise<Result> {
    const listener: Listener = { ctx };
    const round = new Round(view, request.name, listener);
    return await this.#heard(listener, ctx, () =>
      this.#parked.start(
        round,
        (signal, ask) =>
          this.#run(view, request, listener, signal, (question, askSignal) =>
            capabilityFor(question, request.clientCapabilities) ? ask(question, askSignal) : Promise.resolve(null),
          ),
        ctx.mcpReq.signal,
      ),
    );
  }

  async #resume(view: CatalogueView, request: CallRequest, ctx: ServerContext): Promise<Result> {
    const round = this.#parked.take(String(ctx.mcpReq.requestState()), view, request.name);
    if (round === null) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "requestState belongs to no call that waits: it has ended, or its answers came too late. Call the tool again.",
      );
    }
    return await this.#heard(round.listener, ctx, () => {
      round.answer(ctx.mcpReq.inputResponses ?? {});
      return this.#parked.wait(round, ctx.mcpReq.signal);
    });
  }

  async #heard(listener: Listener, ctx: ServerContext, wait: () => Promise<Result>): Promise<Result> {
    listener.ctx = ctx;
    try {
      return await wait();
    } finally {
      listener.ctx = null;
    }
  }
}

function sessionAsker({ clientCapabilities }: CallRequest, ctx: ServerContext): InteractionHandler {
  return (question, signal) =>
    capabilityFor(question, clientCapabilities) ? askSession(ctx, question, signal) : Promise.resolve(null);
}

function isUnknownTool(envelope: ExecutionEnvelope): envelope is FailureEnvelope {
  return !envelope.success && envelope.error_kind === "not_found";
}

function notFound({ name }: CallRequest, error = `Tool '${name}' not found`): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error);
}
