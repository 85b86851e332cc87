import { once } from "node:events";
import { createServer, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { TranscriptQuery } from "../../lib/contract";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract";
import type { TranscriptSegmentInput } from "../../lib/contract/transcript";
import { createHostPolicy } from "../../lib/http-guard";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createTranscriptSocket, type TranscriptSocketPorts } from "./transcript-socket";

const SLOW_DATABASE_MS = 5;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const QUERY = { id: "query_1", text: "what?", answer: "That." } as TranscriptQuery;

async function serve(ports: Partial<TranscriptSocketPorts> = {}) {
  const appended: TranscriptSegmentInput[][] = [];
  const push: ((answer: { id: string; query: TranscriptQuery }) => void)[] = [];
  const listened: (string | null)[] = [];
  const socket = createTranscriptSocket({
    authenticate: async () => LOCAL_PRINCIPAL,
    recheck: async () => LOCAL_PRINCIPAL,
    async append(_principal, _id, segments) {
      appended.push([...segments]);
      return { seq: appended.length };
    },
    async *answers(_id, lastId, signal) {
      listened.push(lastId);
      while (!signal.aborted) {
        const next = new Promise<{ id: string; query: TranscriptQuery }>((resolve) => push.push(resolve));
        const aborted = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
        const answer = await Promise.race([next, aborted]);
        if (answer !== null) yield answer;
      }
    },
    exists: async (id) => id === "transcript_1",
    describe: (error) => ((error as Error).name === "AppError" ? (error as Error).message : null),
    hostPolicy: createHostPolicy("127.0.0.1", undefined),
    logger: { error: () => undefined },
    ...ports,
  });
  const server: Server = createServer((_request, response) => response.end());
  const sockets: Duplex[] = [];
  server.on("upgrade", (request, duplex, head) => {
    sockets.push(duplex);
    if (!socket.handleUpgrade(request, duplex, head)) duplex.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    await socket.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/transcripts/transcript_1`;
  return { socket, url, appended, push, listened, sockets };
}

async function connect(url: string, headers: Record<string, string> = {}) {
  const client = new WebSocket(url, { headers });
  const messages: Record<string, unknown>[] = [];
  client.on("message", (data) => messages.push(JSON.parse(String(data))));
  client.on("error", () => undefined);
  const closed = new Promise<number>((resolve) => client.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    client.once("open", () => resolve());
    client.once("unexpected-response", (_request, response) => reject(new Error(`status ${response.statusCode}`)));
    client.once("error", reject);
  });
  closing.push(async () => client.terminate());
  return { client, messages, closed };
}

describe("a transcript's WebSocket", () => {
  it("AGT-13 takes segments one by one, several at once, and plain text", async () => {
    const { url, appended } = await serve();
    const { client, messages } = await connect(url);
    client.send('{"text":"hey","speaker":"Ana","atMs":5}');
    client.send('[{"text":"tool"},{"text":"room"}]');
    client.send("what is 2 + 2?");
    client.send("[laughter] yes");
    await waitUntil(() => expect(messages).toHaveLength(4));
    expect(appended).toEqual([
      [{ text: "hey", speaker: "Ana", atMs: 5 }],
      [{ text: "tool" }, { text: "room" }],
      [{ text: "what is 2 + 2?" }],
      [{ text: "[laughter] yes" }],
    ]);
    expect(messages.at(-1)).toEqual({ type: "accepted", seq: 4 });
  });

  it("AGT-13 opens for whoever may run tools, and appends in that person's name", async () => {
    let principal: Principal | null = null;
    const actors: unknown[] = [];
    const denials: object[] = [];
    const { url } = await serve({
      authenticate: async () => principal,
      onDenied: async (denial) => void denials.push(denial),
      async append(actor) {
        actors.push(actor);
        return { seq: 1 };
      },
    });
    await expect(connect(url)).rejects.toThrow("status 401");
    principal = { ...LOCAL_PRINCIPAL, role: "viewer" };
    await expect(connect(url)).rejects.toThrow("status 403");
    expect(denials).toEqual([expect.objectContaining({ by: principal, action: "transcripts.append" })]);
    principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada", role: "operator" };
    const { client, messages } = await connect(url);
    client.send("hello");
    await waitUntil(() => expect(messages).toHaveLength(1));
    expect(actors).toEqual([{ id: "ada", name: "Ada" }]);
  });

  it("is closed to a token that is limited to tools, and closes for a client that was signed out", async () => {
    const limited = { id: "t", scopes: ["run" as const], tools: ["echo"], servers: null };
    let principal: Principal | null = { ...LOCAL_PRINCIPAL, token: limited };
    const who = async () => principal;
    const { url } = await serve({ authenticate: who, recheck: who, limits: { checkMs: 20 } });
    await expect(connect(url)).rejects.toThrow("status 403");
    principal = LOCAL_PRINCIPAL;
    const { closed } = await connect(url);
    principal = null;
    expect(await closed).toBe(1008);
  });

  it("AGT-13 pushes answers to everyone who is connected, from where each one was", async () => {
    const { url, push, listened } = await serve();
    const one = await connect(`${url}?after=7`);
    const two = await connect(url);
    await waitUntil(() => expect(push).toHaveLength(2));
    for (const tell of push.splice(0)) tell({ id: "8", query: QUERY });
    await waitUntil(() => expect([...one.messages, ...two.messages]).toHaveLength(2));
    expect(one.messages).toEqual([{ type: "answer", id: "8", query: QUERY }]);
    expect(listened).toEqual(["7", null]);
  });

  it.each([
    ['{"text":', "looks like JSON"],
    ['{"speaker":"Ana"}', "text:"],
    ['[{"text":"a"},{"text":"b","atMs":-1}]', "segment 2: atMs:"],
  ])("AGT-13 answers %j with what is wrong, and stays open", async (bad, message) => {
    const { url, appended } = await serve();
    const { client, messages } = await connect(url);
    client.send(bad);
    client.send("fine");
    await waitUntil(() => expect(messages).toHaveLength(2));
    expect(messages[0]).toMatchObject({ type: "error", message: expect.stringContaining(message) });
    expect(appended).toEqual([[{ text: "fine" }]]);
  });

  it("AGT-13 says that there is no audio, and passes on a refusal, but nothing of the inside", async () => {
    const errors = [Object.assign(new Error("It is closed"), { name: "AppError" }), new Error("SELECT secret")];
    const { url } = await serve({ append: () => Promise.reject(errors.shift()) });
    const { client, messages } = await connect(url);
    client.send(Buffer.from([1, 2, 3]));
    client.send("a");
    client.send("b");
    await waitUntil(() => expect(messages).toHaveLength(3));
    expect(messages.map(({ message }) => message)).toEqual([
      expect.stringContaining("Binary messages are not supported"),
      "It is closed",
      "Something went wrong in the server; its log says what",
    ]);
  });

  it("AGT-13 refuses foreign pages, foreign names and unknown transcripts before it is open", async () => {
    const { url, socket } = await serve();
    await expect(connect(url, { origin: "https://evil.example" })).rejects.toThrow("status 403");
    await expect(connect(url, { host: "rebound.example" })).rejects.toThrow("status 421");
    await expect(connect(url.replace("_1", "_2"))).rejects.toThrow("status 404");
    await expect(connect(url.replace("/transcripts/", "/other/"))).rejects.toThrow();
    expect(socket.connectionCount).toBe(0);
    await connect(url, { origin: url.replace("ws:", "http:").replace(/\/transcripts.*/, "") });
  });

  it("AGT-13 outlives clients that reset their connection, before and after they are refused or taken", async () => {
    const { url, sockets } = await serve({
      exists: async (id) => {
        await new Promise((resolve) => setTimeout(resolve, SLOW_DATABASE_MS));
        return id === "transcript_1";
      },
    });
    const { port } = new URL(url);
    for (const [path, moment] of [
      ["_1", "before the answer"],
      ["_1", "after the answer"],
      ["_2", "before the answer"],
      ["_2", "after the answer"],
    ] as const) {
      const client = net.connect(Number(port), "127.0.0.1");
      client.on("error", () => undefined);
      const answered = once(client, "data");
      answered.catch(() => undefined);
      const known = sockets.length;
      const key = "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
      client.write(
        `GET /transcripts/transcript${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${key}\r\n\r\n`,
      );
      await waitUntil(() => expect(sockets.length).toBe(known + 1));
      if (moment === "after the answer") await answered;
      client.resetAndDestroy();
      await waitUntil(() => expect(sockets.at(-1)?.destroyed).toBe(true));
      // A reset may be told of at any time, after the answer too.
      expect(() => sockets.at(-1)?.emit("error", new Error("read ECONNRESET"))).not.toThrow();
    }
  });

  it("AGT-13 closes a refused connection itself, whatever its client does", async () => {
    const { url, sockets } = await serve();
    const client = net.connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
    client.write(
      "GET /transcripts/transcript_2 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n",
    );
    await waitUntil(() => expect(sockets[0]?.destroyed).toBe(true));
    client.destroy();
  });

  it("AGT-13 ends a connection whose message is too large, and takes no more than it can hold", async () => {
    const { url } = await serve({ limits: { messageBytes: 1000, connections: 1 } });
    const { client, closed } = await connect(url);
    await expect(connect(url)).rejects.toThrow("status 503");
    client.send("x".repeat(2000));
    expect(await closed).toBe(1009);
  });

  it("AGT-13 keeps the order and loses nothing when the database is slower than the sender", async () => {
    const appended: string[] = [];
    const { url } = await serve({
      limits: { waitingMessages: 2 },
      async append(_principal, _id, segments) {
        await new Promise((resolve) => setTimeout(resolve, SLOW_DATABASE_MS));
        appended.push(...segments.map(({ text }) => text));
        return { seq: appended.length };
      },
    });
    const { client } = await connect(url);
    const sent = Array.from({ length: 60 }, (_, n) => `line ${n}`);
    for (const line of sent) client.send(line);
    await waitUntil(() => expect(appended).toEqual(sent));
  });

  it("AGT-13 lets a connection go that answers no ping", async () => {
    const { url, socket } = await serve({ limits: { pingMs: 30 } });
    const silent = new WebSocket(url, { autoPong: false });
    silent.on("error", () => undefined);
    await new Promise((resolve) => silent.once("open", resolve));
    const kept = await connect(url);
    await waitUntil(() => expect(socket.connectionCount).toBe(1));
    expect(kept.client.readyState).toBe(WebSocket.OPEN);
  });

  it("AGT-13 says goodbye when the server stops", async () => {
    const { url, socket } = await serve();
    const { closed } = await connect(url);
    await socket.close();
    expect(await closed).toBe(1001);
  });
});
