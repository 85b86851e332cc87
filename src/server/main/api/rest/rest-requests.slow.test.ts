import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../../lib/contract/access";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { type Asked, createRestClient } from "./rest.test-support";

const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const ECHO = {
  name: "echo",
  description: "Returns its arguments",
  type: "function",
  handler: "echo",
  parameters,
  implementation: { type: "builtin", handler: "echo" },
};
const SLOW = { ...ECHO, name: "slow", implementation: { type: "builtin", handler: "wait" } };
const HANDLERS = `let calls = 0;
export const builtins = {
  wait: () => new Promise((resolve) => { calls += 1; setTimeout(() => resolve({ calls }), 300); }),
};`;
const limited = { id: "t1", scopes: ["run" as const], tools: ["echo"], servers: null };
const withToken = (token: Principal["token"]): Principal => ({ ...LOCAL_PRINCIPAL, token });

let folder: string;
let container: Container;
const start = async (): Promise<void> => {
  const environment = { DATABASE_URL: `file:${folder}/rest.db`, TOOLROOM_LOG_LEVEL: "silent" };
  container = await createContainer(readEnv({ ...environment, TOOLROOM_CONFIG: path.join(folder, "toolroom.json") }));
};
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rest-requests-"));
  await writeFile(path.join(folder, "handlers.mjs"), HANDLERS);
  const tools = { registry: [ECHO, SLOW] };
  await writeFile(path.join(folder, "toolroom.json"), JSON.stringify({ tools, handlers: ["./handlers.mjs"] }));
  await start();
});
afterAll(() => container.close());

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { error?: { code: string; message: string; requestId: string; problems: object[] } };
}

async function ask(method: Asked["method"], address: string, more: Partial<Asked> = {}): Promise<Answer> {
  const response = await createRestClient(container)({ method, address, actor: LOCAL_PRINCIPAL, ...more });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}
const execute = (tool: string, more: Partial<Asked> = {}) =>
  ask("POST", `/tools/${tool}/execute`, { body: { arguments: { text: "x" }, waitMs: 10_000 }, ...more });
const listIds = ({ body }: Answer): unknown[] => (body.items as { id: string }[]).map(({ id }) => id);

