import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";
import { createRestClient } from "./api/rest/rest.test-support";

const TOOL = "evolving__read";
const REASON = `The definition of '${TOOL}' changed, waiting for approval`;
const ARGUMENTS = { path: "/" };

let server: GatewayContainer;
/** The id of a call before the change. */
let earlier: string;

const services = () => server.container.services;
const run = (tool: string, args: object = {}) =>
  services().executions.run(LOCAL_PRINCIPAL, { tool, argumentsText: JSON.stringify(args) });
const newest = async () => (await services().executions.list({ tool: [TOOL] }, undefined, 1)).items[0];

/** A server that requires more of a tool than it did, while that change waits for review. */
beforeAll(async () => {
  server = await startGatewayContainer(await newDatabaseUrl());
  const args = [path.resolve("e2e/support/mcp-servers/evolving.mjs")];
  const command = { name: "evolving", transport: "stdio", command: process.execPath, args };
  await services().servers.create(LOCAL_PRINCIPAL, { ...command, changedTools: "review", approval: "never" });
  await waitUntil(() =>
    services()
      .tools.list()
      .items.some(({ name }) => name === TOOL),
  );
  const first = await run(TOOL, ARGUMENTS);
  expect(first.status).toBe("succeeded");
  earlier = first.id;
  await run("evolving__evolve");
  await waitUntil(() => services().servers.heldChanges("evolving").total === 3);
});
afterAll(() => server.stop());

async function askRest(address: string, body: object): Promise<string> {
  const ask = createRestClient({ services: services(), stopping: server.container.stopping });
  const asked = { method: "POST", address, body: { ...body, waitMs: 10_000 }, actor: LOCAL_PRINCIPAL } as const;
  const response = await ask(asked);
  return response.text();
}

async function askGateway(protocol: "2025-11-25" | "2026-07-28", address = ""): Promise<string> {
  const { ask } = await rawClient(server.url + address, protocol);
  return JSON.stringify(await ask("tools/call", { name: TOOL, arguments: ARGUMENTS }));
}

async function askRun(): Promise<string> {
  const settings = { provider: "demo", model: "demo", instructions: "", tools: { mode: "all" as const } };
  const { id } = await services().runs.start(LOCAL_PRINCIPAL, { settings, text: `run ${TOOL}` });
  await waitUntil(async () => (await services().runs.get(id)).status === "succeeded");
  return JSON.stringify((await services().runs.get(id)).events);
}

const ROUTES: Record<string, () => Promise<string>> = {
  "the console": async () => JSON.stringify(await run(TOOL, ARGUMENTS)),
  "a run without validation": async () =>
    JSON.stringify(
      await services().executions.run(LOCAL_PRINCIPAL, { tool: TOOL, argumentsText: "{}", skipValidation: true }),
    ),
  "a replay": async () => JSON.stringify(await services().executions.replay(LOCAL_PRINCIPAL, earlier)),
  "REST execute": () => askRest(`/tools/${TOOL}/execute`, { arguments: ARGUMENTS }),
  "REST replay": () => askRest(`/executions/${earlier}/replay`, {}),
  "the gateway, with a session": () => askGateway("2025-11-25"),
  "the gateway, stateless": () => askGateway("2026-07-28"),
  "the gateway of that server": () => askGateway("2026-07-28", "/evolving"),
  "a run of a model": askRun,
};

it.each(Object.keys(ROUTES))("a tool whose change waits for approval is refused through %s", async (route) => {
  const before = (await newest())?.id;
  expect(await ROUTES[route]?.()).toContain(REASON);
  const recorded = await newest();
  expect(recorded?.id).not.toBe(before);
  expect(recorded).toMatchObject({ errorKind: "definition_changed" });
});

it("a new tool that waits is neither listed nor run through any of them", async () => {
  const arrived = "evolving__arrived";
  expect(await run(arrived)).toMatchObject({ errorKind: "definition_changed" });
  expect(await askRest(`/tools/${arrived}/execute`, {})).toContain("definition_changed");
  for (const protocol of ["2025-11-25", "2026-07-28"] as const) {
    const { ask } = await rawClient(server.url, protocol);
    const listed = JSON.stringify(await ask("tools/list"));
    expect([listed.includes(TOOL), listed.includes(arrived)]).toEqual([true, false]);
    expect(JSON.stringify(await ask("tools/call", { name: arrived, arguments: {} }))).toMatch(/waiting for approval/);
  }
});
