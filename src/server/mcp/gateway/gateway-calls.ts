import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { Principal } from "../../../lib/contract/access";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import { ServerStopping } from "../../engine/failures";
import type { InteractionHandler } from "../../engine/ports";
import { withinMs } from "../../platform/shared/within-ms";
import type { CallContext } from "../fast-path/call-context";
import { APPROVAL_FORM, askApproval } from "./ask-approval";
import { awaitFirstLists } from "./await-first-lists";
import { type CallRequest, clientLabel, notFound, protocolErrorFor, toCallResult, withReadNote } from "./call-message";
import { ApprovalWait, abortReason, CallNotices } from "./call-notices";
import { playAtCassette } from "./cassette/cassette-calls";
import type { CatalogView } from "./catalog/catalog-view";
import type { GatewayCall } from "./catalog/toolset-entries";
import { askSession, capabilityFor } from "./client-interaction";
import { mapCallResult } from "./content/content-scope";
import { createIds } from "./create-id";
import type { GatewayLimits, GatewayPorts } from "./gateway-ports";
import { type Listener, PendingInput, PendingInputCalls } from "./pending-input";
import { GatewayTasks } from "./tasks/gateway-tasks";
import { planTask } from "./tasks/plan-task";

const UNNAMED_CLIENT = "an MCP client";

/** A call that may have to ask the user of its client for approval. */
interface AskingCall {
  /** The caller with the rights of the request that makes the call. */
  caller: Principal;
  request: CallRequest;
  interact: InteractionHandler | undefined;
  executionId: string;
}

/** Executes the calls of the gateway's clients. */
export class GatewayCalls {
  readonly #running = new Set<AbortController>();
  readonly #answering = new Set<Promise<Result>>();
  readonly #pendingCalls: PendingInputCalls;
  /** The tasks; null where clients receive none. */
  readonly tasks: GatewayTasks | null;

  constructor(
    private readonly ports: GatewayPorts,
    private readonly limits: GatewayLimits,
  ) {
    const createId = createIds(ports.forwarding?.copies.self.id ?? null);
    this.#pendingCalls = new PendingInputCalls(limits.answerMs, createId);
    const { tasks } = ports;
    this.tasks = tasks === undefined ? null : new GatewayTasks({ ...ports, tasks }, limits, createId);
  }

  /** @throws ProtocolError the error of the tool's MCP server, -32602 for an unknown tool, -32603 without detail for a fault of ours */
  async call(view: CatalogView, request: CallRequest, ctx: CallContext): Promise<Result> {
    const answer = this.#answer(view, request, ctx);
    this.#answering.add(answer);
    try {
      return await answer;
    } finally {
      this.#answering.delete(answer);
    }
  }

