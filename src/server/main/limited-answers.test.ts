import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { callRuleInputSchema } from "../../lib/contract/call-rule";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";
import { callAs } from "./api/call-as";
import { describeApi } from "./api/rest/openapi";
import { createRestClient } from "./api/rest/rest.test-support";
import { ROUTES } from "./api/rest/routes";

let server: GatewayContainer;
beforeAll(async () => {
  server = await startGatewayContainer(await newDatabaseUrl());
  const rule = { name: "one", scope: { tools: ["echo"] }, effect: { kind: "limit", most: 1, minutes: 60 } };
  await callAs(server.container, LOCAL_PRINCIPAL).rules.create({ rule: callRuleInputSchema.parse(rule) });
});
afterAll(() => server.stop());

const HOUR_MS = 3_600_000;
const ECHO = { message: "a" };

it("a call that a limit denies says when there is room: REST in Retry-After beside the execution, MCP in _meta, both as its text does", async () => {
  const send = createRestClient(server.container);
  const run = () =>
    send({ method: "POST", address: "/tools/echo/execute", body: { arguments: ECHO }, actor: LOCAL_PRINCIPAL });
  const first = await run();
  expect([first.status, first.headers.get("retry-after")]).toEqual([200, null]);
  const denied = await run();
  expect(denied.status).toBe(200);
  const execution = (await denied.json()) as { id: string; status: string; errorKind: string; error: string };
  expect(execution).toMatchObject({ status: "failed", errorKind: "rule" });
  const seconds = Number(denied.headers.get("retry-after"));
  expect(seconds * 1000).toBeGreaterThan(HOUR_MS / 2);
  expect(seconds * 1000).toBeLessThanOrEqual(HOUR_MS + HOUR_MS / 60 + 1000);
  // The record of the call is no request to repeat.
  const read = await send({ method: "GET", address: `/executions/${execution.id}`, actor: LOCAL_PRINCIPAL });
  expect(read.headers.get("retry-after")).toBeNull();
  for (const protocol of ["2025-11-25", "2026-07-28"] as const) {
    const client = await rawClient(server.url, protocol);
    const [answer] = (await client.ask("tools/call", { name: "echo", arguments: ECHO })).slice(-1);
    const { _meta: meta, content, isError } = answer?.result ?? {};
    expect(isError).toBe(true);
    const { "toolroom/retry-after-ms": ms } = meta as { "toolroom/retry-after-ms": number };
    expect(Math.abs(ms / 1000 - seconds)).toBeLessThan(60);
    const [, freeAt = ""] = /room again at (\S+),/.exec(JSON.stringify(content)) ?? [];
    expect(execution.error).toContain(freeAt);
  }
});

it("the document of the REST API lists Retry-After for what makes a call, and for no other answer", () => {
  const { paths } = describeApi(ROUTES, "1") as {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
  };
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses["200"]?.headers ?? {}).includes("Retry-After") ? `${method} ${path}` : [],
    ),
  );
  expect(listed.sort()).toEqual(["post /executions/{id}/replay", "post /tools/{name}/execute"]);
});

const VIEWER: Principal = { id: "vi", name: "Vi", role: "viewer", token: null };

it("who reads rules reads what would become of a call, over REST too, with all digits and no secrets in the address", async () => {
  const send = createRestClient(server.container);
  const before = await callAs(server.container, LOCAL_PRINCIPAL).rules.usage({});
  const explain = (body: object) => send({ method: "POST", address: "/rules/explain", body, actor: VIEWER });
  const answer = await explain({ tool: "echo", arguments: ECHO });
  const said = await answer.json();
  expect(said).toMatchObject({
    outcome: "denied",
    by: "one",
    message: expect.stringContaining("There is room again at"),
    rules: [{ name: "one", position: 1, step: "match", decides: true, limit: { used: 1, left: 0, most: 1 } }],
  });
  expect(await (await explain({ tool: "echo", arguments: { repeat: 0 } })).json()).toMatchObject({
    outcome: "invalid",
    problems: [{ path: "arguments.repeat" }],
  });
  expect((await explain({ tool: "nowhere" })).status).toBe(404);
  expect((await explain({ tool: "echo", toolset: "nowhere" })).status).toBe(404);
  const wrong = await explain({ tool: "echo", time: "noon" });
  expect(await wrong.text()).toContain("must be a time with its zone");
  expect(await callAs(server.container, LOCAL_PRINCIPAL).rules.usage({})).toEqual(before);
});
