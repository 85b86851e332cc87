import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { transcriptSettingsSchema } from "../../../lib/contract/transcript";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { ApprovalBroker, ApprovalResult } from "../../engine/approvals/approval-ports";
import type { ScriptedStep } from "../../models/scripted-client.test-support";
import { quietLogger } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { type Life, SETTINGS, scratchDatabases, startLife } from "../runs/run-service.test-support";
import { createTranscriptStore } from "./db/transcript-store";
import { createTranscriptService, type TranscriptServicePorts } from "./transcript-service";

const databases = scratchDatabases();
const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await databases.remove();
});

const FACTS = { title: "Standup", provider: SETTINGS.provider, model: SETTINGS.model, silenceMs: 10_000 };
const testSettings = (more: object = {}) => transcriptSettingsSchema.parse({ ...FACTS, ...more });

let count = 0;

/** Transcripts over real runs: the one executor, the execution log, and a model with a script. */
async function start(script: ScriptedStep[], more: Partial<Life> = {}, ports: Partial<TranscriptServicePorts> = {}) {
  const scratch = more.scratch ?? (await databases.open());
  const life = await startLife(script, {
    ...more,
    scratch,
    ports: { ...more.ports, publish: (event) => event.type === "run" && service.noteRun(event.run) },
  });
  const service = createTranscriptService({
    store: createTranscriptStore({ db: scratch.db }),
    runs: life.runs.starter,
    actor: LOCAL_OWNER,
    checkProvider: async (name) => {
      if (name === "gone") throw new AppError("NOT_FOUND", "provider: Model provider 'gone' not found");
    },
    clock: { now: Date.now, elapsed: () => performance.now() },
    newId: () => `test0000${++count}`,
    newRunId: () => `run_asked0000${++count}`,
    logger: quietLogger(),
    ...ports,
  });
  running.push(service.stop);
  const ended = async (id: string) => {
    await waitUntil(async () => (await life.runs.get(id)).status === "succeeded");
    return await life.runs.get(id);
  };
  return { ...life, scratch, service, ended };
}

