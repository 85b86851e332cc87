import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../lib/free-port.test-support";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, type Surroundings, serveRest } from "./commands.test-support";

const PAGE = (title: string) =>
  `<html>\r\n<head><title>${title}</title></head><body><hr><center>nginx</center></body></html>`;
const TOOL = { type: "object", properties: { text: { type: "string" } } };

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-lost-"));
  const config = path.join(folder, "toolroom.json");
  const tool = (name: string) => ({
    name,
    description: name,
    type: "function",
    handler: name,
    parameters: TOOL,
    implementation: { type: "builtin", handler: name },
  });
  await writeFile(
    path.join(folder, "tools.mjs"),
    `export const builtins = {
      quick: async ({ text }) => text,
      slow: ({ text }) => new Promise((resolve) => setTimeout(() => resolve(text), 1500)),
    };`,
  );
  await writeFile(
    config,
    JSON.stringify({ handlers: ["./tools.mjs"], tools: { registry: [tool("quick"), tool("slow")] } }),
  );
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  server = await serveRest(container);
});
afterAll(async () => {
  await server.close();
  await container.close();
});

/** What a proxy does with its nth request; null: it passes the answer on. */
type Misdeed = (number: number, incoming: IncomingMessage) => Deed | null;
interface Deed {
  /** The request goes on to the server. */
  arrives: boolean;
  /** Null: the connection is cut. */
  answer: { status: number; body: string; headers?: Record<string, string> } | null;
}

