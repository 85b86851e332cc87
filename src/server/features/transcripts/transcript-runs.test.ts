import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract";
import type { ScriptedStep } from "../../adapters/models/scripted-client";
import { isAppError } from "../../app-error";
import type { ApprovalDesk, ApprovalVerdict } from "../../engine/approval-ports";
import { type Life, SETTINGS, scratchDatabases, startLife } from "../runs/run-service.test-support";
import { eventually, queriesOf, startTranscripts, testSettings } from "./transcript-fixtures";

const databases = scratchDatabases();
const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await databases.remove();
});

/** Transcripts over real runs: the one executor, the logbook, and a model with a script. */
async function startWithRuns(script: ScriptedStep[], more: Partial<Life> = {}) {
  const scratch = await databases.open();
  const heard: Parameters<typeof service.noteRun>[0][] = [];
  const life = await startLife(script, {
    ...{ scratch, ...more },
    ports: {
      ...more.ports,
      publish: (event) => {
        if (event.type !== "run") return;
        heard.push(event.run);
        service.noteRun(event.run);
      },
    },
  });
  const { service, stop } = await startTranscripts(scratch, "/nowhere", {
    ports: {
      runs: life.runs.starter,
      getRun: (id) => life.runs.get(id).catch((error: unknown) => (isAppError(error) ? null : Promise.reject(error))),
    },
  });
  running.push(stop);
  const { id } = await service.create(testSettings({ provider: SETTINGS.provider, model: SETTINGS.model }));
  return { ...life, service, id, heard };
}

describe("a query and its run", () => {
  it("AGT-13 is answered with tools, through the one executor and into the logbook", async () => {
    const { service, id, runs, executions, ran } = await startWithRuns([
      { calls: [{ name: "echo", arguments: { n: 4 } }] },
      { text: "It is 4." },
    ]);
    await service.append(id, [{ text: "Hey Tool", speaker: "Ana" }]);
    await service.append(id, [{ text: "room, what is 2 + 2?", speaker: "Ana" }]);
    await eventually(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("It is 4."));
    const [query] = await queriesOf(service, id);
    const page = await runs.list({ transcriptId: id, source: ["background"] }, undefined, 10);
    expect(page.items).toMatchObject([{ id: query?.runId, title: "what is 2 + 2?", toolCalls: 1, transcriptId: id }]);
    expect(ran).toEqual(['echo {"n":4}']);
    const logged = await executions.list({ runId: query?.runId ?? "" }, undefined, 10);
    expect(logged.items).toMatchObject([{ toolName: "echo", status: "succeeded" }]);
  });

  it("AGT-13 that cannot be asked stops neither the transcript nor the next query", async () => {
    const { service, id } = await startWithRuns([{ text: "One." }]);
    const { id: other } = await service.create(testSettings({ provider: "gone" }));
    await service.append(other, [{ text: "Hey Toolroom, one?" }]);
    await service.append(id, [{ text: "Hey Toolroom, one?" }]);
    await eventually(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("One."));
    await eventually(async () =>
      expect(await queriesOf(service, other)).toMatchObject([
        { answer: null, runId: null, error: "Model provider 'gone' not found" },
      ]),
    );
  });

  it("AGT-13 one that waits for a person keeps no other from its answer, and has its own after the person's", async () => {
    const yes: (() => void)[] = [];
    const desk: ApprovalDesk = {
      required: ({ name }) => name === "wipe",
      ask: ({ opened }) =>
        new Promise<ApprovalVerdict>((resolve) => {
          opened(Date.now() + 60_000);
          yes.push(() => resolve({ approved: true, by: LOCAL_OWNER, at: Date.now(), reason: null }));
        }),
    };
    const step: ScriptedStep = (messages) => {
      if (!JSON.stringify(messages[0]).includes(":\\n\\ndelete it?")) return { text: "It is 4." };
      return messages.length > 1 ? { text: "It is gone." } : { calls: [{ name: "wipe" }] };
    };
    const { service, id, ran, heard } = await startWithRuns(Array(20).fill(step), {
      ...{ desk, tools: { wipe: async () => "wiped" } },
      ports: { requiresApproval: desk.required },
    });
    for (let n = 0; n < 4; n += 1) await service.append(id, [{ text: "Hey Toolroom, delete it?" }]);
    await eventually(() => expect(yes).toHaveLength(4));
    await service.append(id, [{ text: "Hey Toolroom, what is 2 + 2?" }]);
    await eventually(async () => expect((await queriesOf(service, id)).at(-1)?.answer).toBe("It is 4."));
    expect(ran).toEqual([]);
    expect(heard.filter(({ status }) => status === "waiting")).toHaveLength(4);
    for (const approve of yes) approve();
    await eventually(async () =>
      expect((await queriesOf(service, id)).map(({ answer }) => answer)).toEqual([
        ...Array(4).fill("It is gone."),
        "It is 4.",
      ]),
    );
  });
});