describe("a query in a transcript", () => {
  it("AGT-13 is answered with tools, through the one executor, and recorded, also where two segments share its wake phrase", async () => {
    const { service, runs, executions, ran, ended } = await start([
      { calls: [{ name: "echo", arguments: { n: 4 } }] },
      { text: "It is 4." },
    ]);
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    expect(await service.append(LOCAL_OWNER, id, [{ text: "Hey Tool", speaker: "Ana" }])).toEqual({ runs: [] });
    const { runs: asked } = await service.append(LOCAL_OWNER, id, [{ text: "room, what is 2 + 2?", speaker: "Ana" }]);
    const run = await ended(asked[0] ?? "");
    expect(run).toMatchObject({ source: "background", title: "what is 2 + 2?", toolCalls: 1, transcriptId: id });
    expect(JSON.stringify(run.events)).toContain("It is 4.");
    expect((await runs.list({ transcriptId: id }, undefined, 10)).items.map((each) => each.id)).toEqual(asked);
    expect(ran).toEqual(['echo {"n":4}']);
    const logged = await executions.list({ runId: run.id }, undefined, 10);
    expect(logged.items).toMatchObject([{ toolName: "echo", status: "succeeded" }]);
  });

  it("AGT-13 ends with silence where it has no full stop, without another segment", async () => {
    const { service, runs } = await start([{ text: "One." }]);
    const { id } = await service.create(LOCAL_OWNER, testSettings({ silenceMs: 200 }));
    expect(await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, what is one" }])).toEqual({ runs: [] });
    const listed = async () => (await runs.list({ transcriptId: id }, undefined, 10)).items;
    await waitUntil(async () => expect(await listed()).toMatchObject([{ title: "what is one" }]));
  });

  it("AGT-13 continues in the next process in the middle of a wake phrase, and is asked once", async () => {
    const first = await start([]);
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    await first.service.append(LOCAL_OWNER, id, [{ text: "Well. Hey Tool", speaker: "Ana" }]);
    await first.service.stop();
    await expect(first.service.append(LOCAL_OWNER, id, [{ text: "room, one?" }])).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
    const { service, runs, ended } = await start([{ text: "One." }], { scratch: first.scratch, instanceId: "inst_2" });
    const { runs: asked } = await service.append(LOCAL_OWNER, id, [{ text: "room, one?", speaker: "Ana" }]);
    await ended(asked[0] ?? "");
    expect((await runs.list({ transcriptId: id }, undefined, 10)).items).toHaveLength(1);
  });

  it("AGT-13 is found where another instance takes the next segment", async () => {
    const one = await start([{ text: "One." }]);
    const other = createTranscriptService({
      store: createTranscriptStore({ db: one.scratch.db }),
      runs: one.runs.starter,
      actor: LOCAL_OWNER,
      checkProvider: async () => undefined,
      clock: { now: Date.now, elapsed: () => performance.now() },
      newId: () => "unused",
      newRunId: () => "run_asked_there",
      logger: quietLogger(),
    });
    running.push(other.stop);
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await one.service.append(LOCAL_OWNER, id, [{ text: "Hey Tool" }]);
    await other.append(LOCAL_OWNER, id, [{ text: "room, what" }]);
    expect((await one.service.append(LOCAL_OWNER, id, [{ text: "is one?" }])).runs).toHaveLength(1);
  });

  it("AGT-13 AGT-05 that waits for a user keeps no other from its answer", async () => {
    const yes: (() => void)[] = [];
    const broker: ApprovalBroker = {
      required: ({ name }) => name === "wipe",
      ask: ({ opened }) =>
        new Promise<ApprovalResult>((resolve) => {
          opened(Date.now() + 60_000);
          yes.push(() => resolve({ approved: true, by: LOCAL_OWNER, at: Date.now(), reason: null }));
        }),
    };
    const step: ScriptedStep = (messages) => {
      if (!JSON.stringify(messages[0]).includes(":\\n\\ndelete it?")) return { text: "It is 4." };
      return messages.length > 1 ? { text: "It is gone." } : { calls: [{ name: "wipe" }] };
    };
    const { service, ran, ended } = await start(Array(20).fill(step), {
      broker,
      tools: { wipe: async () => "wiped" },
      ports: { requiresApproval: broker.required },
    });
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    const waiting: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      waiting.push(...(await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, delete it?" }])).runs);
    }
    await waitUntil(() => expect(yes).toHaveLength(4));
    const { runs: asked } = await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, what is 2 + 2?" }]);
    await ended(asked[0] ?? "");
    expect(ran).toEqual([]);
    for (const approve of yes) approve();
    for (const run of waiting) await ended(run);
    expect(ran).toHaveLength(4);
  });
});

describe("segments and settings", () => {
  it("AGT-13 are refused with a message for each field, for an unknown or closed transcript, and for a provider that is gone", async () => {
    const { service, scratch } = await start([]);
    const invalid = service.create(LOCAL_OWNER, testSettings({ wakePhrases: ["?!"], provider: "gone" }));
    await expect(invalid).rejects.toMatchObject({
      problems: [{ path: "wakePhrases" }, { path: "provider", message: "Model provider 'gone' not found" }],
    });
    const say = (id: string) => service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }]);
    await expect(say("transcript_nothing0")).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    const { transcript } = scratch.db.prisma;
    const stored = await transcript.findUniqueOrThrow({ where: { id } });
    await transcript.update({ where: { id }, data: { settings: stored.settings.replace(FACTS.provider, "gone") } });
    await expect(say(id)).rejects.toThrow("Model provider 'gone' not found");
    await transcript.update({ where: { id }, data: { status: "closed" } });
    await expect(say(id)).rejects.toMatchObject({ code: "CONFLICT" });
  });
});