  async #answer(view: CatalogView, request: CallRequest, ctx: CallContext): Promise<Result> {
    try {
      if (ctx.mcpReq.requestState() !== undefined) return await this.#resume(view, request, ctx);
      if (!request.stateless && request.task === undefined)
        return await this.#run(view, request, { ctx }, ctx.mcpReq.signal, createSessionHandler(request, ctx));
      return await this.#start(view, request, ctx);
    } catch (error) {
      if (error instanceof Error && error.name === "ProtocolError") throw error;
      const stack = error instanceof Error ? error.stack : String(error);
      this.ports.logger.error({ tool: request.name, stack }, "Gateway: a call failed unexpectedly");
      throw new ProtocolError(ProtocolErrorCode.InternalError, "The call could not be carried out");
    }
  }

  /** Ends the running calls, which are recorded as interrupted. */
  stop(): void {
    for (const controller of this.#running) controller.abort(new ServerStopping());
    this.#pendingCalls.clear();
  }

  /** Resolves when every answer is sent, at the latest after `limitMs`. Call `stop` before. */
  async ended(limitMs: number): Promise<void> {
    await withinMs(Promise.allSettled(this.#answering), limitMs);
    this.#answering.clear();
    // The SDK sends an answer some promises after its handler has returned it.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #run(
    view: CatalogView,
    request: CallRequest,
    listener: Listener,
    callerSignal: AbortSignal | null,
    interact: InteractionHandler | undefined,
    settings: Partial<ExecuteOptions> = {},
  ): Promise<ToolCallResult> {
    const controller = listener.ctx?.controller ?? new AbortController();
    const { signal } = controller;
    const isChained = callerSignal !== null && callerSignal !== signal;
    const onAbort = (): void => controller.abort(abortReason(callerSignal?.reason));
    const notices = new CallNotices(listener);
    const wait = new ApprovalWait(notices, listener, this.limits);
    this.#running.add(controller);
    if (isChained && callerSignal.aborted) onAbort();
    if (isChained) callerSignal.addEventListener("abort", onAbort, { once: true });
    try {
      const interaction = interact === undefined ? {} : { interact };
      if (request.perform !== undefined) {
        const options = { ...this.#options(view, request, notices, controller), ...settings };
        const asking = { caller: view.principal, request, interact, executionId: options.executionId };
        wait.ask = (ended, gone) => this.#askForApproval(asking, ended, gone);
        const isCallerGone = (): boolean => listener.ctx?.isCallerGone?.() === true;
        return (await request.perform({
          ...options,
          ...wait.options,
          ...interaction,
          isCallerGone,
        })) as ToolCallResult;
      }
      const atCassette = view.query.cassette !== undefined;
      const played = atCassette
        ? await playAtCassette(this.ports, view, request, {
            notices,
            interact,
            signal,
            options: () => this.#options(view, request, notices, controller),
          })
        : null;
      if (played !== null) return played as ToolCallResult;
      const call = view.resolve(request.name, request.args) ?? (await this.#findLate(view, request, signal));
      const name = call?.name ?? view.catalogName(request.name);
      const options = { ...this.#options(view, request, notices, controller), ...settings };
      const { sessionId, clientInfo, protocol } = request;
      const asking = { caller: view.principal, request, interact, executionId: options.executionId };
      wait.ask = (ended, gone) => this.#askForApproval(asking, ended, gone);
      this.ports.clients?.called({ sessionId, clientInfo, protocol, view }, { id: options.executionId, tool: name });
      const executed = await this.ports.executor.execute(name, call?.args ?? request.args, {
        ...options,
        isCallerGone: () => listener.ctx?.isCallerGone?.() === true,
        ...call?.options,
        ...wait.options,
        ...interaction,
        ...settings,
      });
      listener.endedAs = executed.status;
      const envelope = call?.conclude?.(executed) ?? executed;
      const refusal = envelope.success ? null : protocolErrorFor(envelope, request, name);
      if (refusal !== null) throw refusal;
      // Its server may have connected since.
      const tool = call?.definition ?? view.find(request.name);
      const answer = toCallResult(envelope, tool, call?.calledAs ?? request.name);
      const result = view.readsResults ? withReadNote(answer, envelope) : answer;
      return tool?.implementation.type === "mcp" ? mapCallResult(this.ports, view, tool, result) : result;
    } finally {
      wait.end();
      await notices.flush();
      this.#running.delete(controller);
      if (isChained) callerSignal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Finds a tool whose server is still connecting. Null for an unknown name, whose call is executed to be recorded.
   * @throws ProtocolError for a name outside this view, which must not run even when its tool comes later
   */
  async #findLate(view: CatalogView, request: CallRequest, signal: AbortSignal): Promise<GatewayCall | null> {
    const name = view.catalogName(request.name);
    if (view.isForeign(name)) throw notFound(request);
    if (this.ports.prepare !== undefined) {
      await this.ports.prepare(name, signal).catch((error: unknown) => {
        // Records a cancelled call as cancelled.
        if (!signal.aborted) throw error;
      });
    }
    // A plain name does not show which server to wait for.
    if (view.query.plainNames && view.query.server === null) await awaitFirstLists(this.ports, view);
    const call = view.resolve(request.name, request.args);
    if (call === null && this.ports.tools().some((tool) => tool.name === request.name || tool.name === name))
      throw notFound(request);
    return call;
  }

  /** Undefined where the client cannot be asked. */
  #askForApproval(
    { caller, request, interact, executionId }: AskingCall,
    ended: AbortSignal,
    gone: AbortSignal,
  ): Promise<void> | undefined {
    const { approvals, logger } = this.ports;
    const { clientInfo, clientCapabilities } = request;
    if (approvals === undefined || interact === undefined) return undefined;
    if (!capabilityFor({ kind: "form", message: "", schema: APPROVAL_FORM }, clientCapabilities)) return undefined;
    const client = clientLabel(clientInfo) ?? UNNAMED_CLIENT;
    return askApproval({ approvals, logger, interact, caller, executionId, client }, ended, gone);
  }

  #options(view: CatalogView, request: CallRequest, notices: CallNotices, controller: AbortController) {
    const client = clientLabel(request.clientInfo);
    const { toolset } = view.query;
    return {
      source: "gateway" as const,
      actor: { id: view.principal.id, name: view.principal.name },
      tokenId: view.principal.token?.id,
      executionId: this.ports.newId(),
      protocol: request.protocol,
      signal: controller.signal,
      controller,
      onProgress: notices.progress,
      ...(toolset === undefined ? {} : { toolset }),
      ...(request.logs ? { onLog: notices.log } : {}),
      ...(client === null ? {} : { client }),
      ...(request.meta === undefined ? {} : { meta: request.meta }),
      ...(request.whole ? { whole: true } : {}),
    };
  }

  /** Answers a stateless call with its tool's requests for input as often as there are some. */
  async #start(view: CatalogView, request: CallRequest, ctx: CallContext): Promise<Result> {
    const listener: Listener = { ctx };
    const plan = planTask(this, this.limits, view, request, ctx);
    if (request.task !== undefined) await plan?.admit();
    const executionId = this.ports.newId();
    const pending = new PendingInput(view, request.name, listener, executionId, plan && this.limits.answerMs);
    const settings = { executionId, ...plan?.settings };
    return await this.#withListener(listener, ctx, () =>
      this.#pendingCalls.start(
        pending,
        (signal, ask) => {
          const interact: InteractionHandler = (question, askSignal, name) =>
            capabilityFor(question, request.clientCapabilities)
              ? ask(question, askSignal, name)
              : Promise.resolve(null);
          return this.#run(view, request, listener, signal, interact, settings);
        },
        ctx.mcpReq.signal,
        plan,
      ),
    );
  }

  async #resume(view: CatalogView, request: CallRequest, ctx: CallContext): Promise<Result> {
    const pending = this.#pendingCalls.take(String(ctx.mcpReq.requestState()), view, request.name);
    if (pending === null) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "requestState matches no pending call: it has ended, or the input came too late. Call the tool again.",
      );
    }
    return await this.#withListener(pending.listener, ctx, () => {
      pending.answer(ctx.mcpReq.inputResponses ?? {});
      const plan = planTask(this, this.limits, view, request, ctx);
      return this.#pendingCalls.wait(pending, ctx.mcpReq.signal, plan);
    });
  }

  async #withListener(listener: Listener, ctx: CallContext, wait: () => Promise<Result>): Promise<Result> {
    listener.ctx = ctx;
    try {
      return await wait();
    } finally {
      // A task may have replaced its listener in between.
      if (listener.ctx === ctx) listener.ctx = null;
    }
  }
}

/** Asks the client of a session; null where it cannot answer. */
export function createSessionHandler(
  { clientCapabilities, sessionId }: Pick<CallRequest, "clientCapabilities" | "sessionId">,
  ctx: CallContext,
): InteractionHandler {
  const handler: InteractionHandler = (question, signal) =>
    capabilityFor(question, clientCapabilities) ? askSession(ctx, question, signal) : Promise.resolve(null);
  if (sessionId !== null) handler.client = sessionId;
  return handler;
}
