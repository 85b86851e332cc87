import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type InteractionAnswer, LOCAL_OWNER } from "../../../lib/contract";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createSecretBox } from "../../adapters/secret-box";
import { systemClock } from "../../create-tool-engine";
import { createTestCoordination } from "../../db/coordination.test-support";
import { openDatabase } from "../../db/database";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import { createInteractionStore } from "../../db/stores/interaction-store";
import { engineWith } from "../../engine/executor/executor.test-support";
import { createInteractionExchange } from "./interaction-exchange";
import { createInteractionService } from "./interaction-service";

const HOST = "test-host";
const SECRET_KEY = "a".repeat(64);
const schema = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };
const question = {
  ...{ server: "files", executionId: "exec_1", toolName: "files__ask" },
  request: { kind: "form" as const, message: "How old is the person?", schema },
};
const accept = (age: unknown): InteractionAnswer => ({ action: "accept", content: { age } });

let scratch: ScratchDatabase;
let closers: (() => Promise<void>)[];
const alive = new Set<number>();
beforeEach(async () => {
  scratch = await createScratchDatabase();
  closers = [];
  alive.clear();
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  await scratch.remove();
});

/** A copy of the server as far as it asks people, with a connection of its own. */
async function openCopy() {
  const db = await openDatabase({ url: scratch.url, logger: quietLogger() });
  closers.push(() => db.close());
  const pid = alive.size + 1;
  alive.add(pid);
  const hostProcess = { pid, host: HOST, exists: (id: number) => alive.has(id) };
  const { calls, changes, instances, ...coordination } = createTestCoordination(db, systemClock, { hostProcess });
  const secretBox = await createSecretBox({ secretKey: SECRET_KEY, keyFile: "" });
  const exchange = createInteractionExchange({
    store: createInteractionStore({ db, secretBox, instanceId: instances.id }),
    ...{ calls, instances },
    seal: secretBox.seal,
    record: () => changes.record("interactions", null),
    logger: quietLogger(),
  });
  const engine = engineWith();
  const service = createInteractionService({
    newId: () => `ask_${pid}`,
    clock: systemClock,
    ...{ validator: engine.validator, limits: engine.limits, exchange },
    onChange: () => undefined,
  });
  calls.handle("interaction", async (id, payload) => {
    const answer = JSON.parse(secretBox.open(payload ?? "", id)) as InteractionAnswer;
    return (await service.answer(LOCAL_OWNER, id, answer)).answered;
  });
  let changeCount = 0;
  changes.subscribe("interactions", () => {
    changeCount += 1;
  });
  await coordination.join();
  await coordination.start();
  closers.push(async () => {
    await exchange.close();
    await coordination.stop();
    await coordination.close();
  });
  const listIds = async () => (await service.list()).map(({ id }) => id);
  return { db, service, exchange, listIds, changeCount: () => changeCount, crash: () => alive.delete(pid) };
}

const ask = (copy: Awaited<ReturnType<typeof openCopy>>, signal = new AbortController().signal) =>
  copy.service.broker.ask(question, signal);

describe("questions of servers, with two copies of Toolroom on one database", () => {
  it("show in the other copy and are answered there", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    const asked = ask(one);
    await waitUntil(async () => expect(await two.listIds()).toEqual(["ask_1"]));
    const [own] = await one.service.list();
    expect(await two.service.list()).toEqual([own]);
    await waitUntil(() => expect(two.changeCount()).toBe(1));
    expect(await two.service.answer(LOCAL_OWNER, "ask_1", accept(7))).toEqual({ answered: true });
    expect(await asked).toEqual(accept(7));
    await waitUntil(async () => expect(await two.listIds()).toEqual([]));
    await waitUntil(() => expect(two.changeCount()).toBe(2));
    expect(await two.service.answer(LOCAL_OWNER, "ask_1", accept(8))).toEqual({ answered: false });
  });

  it("take one answer where both copies give one at once", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    const asked = ask(one);
    await waitUntil(async () => expect(await two.listIds()).toEqual(["ask_1"]));
    const outcomes = await Promise.all([
      two.service.answer(LOCAL_OWNER, "ask_1", accept(1)),
      one.service.answer(LOCAL_OWNER, "ask_1", accept(2)),
    ]);
    expect(outcomes.filter(({ answered }) => answered)).toHaveLength(1);
    expect(await asked).toEqual(outcomes[0]?.answered ? accept(1) : accept(2));
  });

  it("stay when an answer from the other copy does not fit the form, and say what does not", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    void ask(one);
    await waitUntil(async () => expect(await two.listIds()).toEqual(["ask_1"]));
    expect(await two.service.validate(LOCAL_OWNER.id, "ask_1", { age: "x" })).toMatchObject({ valid: false });
    await expect(two.service.answer(LOCAL_OWNER, "ask_1", accept("x"))).rejects.toMatchObject({ code: "INVALID" });
    expect(await two.listIds()).toEqual(["ask_1"]);
  });

  it("go from the other copy when their call ends, or the copy in which it waits", async () => {
    const [one, two, three] = [await openCopy(), await openCopy(), await openCopy()];
    const ended = new AbortController();
    const asked = ask(one, ended.signal);
    void ask(two);
    await waitUntil(async () => expect((await three.listIds()).sort()).toEqual(["ask_1", "ask_2"]));
    ended.abort(new Error("cancelled"));
    await expect(asked).rejects.toThrow("cancelled");
    await waitUntil(async () => expect(await three.listIds()).toEqual(["ask_2"]));
    two.crash();
    expect(await three.listIds()).toEqual([]);
    expect(await three.service.answer(LOCAL_OWNER, "ask_2", accept(1))).toEqual({ answered: false });
    expect(await three.exchange.sweep()).toBe(true);
    expect(await three.exchange.sweep()).toBe(false);
    expect(await three.db.prisma.interaction.count()).toBe(0);
  });

  it("are stored encrypted", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    void ask(one);
    await waitUntil(async () => expect(await two.listIds()).toEqual(["ask_1"]));
    const [row] = await two.db.prisma.interaction.findMany();
    expect(row?.request).toMatch(/^v1\./);
    expect(JSON.stringify(row)).not.toContain("How old");
  });
});