describe("a request of the REST API", () => {
  it("with an unknown filter or field is refused with its name and those that exist", async () => {
    const filter = await ask("GET", "/executions?state=failed");
    expect([filter.status, filter.body.error?.code]).toEqual([400, "INVALID"]);
    expect(filter.body.error?.message).toMatch(
      /^state: is unknown: use .*\bstatus\b.*\buser\b.*\bserver\b.*\bclient\b/,
    );
    const parameter = await ask("GET", "/tools/echo?verbose=1");
    expect(parameter.body.error?.message).toBe("verbose: is unknown: none exists");
    const field = await execute("echo", { body: { argument: {} } });
    expect(field.body.error?.problems).toEqual([{ path: "argument", message: expect.stringContaining("arguments") }]);
    expect((await ask("GET", "/executions?limit=5&limit=6")).body.error?.message).toBe("limit: may be given once");
  });

  it("reads times as epoch milliseconds and as ISO 8601 with an offset, and refuses what is neither", async () => {
    const { body } = await execute("echo");
    const at = new Date(body.queuedAt as number).toISOString();
    for (const since of [at, at.replace("Z", "+00:00"), String(body.queuedAt), at.slice(0, 10)]) {
      expect([since, listIds(await ask("GET", `/executions?since=${since}`)).includes(body.id)]).toEqual([since, true]);
    }
    expect(listIds(await ask("GET", `/executions?until=2020-01-01`))).toEqual([]);
    for (const since of ["yesterday", at.slice(0, -1), "1e5", "-1"]) {
      expect((await ask("GET", `/executions?since=${since}`)).body.error?.message).toMatch(/^since: must be epoch/);
    }
  });

  it("finds executions by user, server, client and source, several values of a filter too", async () => {
    const call = (name: string, client: string | undefined) =>
      container.services.executions.execute(
        "echo",
        { text: "x" },
        { actor: { id: name, name }, ...(client ? { client } : {}) },
      );
    const ada = await call("ada", "claude-code/1.2.3");
    const bob = await call("bob", "claude-code-other/1");
    const find = async (query: string) => listIds(await ask("GET", `/executions?tool=echo&${query}`));
    expect(await find("user=ada")).toEqual([ada.execution_id]);
    expect(await find("client=claude-code")).toEqual([ada.execution_id]);
    expect(await find("client=claude-code-other/1")).toEqual([bob.execution_id]);
    expect(await find("server=files")).toEqual([]);
    expect(await find("source=api&source=console&user=ada")).toEqual([ada.execution_id]);
    expect((await ask("GET", "/executions?source=elsewhere")).body.error?.message).toMatch(
      /^source\[0\]: must be one of/,
    );
  });

  it("counts executions by the filters of the list, and pins one", async () => {
    const { body } = await execute("echo");
    const mine = `run=none&since=${body.queuedAt}`;
    expect((await ask("GET", `/executions/count?${mine}`)).body).toEqual({ count: 0, more: false });
    const since = `tool=echo&source=api&since=${body.queuedAt}`;
    expect((await ask("GET", `/executions/count?${since}`)).body).toEqual({ count: 1, more: false });
    expect((await ask("GET", `/executions/facets?${since}`)).body).toMatchObject({
      tool: { values: expect.arrayContaining([{ value: "echo", count: 1 }]) },
    });
    const pinned = { method: "PUT", address: `/executions/${body.id}/pinned` } as const;
    expect((await ask(pinned.method, pinned.address, { body: { pinned: true } })).body).toMatchObject({ pinned: true });
    expect(listIds(await ask("GET", `/executions?pinned=true&${since}`))).toEqual([body.id]);
    expect((await ask("GET", "/tools/echo/statistics?days=all")).body).toMatchObject({ since: null });
    expect((await ask("GET", "/tools/echo/statistics?days=91")).body.error?.message).toMatch(/^days: /);
  });

  it("gets every list in pages that end, without repetition", async () => {
    const names: unknown[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { body }: Answer = await ask("GET", `/tools?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      names.push(...(body.items as { name: string }[]).map(({ name }) => name));
      cursor = body.nextCursor as string | null;
    }
    expect(names).toEqual(["echo", "slow"]);
    for (const list of ["/executions", "/runs", "/approvals", "/servers", "/toolsets", "/tokens"]) {
      expect(Object.keys((await ask("GET", `${list}?limit=1`)).body)).toEqual(["items", "nextCursor"]);
    }
    expect((await ask("GET", "/executions?cursor=abc")).body.error?.message).toMatch(/^cursor: /);
  });

  it("has its id in the answer, in an error and in the log, and one of its own without", async () => {
    const logged: object[] = [];
    const client = createRestClient(container, { onLog: (fields) => void logged.push(fields) });
    const asked = { method: "GET", address: "/tools/none", actor: LOCAL_PRINCIPAL } as const;
    const response = await client({ ...asked, headers: { "x-request-id": "trace-1" } });
    expect(response.headers.get("x-request-id")).toBe("trace-1");
    expect(await response.json()).toMatchObject({ error: { requestId: "trace-1" } });
    expect(logged).toEqual([expect.objectContaining({ requestId: "trace-1", status: 404 })]);
    const unsafe = await client({ ...asked, headers: { "x-request-id": "a b" } });
    expect(unsafe.headers.get("x-request-id")).toMatch(/^req_\w+$/);
  });

  it("has the rest of its limit in the answer", async () => {
    const client = createRestClient(container, { quota: { limit: 3000, left: 2990, resetSeconds: 1 } });
    const { headers } = await client({ method: "GET", address: "/tools", actor: LOCAL_PRINCIPAL });
    expect(headers.get("ratelimit-policy")).toBe('"requests";q=3000;w=60');
    expect(headers.get("ratelimit")).toBe('"requests";r=2990;t=1');
  });

  it("with a method that the path lacks gets 405 with those that it has, and HEAD is answered as GET without a body", async () => {
    const refused = await ask("DELETE", "/executions");
    expect([refused.status, refused.body.error?.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    expect(refused.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect([(await ask("PUT", "/health")).status, (await ask("OPTIONS", "/health")).status]).toEqual([405, 204]);
    expect((await ask("OPTIONS", "/tools/echo", { actor: null })).headers.get("allow")).toContain("PATCH");
    const head = await ask("HEAD", "/tools");
    expect([head.status, head.body]).toEqual([200, {}]);
  });
});

describe("a request with an Idempotency-Key", () => {
  const headers = { "idempotency-key": "key-1" };

  it("acts once, also when it is repeated at once and after a restart, and answers with the same execution", async () => {
    const both = await Promise.all([execute("slow", { headers }), execute("slow", { headers })]);
    expect(both.map(({ body }) => body.result)).toEqual([{ calls: 1 }, { calls: 1 }]);
    expect(both[1]?.body.id).toBe(both[0]?.body.id);
    await container.close();
    await start();
    const later = await execute("slow", { headers });
    expect([later.body.id, later.body.result]).toEqual([both[0]?.body.id, { calls: 1 }]);
    const another = await execute("slow", { headers: { "idempotency-key": "key-2" } });
    expect(another.body.id).not.toBe(later.body.id);
  });

  it("is refused for another body, tool or route, and is another request for another token", async () => {
    const first = await execute("echo", { headers: { "idempotency-key": "key-3" } });
    for (const other of [
      execute("echo", { headers: { "idempotency-key": "key-3" }, body: { arguments: { text: "y" } } }),
      execute("slow", { headers: { "idempotency-key": "key-3" } }),
      ask("POST", `/executions/${first.body.id}/replay`, { headers: { "idempotency-key": "key-3" } }),
    ]) {
      const { status, body } = await other;
      expect([status, body.error?.code]).toEqual([422, "KEY_REUSED"]);
    }
    const mine = await execute("echo", { headers: { "idempotency-key": "key-3" }, actor: withToken(limited) });
    expect(mine.body.id).not.toBe(first.body.id);
    expect((await execute("echo", { headers: { "idempotency-key": "a key" } })).status).toBe(400);
  });

  it("does not act again after the execution of its first request was deleted", async () => {
    const first = await execute("slow", { headers: { "idempotency-key": "key-4" } });
    expect((await ask("DELETE", `/executions/${first.body.id}`)).status).toBe(204);
    const again = await execute("slow", { headers: { "idempotency-key": "key-4" } });
    expect([again.status, again.body.error?.code]).toEqual([409, "CONFLICT"]);
  });

  it("starts a run and a replay once", async () => {
    const body = { text: "Hello", settings: { provider: "demo", model: "demo" } };
    const runs: Answer[] = [];
    for (const _ of [1, 2]) runs.push(await ask("POST", "/runs", { body, headers: { "idempotency-key": "run-1" } }));
    expect(runs.map(({ status }) => status)).toEqual([201, 201]);
    expect(runs[1]?.body.id).toBe(runs[0]?.body.id);
    await waitUntil(async () => (await ask("GET", `/runs/${runs[0]?.body.id}`)).body.status === "succeeded");
    const { body: call } = await execute("echo");
    const replay = () => ask("POST", `/executions/${call.id}/replay`, { headers: { "idempotency-key": "replay-1" } });
    expect((await replay()).body.id).toBe((await replay()).body.id);
  });
});

describe("a token that is limited to tools", () => {
  it("lists and validates its tools, and reads the executions that were made with it and no others", async () => {
    const actor = withToken(limited);
    const other = withToken({ ...limited, id: "t2" });
    const mine = await execute("echo", { actor });
    const foreign = await execute("echo", { actor: other });
    await ask("POST", `/executions/${mine.body.id}/replay`);
    const body = { arguments: {} };
    expect((await ask("POST", "/tools/echo/validate", { actor, body })).body).toMatchObject({ valid: false });
    expect((await ask("POST", "/tools/slow/validate", { actor, body })).status).toBe(404);
    expect((await ask("GET", "/tools/slow", { actor })).status).toBe(404);
    expect(listIds(await ask("GET", "/executions", { actor }))).toContain(mine.body.id);
    expect(listIds(await ask("GET", "/executions", { actor }))).not.toContain(foreign.body.id);
    expect((await ask("GET", `/executions/${mine.body.id}`, { actor })).body).toMatchObject({ children: [] });
    expect((await ask("GET", `/executions/${foreign.body.id}`, { actor })).status).toBe(404);
    expect(listIds(await ask("GET", `/executions?q=${foreign.body.id}`, { actor }))).toEqual([]);
  });
});
