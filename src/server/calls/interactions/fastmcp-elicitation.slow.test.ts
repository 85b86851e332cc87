import { describe, expect, it, onTestFinished } from "vitest";
import { startFastMcpLike } from "../../../../e2e/support/mcp-servers/fastmcp-like.mjs";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { InteractionAnswer } from "../../../lib/contract/interaction";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { engineWith } from "../../engine/executor/executor.test-support";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { buildContext, openBench, readText, remote, script } from "../../mcp/client/connections.test-support";
import { createSealedSingle } from "../../platform/coordination/single-copy.test-support";
import { createInteractionService } from "./interaction-service";

type Protocol = ConnectionSettings["protocol"];

const overStdio = async (protocol: Protocol) => script("fastmcp-like", { name: "fast", protocol });

async function overHttp(protocol: Protocol) {
  const server = await startFastMcpLike();
  onTestFinished(() => server.close());
  return remote("fast", server.url, { protocol });
}

function start(settings: ConnectionSettings) {
  const { validator, limits } = engineWith();
  let asked = 0;
  const interactions = createInteractionService({
    newId: () => `interaction_${++asked}`,
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    onChange: () => undefined,
    ...createSealedSingle(),
    validator,
    limits,
  });
  const { connections } = openBench({ interactions: interactions.broker });
  connections.apply(settings);
  return { connections, interactions };
}

describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
] as const)("ctx.elicit of a FastMCP server over %s", (_, getSettings) => {
  it.each(["auto", "legacy"] as const)(
    "reaches the console and gets its answer with protocol '%s'",
    async (protocol) => {
      const { connections, interactions } = start(await getSettings(protocol));
      expect(await connections.ready("fast")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
      const answers: [InteractionAnswer, string][] = [
        [{ action: "accept", content: { value: "Ada" } }, "Hello, Ada!"],
        [{ action: "decline" }, "…"],
      ];
      for (const [answer, expected] of answers) {
        const calling = connections.call("fast", "greet", {}, buildContext({ executionId: "exec_1" }));
        await waitUntil(async () => (await interactions.list()).length === 1);
        const [question] = await interactions.list();
        expect(question).toMatchObject({
          server: "fast",
          executionId: "exec_1",
          request: { kind: "form", message: "What is your name?" },
        });
        expect(await interactions.answer(LOCAL_OWNER, question?.id ?? "", answer)).toEqual({ answered: true });
        expect(readText(await calling)).toBe(expected);
      }
    },
  );
});

it("ctx.elicit of a FastMCP server over stdio that speaks both protocols works from the first call", async () => {
  const { connections, interactions } = start(script("fastmcp-like", { name: "fast", args: ["dual"] }));
  expect(await connections.ready("fast")).toMatchObject({ protocolVersion: "2025-11-25" });
  const calling = connections.call("fast", "greet", {}, buildContext());
  await waitUntil(async () => (await interactions.list()).length === 1);
  await interactions.answer(LOCAL_OWNER, (await interactions.list())[0]?.id ?? "", {
    action: "accept",
    content: { value: "Ada" },
  });
  expect(readText(await calling)).toBe("Hello, Ada!");
});
