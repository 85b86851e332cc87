import { afterEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { begin, buildCall, post } from "../mcp/gateway/gateway.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

let running: GatewayContainer;
afterEach(() => running.stop());

const listCalls = async () => (await running.container.services.executions.list({}, undefined, 20)).items;

/** A call by a client and one by a user, both under way. */
async function startCalls(grace: string, args: object) {
  running = await startGatewayContainer(await newDatabaseUrl(), 0, { TOOLROOM_SHUTDOWN_GRACE_MS: grace });
  const headers = await begin(running.url);
  const client = post(running.url, buildCall("slow_report", 2, { arguments: args }), headers).then((each) =>
    each.text(),
  );
  const call = { tool: "slow_report", argumentsText: JSON.stringify(args), waitMs: 60_000 };
  const user = running.container.services.executions.run(LOCAL_PRINCIPAL, call);
  await waitUntil(async () => (await listCalls()).length === 2, { what: "both calls" });
  return { client, user };
}

it("TIME-03 a server that stops answers every call that ends within the grace before it closes anything", async () => {
  const { client, user } = await startCalls("60000", { steps: 2, step_ms: 500 });
  running.container.beginStop();
  await running.container.endCalls();
  expect(await client).toContain("2 steps of 500 ms");
  expect((await user).status).toBe("succeeded");
  expect((await listCalls()).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
});

it("TIME-03 a call beyond the grace is recorded as interrupted, and its caller is answered", async () => {
  const { client, user } = await startCalls("100", { steps: 60, step_ms: 1000 });
  running.container.beginStop();
  await running.container.endCalls();
  expect(await client).toMatch(/stopp|interrupted/i);
  expect((await user).status).toBe("interrupted");
  expect((await listCalls()).map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
});
