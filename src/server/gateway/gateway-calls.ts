import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from "@modelcontextprotocol/server";
import type { ExecutionEnvelope, FailureEnvelope, LogLine, ToolCallResult } from "../../lib/contract";
import { ServerStopping } from "../engine/failures";
import type { InteractionHandler } from "../engine/ports";
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

const LEVELS = { debug: "debug", info: "info", warn: "warning", error: "error" } as const;

/** Every call that comes through the gateway: to the executor and back. */
export class GatewayCalls {
  readonly #running = new Set<AbortController>();
  readonly #parked: ParkedCalls;

  constructor(
    private readonly ports: GatewayPorts,
    limits: GatewayLimits,
  ) {
    this.#parked = new ParkedCalls(limits.answerMs);
  }

  /** @throws ProtocolError -32602 for an unknown tool, -32603 without detail for a fault of ours */
  async call(view: CatalogueView, request: CallRequest, ctx: ServerContext): Promise<Result> {
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

  async #run(
    view: CatalogueView,
    request: CallRequest,
    listener: Listener,
    callerSignal: AbortSignal | null,
    interact: InteractionHandler | undefined,
  ): Promise<ToolCallResult> {
    const definition = view.find(request.name);
    // A tool of another part of the catalogue must not run, so only a name that nobody has goes on to be recorded.
    if (definition === undefined && this.ports.tools().some(({ name }) => name === request.name))
      throw notFound(request);
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(callerSignal?.reason);
    this.#running.add(controller);
    callerSignal?.addEventListener("abort", onAbort, { once: true });
    try {
      const envelope = await this.ports.executor.execute(definition?.name ?? request.name, request.args, {
        ...this.#options(request, listener, controller.signal),
        ...(interact === undefined ? {} : { interact }),
      });
      if (isUnknownTool(envelope)) throw notFound(request, envelope.error);
      return toCallResult(envelope, definition);
    } finally {
      this.#running.delete(controller);
      callerSignal?.removeEventListener("abort", onAbort);
    }
  }

  #options(request: CallRequest, listener: Listener, signal: AbortSignal) {
    const client = clientLabel(request.clientInfo);
    return {
      source: "gateway" as const,
      actor: this.ports.actor,
      executionId: this.ports.newId(),
      protocol: request.protocol,
      signal,
      onProgress: progressTeller(listener),
      ...(request.logs ? { onLog: logTeller(listener) } : {}),
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

/** Progress for the request that asked for it. It only ever grows, as the protocol wants it. */
function progressTeller(listener: Listener) {
  let last = Number.NEGATIVE_INFINITY;
  return (progress: number, total: number | null, message: string | null): void => {
    const progressToken = listener.ctx?.mcpReq._meta?.progressToken;
    if (progressToken === undefined || !(progress > last)) return;
    last = progress;
    const params = {
      progressToken,
      progress,
      ...(total === null ? {} : { total }),
      ...(message === null ? {} : { message }),
    };
    listener.ctx?.mcpReq.notify({ method: "notifications/progress", params }).catch(ignore);
  };
}

function logTeller(listener: Listener) {
  return ({ level, message }: LogLine): void => {
    listener.ctx?.mcpReq.log(LEVELS[level], message).catch(ignore);
  };
}

function isUnknownTool(envelope: ExecutionEnvelope): envelope is FailureEnvelope {
  return !envelope.success && envelope.error_kind === "not_found";
}

function notFound({ name }: CallRequest, error = `Tool '${name}' not found`): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error);
}

/** The client went away: what was for it is for nobody. */
function ignore(): void {}