/** A proxy before the server, which answers in its place. */
async function startProxy(misdeed: Misdeed, port = 0) {
  let count = 0;
  const proxy = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    count += 1;
    const deed = misdeed(count, incoming);
    const fail = (answer: Deed["answer"]): void => {
      if (answer === null) return void incoming.socket.destroy();
      outgoing.writeHead(answer.status, { "content-type": "text/html", server: "nginx/1.27.1", ...answer.headers });
      outgoing.end(answer.body);
    };
    if (deed !== null && !deed.arrives) return fail(deed.answer);
    const target = new URL(incoming.url ?? "/", server.url);
    const passed = request(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      if (deed !== null) return fail(deed.answer);
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  proxy.listen(port, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}

async function runThrough(misdeed: Misdeed, words: readonly string[], more: Surroundings = {}) {
  const proxy = await startProxy(misdeed);
  try {
    return { ...(await runWords(words, { ...more, env: { TOOLROOM_URL: proxy.url } })), url: proxy.url };
  } finally {
    await proxy.close();
  }
}

const isExecute = ({ url = "" }: IncomingMessage): boolean => url.endsWith("/execute") || url.endsWith("/replay");
const page = (status: number, title: string) => ({ status, body: PAGE(title) });

/** The calls that were recorded with a text. */
async function countCalls(text: string): Promise<number> {
  const { items } = await container.services.executions.list({ q: text }, undefined, 50);
  return items.length;
}

/** The first answer to the request that makes the call, and what follows. */
const LOSSES: Record<string, () => Misdeed> = {
  "a 504 of a proxy": () => (_, incoming) => (isExecute(incoming) ? { arrives: true, answer: page(504, "504") } : null),
  "a 502 before it arrives": () => {
    let isFirst = true;
    return (_, incoming) => {
      if (!isExecute(incoming) || !isFirst) return null;
      isFirst = false;
      return { arrives: false, answer: page(502, "502 Bad Gateway") };
    };
  },
  "a cut connection": () => (_, incoming) => (isExecute(incoming) ? { arrives: true, answer: null } : null),
  "a cut connection before it arrives": () => {
    let isFirst = true;
    return (_, incoming) => {
      if (!isExecute(incoming) || !isFirst) return null;
      isFirst = false;
      return { arrives: false, answer: null };
    };
  },
  "a proxy that is away for a while": () => {
    let away = 0;
    return (_, incoming) => {
      if (isExecute(incoming)) away = 3;
      else if (away > 0) away -= 1;
      else return null;
      return { arrives: isExecute(incoming), answer: page(503, "503 Service Temporarily Unavailable") };
    };
  },
  "an answer of Cloudflare": () => (_, incoming) =>
    isExecute(incoming) ? { arrives: true, answer: { status: 524, body: "error code: 524" } } : null,
};

describe("toolroom call behind a proxy", () => {
  it.each(Object.keys(LOSSES))("finds its call after %s, prints its result, and ran the tool once", async (name) => {
    for (const tool of ["quick", "slow"]) {
      const text = `${tool} ${name}`;
      const misdeed = LOSSES[name]?.() ?? (() => null);
      const ended = await runThrough(misdeed, ["call", tool, "--text", text]);
      expect(ended).toMatchObject({ code: 0, stdout: `${JSON.stringify(text)}\n` });
      expect(ended.stderr).toMatch(/^Call (exec_\w+)\n[\s\S]*Looking for \1…/);
      expect(await countCalls(text)).toBe(1);
    }
  });

  it("finds a replay, a call that nobody waits for, and a test run the same way", async () => {
    const first = await runThrough(() => null, ["call", "quick", "--text", "original", "--json"]);
    const { id } = JSON.parse(first.stdout) as { id: string };
    const lost = LOSSES["a 504 of a proxy"]?.() ?? (() => null);
    expect(await runThrough(lost, ["executions", "replay", id])).toMatchObject({ code: 0, stdout: '"original"\n' });
    expect(await countCalls("original")).toBe(2);
    const open = await runThrough(lost, ["call", "quick", "--no-wait", "--text", "not waited for"]);
    expect(open.code).toBe(0);
    expect(await countCalls("not waited for")).toBe(1);
    let lookups = 0;
    const replayed = await runThrough(
      (_, { url = "", method }) => {
        if (method !== "GET" || !url.includes("/suite-runs/")) return null;
        lookups += 1;
        return lookups > 2 ? null : { arrives: true, answer: page(504, "504") };
      },
      ["executions", "replay-all", "--tool", "slow"],
    );
    expect(replayed).toMatchObject({ code: 0 });
  });

  it("says the id before the call ends, and asks in requests shorter than a minute", async () => {
    const seen: string[] = [];
    const waits: unknown[] = [];
    const ended = await runThrough(
      (_, incoming) => {
        if (isExecute(incoming)) {
          seen.push("request");
          const pieces: Buffer[] = [];
          incoming.on("data", (piece: Buffer) => pieces.push(piece));
          incoming.on("end", () =>
            waits.push((JSON.parse(Buffer.concat(pieces).toString()) as { waitMs: number }).waitMs),
          );
        }
        return null;
      },
      ["call", "slow", "--text", "a"],
      { onStderr: (said) => void seen.push(said) },
    );
    expect(ended.code).toBe(0);
    expect(seen[0]).toMatch(/^Call exec_/);
    expect(waits.every((ms) => typeof ms === "number" && ms <= 20_000)).toBe(true);
  });

  it("does not ask again where the server refused, or nothing was sent", async () => {
    const refused = await runThrough(() => null, ["call", "nothing"]);
    expect(refused.code).toBe(3);
    const env = { TOOLROOM_URL: `http://127.0.0.1:${await freePort()}` };
    const away = await runWords(["call", "quick", "--text", "a"], { env });
    expect(away.code).toBe(5);
    expect(away.stderr).toContain("nothing listens there");
  });
});

describe("errors of what stands before Toolroom", () => {
  const answer =
    (status: number, body: string, headers = {}): Misdeed =>
    () => ({
      arrives: false,
      answer: { status, body, headers },
    });

  it.each([
    [413, 2, /^A proxy \(nginx\) answered 413: its limit is smaller than this request of \d+ B, not Toolroom at http/],
    [502, 5, /a proxy \(nginx\) answered 502: it gets no answer from what is behind it/],
    [504, 5, /a proxy \(nginx\) answered 504: the answer took longer than its time limit/],
    [403, 4, /^A proxy \(nginx\) answered 403 with a page of its own, not Toolroom at http/],
    [200, 5, /^What answers at http:\S+ is not Toolroom\./],
  ])("names the proxy that answered %i", async (status, code, message) => {
    const ended = await runThrough(answer(status, PAGE(String(status))), ["suites", "import", "-"], {
      stdin: '{"toolroomSuites":1,"suites":[]}',
    });
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toContain("<");
  });

  it("names the new address of a redirect, without its query", async () => {
    const moved = { location: "https://tools.example.com/api/v1/executions?secret=1" };
    const ended = await runThrough(answer(308, "", moved), ["executions", "list"]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain("https://tools.example.com/api/v1/executions (308)");
    expect(ended.stderr).toContain("Set TOOLROOM_URL to https://tools.example.com");
    expect(ended.stderr).not.toContain("secret");
    const login = await runThrough(answer(302, "", { location: "/login" }), ["executions", "list"]);
    expect(login.stderr).toMatch(/redirect to http:\S+\/login \(302\)[\s\S]*if a proxy asks for a sign-in/);
  });
});
