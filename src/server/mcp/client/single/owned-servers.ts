import type { IncomingMessage, ServerResponse } from "node:http";
import { keepExactText } from "../../../../lib/json/exact-text";
import { findMember } from "../../../../lib/json/json-text";
import { parseJson } from "../../../../lib/parse-in-slices";
import type { McpConnections, ServerContent } from "../../../engine/mcp-ports";
import type { PlainConnections } from "../personal/user-pool";
import type { LogKind } from "./instance-logs";
import { OwnedCalls } from "./owned-calls";
import type { SingleServer } from "./single-server";
import { type CallNews, type FollowedNews, type ServerRequest, toFailure } from "./wire";

/** A call's arguments come from a request that was bounded already. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Keeps a link that has nothing to say from being taken for a dead one. */
const BEAT_MS = 15_000;

interface Follower {
  server: string;
  from: string;
  response: ServerResponse;
  /** The resources that the instance's clients subscribe to. */
  uris: Set<string>;
}

/** Serves other instances the servers whose processes this instance runs. */
export class OwnedServers {
  readonly #calls = new OwnedCalls();
  readonly #followers = new Set<Follower>();
  /** The last list of tools of each server, for an instance that begins to follow it. */
  readonly #tools = new Map<string, readonly unknown[]>();

  /** @param find finds a server with a shared process by its name */
  constructor(
    private readonly inner: PlainConnections,
    private readonly find: (server: string) => SingleServer | undefined,
    private readonly logs: Pick<McpConnections, LogKind>,
    private readonly hasSignedBody: (request: IncomingMessage, body: string) => boolean,
  ) {}

  /** Tells the other instances what happens at a server that this instance runs. */
  tell(server: string, news: FollowedNews): void {
    if (this.find(server) === undefined) return void this.#tools.delete(server);
    if (news.tools !== undefined) this.#tools.set(server, news.tools);
    const capabilities = news.state === undefined ? {} : { capabilities: this.inner.capabilities(server) };
    for (const follower of this.#followers)
      if (follower.server === server) write(follower, { ...news, ...capabilities });
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (!this.hasSignedBody(request, body)) return void response.writeHead(403).end();
    const sent = await readRequest(body);
    if (sent.op === "log" || sent.op === "messages") {
      return await answer(response, async () => this.logs[sent.op](sent.server, sent.person));
    }
    const server = this.find(sent.server);
    // It is another instance's by now.
    if (server === undefined || !server.isOwner) return void response.writeHead(409).end();
    const { inner } = this;
    const content = <T>(work: (content: ServerContent) => Promise<T>): Promise<T> => inner.content(sent.server, work);
    switch (sent.op) {
      case "follow":
        return this.#follow({ server: sent.server, from: sent.from, response, uris: new Set() }, server);
      case "call":
        return await this.#calls.run(sent.id, sent.context, response, (context) =>
          inner.call(sent.server, sent.tool, sent.args, context),
        );
      case "request":
        return await this.#calls.run(sent.id, sent.context, response, (context) =>
          content((each) => each.request(sent.method, sent.params, context)),
        );
      case "answer":
        return await answer(response, async () => this.#calls.answer(sent.id, sent.question, sent.answer, sent.error));
      case "ask":
        return await answer(response, (signal) => content((each) => each.ask(sent.method, sent.params, signal)));
      case "notify":
        return await answer(response, () => content((each) => each.notify(sent.method, sent.params)));
      case "list":
        return await answer(response, (signal) => content((each) => each.list(sent.list, signal)));
      case "subscribe":
      case "unsubscribe":
        return await answer(response, () => this.#subscribe(sent.server, sent.from, sent.uri, sent.op));
      case "log_level":
        return await answer(response, () => server.setLevel(sent.from, sent.level));
      case "reconnect":
        return await answer(response, () => inner.reconnect(sent.server));
    }
  }

  #follow(follower: Follower, single: SingleServer): void {
    const { server, response, from } = follower;
    const { inner } = this;
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    this.#followers.add(follower);
    const beat = setInterval(() => response.write("\n"), BEAT_MS).unref();
    const ended = setInterval(() => single.isOwner || response.end(), 250).unref();
    response.once("close", () => {
      clearInterval(beat);
      clearInterval(ended);
      this.#followers.delete(follower);
      for (const uri of follower.uris)
        void inner.content(server, (each) => each.unsubscribe(uri)).catch(() => undefined);
      if (single.isOwner) void single.setLevel(from, null).catch(() => undefined);
    });
    const tools = this.#tools.get(server);
    write(follower, {
      ...(tools === undefined ? {} : { tools }),
      state: single.state,
      capabilities: inner.capabilities(server),
      content: { type: "opened" },
    });
  }

  async #subscribe(server: string, from: string, uri: string, op: "subscribe" | "unsubscribe"): Promise<void> {
    const follower = [...this.#followers].find((each) => each.server === server && each.from === from);
    // Its subscriptions end with it.
    if (follower === undefined || follower.uris.has(uri) === (op === "subscribe")) return;
    if (op === "subscribe") follower.uris.add(uri);
    else follower.uris.delete(uri);
    await this.inner.content(server, (each) => each[op](uri));
  }
}

function write({ response }: Follower, news: FollowedNews): void {
  if (!response.destroyed) response.write(`${JSON.stringify(news)}\n`);
}

/** A request with one answer; its work ends when the other instance leaves. */
async function answer(response: ServerResponse, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort(new DOMException("The caller's copy left", "AbortError")));
  const news: CallNews = await work(left.signal).then(
    (result) => ({ result: result ?? null }),
    (error: unknown) => ({ failure: toFailure(error) }),
  );
  if (!response.destroyed)
    response.writeHead(200, { "content-type": "application/x-ndjson" }).end(`${JSON.stringify(news)}\n`);
}

async function readRequest(text: string): Promise<ServerRequest> {
  const request = (await parseJson(text)) as ServerRequest;
  const span = request.op === "call" ? findMember(text, 0, "args") : null;
  if (request.op === "call" && span !== null) keepExactText(request.args, text.slice(span.start, span.end));
  return request;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > MAX_BODY_BYTES) throw new Error("The request of another copy is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
