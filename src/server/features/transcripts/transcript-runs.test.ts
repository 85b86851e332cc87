import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { ApprovalBroker, ApprovalResult } from "../../engine/approvals/approval-ports";
import type { ScriptedStep } from "../../models/scripted-client.test-support";
import { isAppError } from "../../platform/shared/app-error";
import { type Life, SETTINGS, scratchDatabases, startLife } from "../runs/run-service.test-support";
import { queriesOf, startTranscripts, testSettings } from "./transcript.test-support";

const databases = scratchDatabases();
const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await databases.remove();
});

/** Transcripts over real runs: the one executor, the logbook, and a model with a script. */
async function startWithRuns(script: ScriptedStep[], more: Partial<Life> = {}, isPrivateRun = async () => false) {
  const scratch = await databases.open();
  const heard: Parameters<typeof service.noteRun>[0][] = [];
  const life = await startLife(script, {
    scratch,
    ...more,
    ports: {
      ...more.ports,
      publish: (event) => {
        if (event.type !== "run") return;
        heard.push(event.run);
        service.noteRun(event.run);
      },
    },
  });
  const { service, stop } = await startTranscripts(scratch, {
    runs: life.runs.starter,
    isPrivateRun,
    getRun: (id) => life.runs.get(id).catch((error: unknown) => (isAppError(error) ? null : Promise.reject(error))),
  });
  running.push(stop);
  const { id } = await service.create(
    LOCAL_OWNER,
    testSettings({ provider: SETTINGS.provider, model: SETTINGS.model }),
  );
  return { ...life, service, id, heard };
}

describe("a query and its run", () => {
  it("AGT-13 is answered with tools, through the one executor, and recorded", async () => {
    const { service, id, runs, executions, ran } = await startWithRuns([
      { calls: [{ name: "echo", arguments: { n: 4 } }] },
      { text: "It is 4." },
    ]);
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Tool", speaker: "Ana" }]);
    await service.append(LOCAL_OWNER, id, [{ text: "room, what is 2 + 2?", speaker: "Ana" }]);
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("It is 4."));
    const [query] = await queriesOf(service, id);
    const page = await runs.list({ transcriptId: id, source: ["background"] }, undefined, 10);
    expect(page.items).toMatchObject([{ id: query?.runId, title: "what is 2 + 2?", toolCalls: 1, transcriptId: id }]);
    expect(ran).toEqual(['echo {"n":4}']);
    const logged = await executions.list({ runId: query?.runId ?? "" }, undefined, 10);
    expect(logged.items).toMatchObject([{ toolName: "echo", status: "succeeded" }]);
  });

  it("shows no answer of a run that only some people may read", async () => {
    const { service, id } = await startWithRuns([{ text: "What Ada's mail says." }], {}, async () => true);
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, what is new?" }]);
    await waitUntil(async () =>
      expect((await queriesOf(service, id))[0]?.answer).toMatch(/^The answer uses a person's own credential/),
    );
  });

  it("AGT-13 that cannot be asked stops neither the transcript nor the next query", async () => {
    const { service, id } = await startWithRuns([{ text: "One." }]);
    const { id: other } = await service.create(LOCAL_OWNER, testSettings({ provider: "gone" }));
    await service.append(LOCAL_OWNER, other, [{ text: "Hey Toolroom, one?" }]);
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }]);
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("One."));
    await waitUntil(async () =>
      expect(await queriesOf(service, other)).toMatchObject([
        { answer: null, runId: null, error: "Model provider 'gone' not found" },
      ]),
    );
  });

  it("AGT-13 one that waits for a person keeps no other from its answer, and has its own after the person's", async () => {
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
    const { service, id, ran, heard } = await startWithRuns(Array(20).fill(step), {
      broker,
      tools: { wipe: async () => "wiped" },
      ports: { requiresApproval: broker.required },
    });
    for (let n = 0; n < 4; n += 1) await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, delete it?" }]);
    await waitUntil(() => expect(yes).toHaveLength(4));
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, what is 2 + 2?" }]);
    await waitUntil(async () => expect((await queriesOf(service, id)).at(-1)?.answer).toBe("It is 4."));
    expect(ran).toEqual([]);
    expect(heard.filter(({ status }) => status === "waiting")).toHaveLength(4);
    for (const approve of yes) approve();
    await waitUntil(async () =>
      expect((await queriesOf(service, id)).map(({ answer }) => answer)).toEqual([
        ...Array(4).fill("It is gone."),
        "It is 4.",
      ]),
    );
  });
});
