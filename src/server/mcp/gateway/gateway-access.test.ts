import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { AppError } from "../../platform/shared/app-error";
import { INITIALIZE, post, startGateway, type TestGateway } from "./gateway.test-support";

const limits = (scope: "read" | "run", tools: string[] | null = null) => ({
  id: `token-${scope}-${tools}`,
  scopes: [scope],
  tools,
  servers: null,
});
const CALLERS: Record<string, Principal> = {
  ada: { id: "ada", name: "Ada", role: "operator", token: null },
  bob: { id: "bob", name: "Bob", role: "operator", token: null },
  viewer: { id: "viv", name: "Viv", role: "viewer", token: null },
  reader: { ...LOCAL_PRINCIPAL, id: "ada", token: limits("read") },
  limited: { ...LOCAL_PRINCIPAL, id: "ada", token: limits("run", ["echo"]) },
};

async function authenticate(headers: { get(name: string): string | null }): Promise<Principal | null> {
  const name = headers.get("authorization")?.replace("Bearer ", "");
  if (name === undefined) return null;
  const caller = CALLERS[name];
  if (caller === undefined) throw new AppError("UNAUTHENTICATED", "This API token is not known");
  return caller;
}

let test: TestGateway;
const denials: object[] = [];
beforeAll(async () => {
  test = await startGateway({
    ports: {
      limits: { checkAccessMs: 50 },
      onDenied: async (denial) => void denials.push(denial),
      authenticate,
    },
  });
});
afterAll(() => test.close());

const as = (name: string) => ({ authorization: `Bearer ${name}` });
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const stateless = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { _meta: META, ...params },
});
const headersFor = (name: string, method: string, tool?: string) => ({
  ...as(name),
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(tool === undefined ? {} : { "mcp-name": tool }),
});
const callTool = (name: string, tool: string) =>
  post(
    test.url,
    stateless("tools/call", { name: tool, arguments: { text: "hi" } }),
    headersFor(name, "tools/call", tool),
  );
async function toolNames(name: string): Promise<string[]> {
  const response = await post(test.url, stateless("tools/list"), headersFor(name, "tools/list"));
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  return result.tools.map((tool) => tool.name);
}

describe("a caller of the gateway", () => {
  it("without a token gets 401 with a challenge, whatever the method", async () => {
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await fetch(test.url, { method, headers: { "content-type": "application/json" } });
      expect([method, response.status]).toEqual([method, 401]);
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="toolroom"');
    }
  });

  it("loses its open streams once the token is revoked, and others keep theirs", async () => {
    const begun = await post(test.url, INITIALIZE, as("ada"));
    await begun.text();
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", accept: "text/event-stream" };
    const stream = await fetch(test.url, { headers: { ...as("ada"), ...session } });
    const listening = () =>
      post(test.url, stateless("subscriptions/listen", { notifications: { toolsListChanged: true } }), {
        ...headersFor("ada", "subscriptions/listen"),
      });
    const listened = await listening();
    const kept = await post(
      test.url,
      stateless("subscriptions/listen", { notifications: { toolsListChanged: true } }),
      headersFor("bob", "subscriptions/listen"),
    );
    expect([stream.status, listened.status, kept.status]).toEqual([200, 200, 200]);
    const { ada } = CALLERS;
    delete CALLERS.ada;
    await Promise.all([stream.text(), listened.text()]);
    if (ada !== undefined) CALLERS.ada = ada;
    const reader = kept.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });

  it("with a wrong token is told so", async () => {
    const response = await post(test.url, INITIALIZE, as("nonsense"));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(await response.text()).toContain("not known");
  });

  it.each(["viewer", "reader"])("who may only read (%s) lists tools and calls none", async (name) => {
    expect(await toolNames(name)).toContain("echo");
    const before = test.journal.started.length;
    const response = await callTool(name, "echo");
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="run"');
    const batch = [INITIALIZE, stateless("tools/call", { name: "echo" })];
    expect((await post(test.url, batch, as(name))).status).toBe(403);
    const denial = expect.objectContaining({ by: CALLERS[name], action: "executions.run" });
    expect(denials.slice(-2)).toEqual([denial, denial]);
    expect(test.journal.started).toHaveLength(before);
  });

  it("is who the call is recorded for", async () => {
    expect((await callTool("bob", "echo")).status).toBe(200);
    expect(test.journal.started.at(-1)?.actor).toEqual({ id: "bob", name: "Bob" });
    expect((await callTool("ada", "echo")).status).toBe(200);
    expect(test.journal.started.at(-1)?.actor).toEqual({ id: "ada", name: "Ada" });
  });

  it("with a limited token sees and calls its tools only", async () => {
    expect(await toolNames("limited")).toEqual(["echo"]);
    expect((await callTool("limited", "echo")).status).toBe(200);
    const before = test.journal.started.filter(({ toolName }) => toolName === "fails").length;
    const refused = (await (await callTool("limited", "fails")).json()) as { error?: object; result?: object };
    expect(refused.error).toBeDefined();
    expect(test.journal.started.filter(({ toolName }) => toolName === "fails")).toHaveLength(before);
    expect((await toolNames("ada")).length).toBeGreaterThan(3);
  });

  it("cannot use another user's session", async () => {
    const begun = await post(test.url, INITIALIZE, as("ada"));
    const session = begun.headers.get("mcp-session-id") ?? "";
    expect(session).not.toBe("");
    const list = (name: string) =>
      post(test.url, { jsonrpc: "2.0", id: 5, method: "tools/list" }, { ...as(name), "mcp-session-id": session });
    expect((await list("ada")).status).toBe(200);
    expect((await list("bob")).status).toBe(404);
    expect((await list("limited")).status).toBe(404);
    const ended = await fetch(test.url, { method: "DELETE", headers: { ...as("bob"), "mcp-session-id": session } });
    expect(ended.status).toBe(404);
    expect((await list("ada")).status).toBe(200);
  });

  it("cannot end another user's busy session by opening many", async () => {
    const few = await startGateway({ ports: { limits: { maxSessions: 3 }, authenticate } });
    onTestFinished(() => few.close());
    const open = async (name: string) => {
      const begun = await post(few.url, INITIALIZE, as(name));
      const headers = { ...as(name), "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
      await fetch(few.url, { headers: { ...headers, accept: "text/event-stream" } });
      return headers;
    };
    const bobs = await open("bob");
    for (let count = 0; count < 5; count += 1) await open("ada");
    expect(few.gateway.sessionCount()).toBe(3);
    expect((await post(few.url, { jsonrpc: "2.0", id: 7, method: "tools/list" }, bobs)).status).toBe(200);
  });

  it("keeps a session when the role changes, with the new rights", async () => {
    const begun = await post(test.url, INITIALIZE, as("bob"));
    const headers = { ...as("bob"), "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const call = () =>
      post(test.url, { jsonrpc: "2.0", id: 6, method: "tools/call", params: { name: "echo" } }, headers);
    expect((await call()).status).toBe(200);
    const before = CALLERS.bob as Principal;
    CALLERS.bob = { ...before, role: "viewer" };
    expect((await call()).status).toBe(403);
    CALLERS.bob = before;
    expect((await call()).status).toBe(200);
  });
});
