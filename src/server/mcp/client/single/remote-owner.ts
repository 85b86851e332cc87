import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { getKeptText, keepText } from "../../../../lib/json/known-text";
import { parseJson } from "../../../../lib/parse-in-slices";
import { ToolFailure } from "../../../engine/failures";
import type { ToolContext } from "../../../engine/ports";
import type { Forwarding } from "../../../platform/coordination/forwarding";
import type { Instance } from "../../../platform/coordination/instances";
import { readLines } from "./read-lines";
import {
  type CallNews,
  type FollowedNews,
  fromFailure,
  SERVERS_PATH,
  type SentContext,
  type ServerRequest,
} from "./wire";

const RESULT = '{"result":';

/** The instance that runs a server's process, as another instance talks to it. */
export class RemoteOwner {
  /** @param lost aborts when the owner is lost or the link to it has ended */
  constructor(
    private readonly forwarding: Forwarding,
    readonly server: string,
    readonly copy: Instance,
    private readonly lost: AbortSignal,
  ) {}

  /** Calls `onNews` until the owner ends, or ends the server. */
  async follow(onNews: (news: FollowedNews) => void): Promise<void> {
    const { forwarding, server } = this;
    const answer = await this.#open({ op: "follow", server, from: forwarding.copies.self.id }, this.lost);
    for await (const line of readLines(answer)) if (line !== "") onNews(JSON.parse(line) as FollowedNews);
  }

  /** A request with one answer. */
  async send<T = unknown>(request: ServerRequest, signal?: AbortSignal): Promise<T> {
    for await (const line of this.#news(request, signal)) {
      const news = JSON.parse(line) as CallNews;
      if (news.failure !== undefined) throw fromFailure(news.failure);
      if ("result" in news) return news.result as T;
    }
    throw this.#lost();
  }

  /** A call with all of its events until it has ended. @throws ToolFailure */
  async run<T>(
    request:
      | Pick<Extract<ServerRequest, { op: "call" }>, "op" | "tool" | "args">
      | Pick<Extract<ServerRequest, { op: "request" }>, "op" | "method" | "params">,
    context: ToolContext,
  ): Promise<T> {
    const { server } = this;
    const id = randomUUID();
    const call = new FollowedCall(context, (question, answer) =>
      this.send({ op: "answer", server, id, question, ...answer }).then(
        () => undefined,
        // The call or its owner has ended.
        () => undefined,
      ),
    );
    try {
      const whole = { ...request, server, id, context: toSentContext(context) } as ServerRequest;
      for await (const line of this.#news(whole, context.signal)) {
        // Its text is kept: the log of calls and clients get it as the server wrote it.
        if (line.startsWith(RESULT)) return (await parseResult(line)) as T;
        const news = JSON.parse(line) as CallNews;
        if (news.failure !== undefined) throw fromFailure(news.failure);
        call.hear(news);
      }
      throw this.#lost();
    } finally {
      call.end();
    }
  }

  async *#news(request: ServerRequest, signal?: AbortSignal): AsyncGenerator<string> {
    const both = signal === undefined ? this.lost : AbortSignal.any([this.lost, signal]);
    try {
      for await (const line of readLines(await this.#open(request, both))) if (line !== "") yield line;
    } catch (error) {
      if (signal?.aborted) throw new ToolFailure("cancelled", `The call of a tool of '${this.server}' was cancelled`);
      throw ["ToolFailure", "NotTaken"].includes((error as Error).name) ? error : this.#lost();
    }
  }

  async #open(request: ServerRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const sending = this.forwarding.open(this.copy, SERVERS_PATH, toRequestText(request), signal);
    const answer = await sending.catch((error: Error) => {
      throw error.name === "NotSent" ? new NotTaken(this.copy.name) : error;
    });
    if (answer.statusCode === 200) return answer;
    answer.resume();
    throw new NotTaken(this.copy.name);
  }

  #lost(): ToolFailure {
    const { server, copy } = this;
    const reason = `it ran at the copy ${copy.name}, which has ended or cannot be reached: the result is unknown`;
    return new ToolFailure("unavailable", `Server '${server}' is unavailable: ${reason}`);
  }
}

/** The instance has not begun with a request: it may be sent to another one. */
class NotTaken extends Error {
  override readonly name = "NotTaken";
}

/** Arguments are written digit for digit. */
function toRequestText(request: ServerRequest): string {
  const text = request.op === "call" ? getKeptText(request.args) : undefined;
  if (text === undefined) return JSON.stringify(request);
  const rest = JSON.stringify({ ...request, args: undefined });
  return `${rest.slice(0, -1)},"args":${text}}`;
}

async function parseResult(line: string): Promise<unknown> {
  const { result } = (await parseJson(line)) as { result: unknown };
  const text = line.slice(RESULT.length, -1);
  if (typeof result === "object" && result !== null && !/\\[u/]/.test(text)) keepText(result, text);
  return result;
}

function toSentContext(context: ToolContext): SentContext {
  const { executionId, toolName, actor, asTask, source, callerMeta, maskedValues, interact } = context;
  const masked = maskedValues?.matcher ? [...maskedValues.matcher.replacements] : null;
  return {
    executionId,
    toolName,
    actor,
    asTask,
    source,
    callerMeta,
    masked,
    ...(interact === undefined ? {} : { interact: interact.client ?? (true as const) }),
  };
}

type SendAnswer = (question: number, answer: { answer: never; error?: string }) => Promise<void>;

/** Does at the caller's instance what the owner of the process says. */
class FollowedCall {
  readonly #questions = new Map<number, AbortController>();
  readonly #holds = new Map<number, () => void>();

  constructor(
    private readonly context: ToolContext,
    private readonly sendAnswer: SendAnswer,
  ) {}

  hear(news: CallNews): void {
    const { context } = this;
    const { progress, logged, relayed, held, released, hint, task, question, withdrawn } = news;
    if (progress !== undefined) context.progress(...progress);
    if (logged !== undefined) context.logger[logged[0]](logged[1], logged[2]);
    if (relayed !== undefined) context.relayLog(...relayed);
    if (held !== undefined) this.#holds.set(held, context.hold());
    if (released !== undefined) this.#release(released);
    if (hint !== undefined) context.setTimeoutHint(hint);
    if (task !== undefined) context.markTask(task);
    if (question !== undefined) void this.#answer(question);
    if (withdrawn !== undefined) this.#questions.get(withdrawn)?.abort("withdrawn");
  }

  end(): void {
    for (const question of this.#questions.values()) question.abort("the call ended");
    for (const held of [...this.#holds.keys()]) this.#release(held);
  }

  #release(held: number): void {
    this.#holds.get(held)?.();
    this.#holds.delete(held);
  }

  async #answer({ number, request, name }: NonNullable<CallNews["question"]>): Promise<void> {
    const asked = new AbortController();
    this.#questions.set(number, asked);
    const answer = await Promise.resolve(this.context.interact?.(request, asked.signal, name) ?? null).then(
      (given) => ({ answer: given as never }),
      (error: unknown) => ({ answer: null as never, error: String((error as Error)?.message ?? error) }),
    );
    this.#questions.delete(number);
    if (!asked.signal.aborted) await this.sendAnswer(number, answer);
  }
}
