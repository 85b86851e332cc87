import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { buildContext, openBench, remote } from "../client/connections.test-support";
import { CatalogServer } from "../gateway/catalog/catalog-server";
import { startGateway } from "../gateway/gateway.test-support";
import { LeanHttpTransport } from "./lean-transport";

/** The first id of a call that Toolroom sends itself; the SDK counts from 0. */
const FIRST_CALL_ID = 1_000_000_000;
const CALLS = ["echo", "steps", "fails", "missing"];

/** Records what the caller of each tool gets from a gateway that is the server of a connection, and which path the calls took. */
async function callAll(protocol: "auto" | "legacy", { client, gateway }: { client: boolean; gateway: boolean }) {
  const served = vi.spyOn(CatalogServer.prototype as unknown as { handle(request: object): unknown }, "handle");
  const lean = vi.spyOn(LeanHttpTransport.prototype, "send");
  const { url, close } = await startGateway({ ports: { fastPath: gateway } });
  onTestFinished(close);
  const { connections } = openBench({ fastPath: client, limits: { progressEveryMs: 0 } });
  connections.apply({ ...remote("peer", url), protocol });
  const { status, protocolVersion } = await connections.ready("peer");
  const outcomes = [];
  for (const tool of CALLS) {
    const context = buildContext();
    const calling = connections.call("peer", tool, { text: "ü", n: 1.5 }, context);
    const outcome = await calling.catch(({ kind, message }) => ({ kind, message }));
    outcomes.push({ tool, outcome: withoutExecution(outcome), steps: context.steps });
  }
  const sent = connections.messages("peer").filter((each) => each.direction === "sent" && each.method === "tools/call");
  const bySdkServer = served.mock.calls.filter(([request]) => (request as { method: string }).method === "tools/call");
  const usesLeanTransport = lean.mock.calls.length > 0;
  served.mockRestore();
  lean.mockRestore();
  return {
    status,
    protocolVersion,
    usesLeanTransport,
    outcomes,
    sentByToolroom: sent.filter(({ id }) => Number(id) >= FIRST_CALL_ID).length,
    sentBySdk: sent.filter(({ id }) => Number(id) < FIRST_CALL_ID).length,
    answeredBySdk: bySdkServer.length,
  };
}

/** The id of an execution differs from call to call. */
const withoutExecution = (outcome: unknown): unknown =>
  JSON.parse(JSON.stringify(outcome).replaceAll(/exec_\w+/g, "exec_…"));

describe("the switch of the fast path", () => {
  it.each(["legacy", "auto"] as const)(
    "RTE-03 decides which path a call takes, and results, progress and errors are equal on both (protocol: %s)",
    async (protocol) => {
      const fast = await callAll(protocol, { client: true, gateway: true });
      expect(fast).toMatchObject({ status: "connected", usesLeanTransport: true });
      expect(fast).toMatchObject({ sentByToolroom: 4, sentBySdk: 0, answeredBySdk: 0 });
      expect(fast.outcomes.map(({ steps }) => steps.length)).toEqual([0, 3, 0, 0]);
      const slow = await callAll(protocol, { client: false, gateway: false });
      expect(slow).toMatchObject({ usesLeanTransport: false, sentByToolroom: 0, sentBySdk: 4, answeredBySdk: 4 });
      expect(slow.outcomes).toEqual(fast.outcomes);
      expect(slow.protocolVersion).toBe(fast.protocolVersion);
      const mixed = await callAll(protocol, { client: false, gateway: true });
      expect(mixed).toMatchObject({ sentByToolroom: 0, sentBySdk: 4, answeredBySdk: 0 });
      expect(mixed.outcomes).toEqual(fast.outcomes);
    },
  );
});

describe("protected members of the SDK", () => {
  it("are named in this folder only, so that a new SDK is checked in one place", () => {
    const server = path.resolve(import.meta.dirname, "../..");
    const files = readdirSync(server, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !/\.test|^platform\/db\/generated|^mcp\/fast-path/.test(file))
      .filter((file) => readFileSync(path.join(server, file), "utf8").includes("@modelcontextprotocol/"));
    expect(files.length).toBeGreaterThan(20);
    const naming = files.filter((file) => {
      const text = readFileSync(path.join(server, file), "utf8");
      return /\boverride (?:async )?_\w|\b(?:this|super|client|server|transport|session)\._(?!meta\b)\w/.test(text);
    });
    expect(naming).toEqual([]);
  });
});
