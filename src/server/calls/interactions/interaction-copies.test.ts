import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { systemClock } from "../../create-tool-engine";
import { engineWith } from "../../engine/executor/executor.test-support";
import { openInstances } from "../../platform/coordination/postgres/coordination-copies.test-support";
import { createSealedBulletin } from "../../platform/coordination/sealed-bulletin";
import { STEADY_TIMING } from "../../platform/coordination/single-copy.test-support";
import { HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { ConsoleViewers } from "./console-viewers";
import { createInteractionService } from "./interaction-service";

const BOX = {
  seal: (plain: string) => Buffer.from(plain).toString("hex"),
  open: (sealed: string) => Buffer.from(sealed, "hex").toString(),
};
const QUESTION = {
  server: "files",
  executionId: "exec_1",
  toolName: "files__ask",
  request: {
    kind: "form" as const,
    message: "Color?",
    schema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] } as const,
  },
};
const ACCEPT = { action: "accept" as const, content: { color: "red" } };

type Coordination = Awaited<ReturnType<typeof openInstances>>["copies"][number];
let ids = 0;

function openQuestions({ copies, bulletin }: Coordination) {
  const { validator, limits } = engineWith();
  const viewers = new ConsoleViewers({ copies, bulletin, graceMs: 1 });
  const told: string[] = [];
  const service = createInteractionService({
    validator,
    limits,
    viewers,
    clock: systemClock,
    copies,
    bulletin: createSealedBulletin(bulletin, BOX),
    newId: () => `ask_${++ids}`,
    onChange: () => void told.push("interactions"),
  });
  copies.onLost(service.settleLost);
  const ask = (more: object = {}, signal = new AbortController().signal) =>
    service.broker.ask({ ...QUESTION, ...more }, signal);
  return { service, viewers, ask, told };
}

async function openServers(count: number) {
  const opened = await openInstances(count, STEADY_TIMING);
  const servers = opened.copies.map((copy) => ({ ...openQuestions(copy), close: () => copy.copies.close() }));
  return { servers, open: async () => openQuestions(await opened.open()) };
}

type Server = Awaited<ReturnType<typeof openServers>>["servers"][number];
const listIds = async ({ service }: Pick<Server, "service">) => (await service.list()).map(({ id }) => id);

describe.skipIf(!HAS_POSTGRES)("questions of servers, with several instances", { timeout: 60_000 }, () => {
  it("are listed, checked and answered on any instance, and the call gets one answer", async () => {
    const { servers } = await openServers(3);
    const [first, second, third] = servers as [Server, Server, Server];
    const asked = first.ask();
    for (const each of servers) await waitUntil(async () => (await listIds(each)).length === 1);
    const [id = ""] = await listIds(second);
    expect(await second.service.validate({ id: "ada", name: "Ada" }, id, {})).toMatchObject({ valid: false });
    await expect(second.service.answer(LOCAL_OWNER, id, { action: "accept" })).rejects.toMatchObject({
      code: "INVALID",
    });
    const answers = await Promise.all([second, third].map(({ service }) => service.answer(LOCAL_OWNER, id, ACCEPT)));
    expect(answers.filter(({ answered }) => answered)).toHaveLength(1);
    expect(await asked).toEqual(ACCEPT);
    for (const each of servers) await waitUntil(async () => (await listIds(each)).length === 0);
    expect(await third.service.answer(LOCAL_OWNER, id, ACCEPT)).toEqual({ answered: false });
  });

  it("of a user's own connection are that user's on every instance", async () => {
    const { servers } = await openServers(2);
    const [first, second] = servers as [Server, Server];
    const ended = new AbortController();
    const asked = first.ask({ person: "ada" }, ended.signal).catch(() => "ended");
    await waitUntil(async () => (await listIds(second)).length === 1);
    const [id = ""] = await listIds(second);
    expect(await second.service.list("bob")).toEqual([]);
    await expect(second.service.answer(LOCAL_OWNER, id, ACCEPT)).rejects.toMatchObject({ code: "DENIED" });
    ended.abort();
    expect(await asked).toBe("ended");
    await waitUntil(async () => (await listIds(second)).length === 0);
  });

  it("are known to an instance that starts, and go with the instance that they came from", async () => {
    const { servers, open } = await openServers(2);
    const [first, second] = servers as [Server, Server];
    const ended = new AbortController();
    const asked = first.ask({}, ended.signal).catch(() => "ended");
    const later = await open();
    await later.service.load();
    expect(await listIds(later)).toHaveLength(1);
    expect(later.told).toHaveLength(1);
    await first.close();
    for (const each of [second, later]) await waitUntil(async () => (await listIds(each)).length === 0);
    await waitUntil(() => second.told.length + later.told.length > 1);
    ended.abort();
    await asked;
  });

  it("that need an open page find it on any instance, and end with the last one", async () => {
    const { servers } = await openServers(2);
    const [first, second] = servers as [Server, Server];
    await expect(first.ask({ needsViewer: true })).rejects.toMatchObject({ name: "NoViewer" });
    const close = second.viewers.add(LOCAL_PRINCIPAL);
    await waitUntil(() => first.viewers.includes(LOCAL_PRINCIPAL.id));
    const asked = first.ask({ needsViewer: true });
    await waitUntil(async () => (await listIds(second)).length === 1);
    close();
    await expect(asked).rejects.toMatchObject({ name: "NoViewer" });
  });
});
