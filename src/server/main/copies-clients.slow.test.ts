import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL as BY } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { rawClient } from "../mcp/gateway/gateway-container.test-support";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { Container } from "./container";
import { PATIENT_TIMING, startInstances } from "./start-copies.test-support";

const OWN = "https://tools.example.com";
const TOOL = {
  type: "function",
  name: "asked",
  handler: "asked",
  description: "Asks first.",
  parameters: { type: "object" },
  implementation: { type: "mock", mock_response: "done" },
};

async function listNames(copy: Container): Promise<string[]> {
  const { entries } = await copy.services.registry.open(OWN, BY);
  return (entries ?? []).map(({ server }) => server.name);
}

describe.skipIf(!HAS_POSTGRES)("two instances of the server", () => {
  it("add up what a client got from both, drop a disabled server from both registries, and take a link once", async () => {
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        bodies.push(body);
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const env = { TOOLROOM_AUTH: "off", TOOLROOM_PUBLIC_URL: OWN, TOOLROOM_PRIVATE_ADDRESSES: "allow" };
    const { copies, listeners } = await startInstances(2, { env, timing: PATIENT_TIMING, listens: true });
    const [a, b] = copies as [Container, Container];
    await a.services.acting.answered(() => a.services.tools.create(BY, JSON.stringify(TOOL)));
    for (const { address } of listeners) {
      const client = await rawClient(`${address}/mcp`, "2026-07-28", { name: "twin" });
      await client.ask("tools/list");
    }
    await Promise.all([a.services.clients.list(), b.services.clients.list()]);
    const { items } = await a.services.clients.get("twin");
    expect(items).toMatchObject([{ era: "stateless", listings: [{ count: 2 }] }]);

    const settings = { transport: "http", name: "remote", url: "http://127.0.0.1:9/mcp" };
    const { acting } = a.services;
    await acting.answered(() => a.services.servers.create(BY, settings));
    const { settings: registry, revision } = await b.services.registry.get(BY, OWN);
    await b.services.acting.answered(() => b.services.registry.save(BY, { ...registry, servers: true }, OWN, revision));
    for (const copy of copies) expect(await listNames(copy)).toContain("com.example.tools/server.remote");
    await acting.answered(() => a.services.servers.setEnabled(BY, "remote", false));
    for (const copy of copies) expect(await listNames(copy)).not.toContain("com.example.tools/server.remote");

    const port = (receiver.address() as AddressInfo).port;
    const webhook = { url: `http://127.0.0.1:${port}/`, description: "", tools: [], enabled: true, approverId: BY.id };
    await a.services.webhooks.create(BY, { ...webhook, events: ["approval.requested"] });
    await acting.answered(() => a.services.tools.setApproval(BY, "asked", "always"));
    const { id } = await a.services.executions.run(BY, { tool: "asked", argumentsText: "{}", waitMs: 50 });
    await waitUntil(() => expect(bodies).toHaveLength(1));
    const token = new URL(JSON.parse(bodies[0] ?? "").data.approve).hash.slice(1);
    const decide = (copy: Container) =>
      copy.approvalLinks
        .decide(token, { approved: true }, { userId: null, origin: { door: "rest", address: null } })
        .then(
          ({ decided }) => decided,
          () => false,
        );
    const outcomes = await Promise.all([decide(a), decide(b), decide(a), decide(b)]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await waitUntil(async () => expect(await a.services.executions.get(id)).toMatchObject({ status: "succeeded" }));
  }, 90_000);
});
