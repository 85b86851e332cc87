import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { newExecutionId } from "../../../lib/execution-id";
import { hasMask } from "../../../lib/masked-value";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { CallerLeft } from "../../engine/failures";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { ALICE, startServer, type TestServer, WIPE } from "./approval.test-support";

const LOGIN: ToolDefinition = {
  ...WIPE,
  parameters: {
    type: "object",
    properties: {
      folder: { type: "string" },
      password: { type: "string", format: "password", pattern: "^planted", maxLength: 20 },
    },
    required: ["folder", "password"],
  },
};
const ARGS = { folder: "/old", password: "planted-1" };

let scratch: ScratchDatabase;
let server: TestServer;

beforeEach(async () => {
  scratch = await createScratchDatabase();
  server = await startServer(scratch.db, { tools: [LOGIN] });
});
afterEach(async () => {
  await server.stop();
  await scratch.remove();
});

/** A call that waits for approval. */
async function ask(signal?: AbortSignal): Promise<{ id: string; done: Promise<ExecutionEnvelope> }> {
  const id = newExecutionId();
  let done: Promise<ExecutionEnvelope> | undefined;
  await new Promise<void>((resolve) => {
    const options = { executionId: id, onWaiting: () => resolve(), ...(signal === undefined ? {} : { signal }) };
    done = server.executions.execute("wipe", ARGS, options);
  });
  return { id, done: done as Promise<ExecutionEnvelope> };
}

async function storedArguments(id: string): Promise<string> {
  const { argumentsText } = await server.approvals.get(id);
  expect(argumentsText).not.toContain("planted");
  expect(hasMask(argumentsText)).toBe(true);
  return argumentsText;
}

describe("an approval of a call with masked arguments", () => {
  it("shows masks, and the call runs with the values of its caller", async () => {
    const { id, done } = await ask();
    await storedArguments(id);
    await server.approvals.decide(ALICE, id, { approved: true });
    expect(await done).toMatchObject({ success: true });
    expect(server.wiped).toEqual([ARGS]);
    await storedArguments(id);
  });

  it("takes a mask that is left in edited arguments for the caller's value", async () => {
    const { id, done } = await ask();
    const argumentsText = (await storedArguments(id)).replace("/old", "/new");
    const outcome = await server.approvals.decide(ALICE, id, { approved: true, argumentsText });
    expect(outcome).toMatchObject({ decided: true });
    expect(await done).toMatchObject({ success: true });
    expect(server.wiped).toEqual([{ ...ARGS, folder: "/new" }]);
    expect(await storedArguments(id)).toContain("/new");
    expect((await server.approvals.get(id)).requestedArgumentsText).not.toContain("planted");
  });

  it("runs with a masked value that a user entered, which is stored masked", async () => {
    const { id, done } = await ask();
    const before = await storedArguments(id);
    const argumentsText = JSON.stringify({ folder: "/old", password: "planted-2" });
    await server.approvals.decide(ALICE, id, { approved: true, argumentsText });
    expect(await done).toMatchObject({ success: true });
    expect(server.wiped).toEqual([{ ...ARGS, password: "planted-2" }]);
    expect(await storedArguments(id)).not.toBe(before);
  });

  it("runs with the caller's values after the caller has left", async () => {
    const controller = new AbortController();
    const { id, done } = await ask(controller.signal);
    controller.abort(new CallerLeft());
    await done;
    await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
    await waitUntil(async () => (await server.executions.get(id)).status === "succeeded");
    expect(server.wiped).toEqual([ARGS]);
  });

  it("asks for the values after a restart, since only masks are stored", async () => {
    const { id } = await ask();
    await server.stop();
    server = await startServer(scratch.db, { tools: [LOGIN] });
    const refused = await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
    expect(refused).toMatchObject({
      decided: false,
      status: "open",
      faults: [{ path: "password", keyword: "masked" }],
    });
    const argumentsText = JSON.stringify(ARGS);
    await server.approvals.decide(ALICE, id, { approved: true, confirmed: true, argumentsText });
    await waitUntil(async () => (await server.executions.get(id)).status === "succeeded");
    expect(server.wiped).toEqual([ARGS]);
    await storedArguments(id);
  });
});
