import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedStep } from "../../adapters/models/scripted-client";
import { isAppError } from "../../app-error";
import { SETTINGS, scratchDatabases, startLife } from "../runs/run-service.test-support";
import { eventually, queriesOf, startTranscripts, testSettings } from "./transcript-fixtures";

const databases = scratchDatabases();
const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await databases.remove();
});

/** Transcripts over real runs: the one executor, the logbook, and a model with a script. */
async function startWithRuns(script: ScriptedStep[]) {
  const scratch = await databases.open();
  const life = await startLife(script, { scratch });
  const { service, stop } = await startTranscripts(scratch, "/nowhere", {
    ports: {
      runs: life.runs.starter,
      getRun: (id) => life.runs.get(id).catch((error: unknown) => (isAppError(error) ? null : Promise.reject(error))),
    },
  });
  running.push(stop);
  const { id } = await service.create(testSettings({ provider: SETTINGS.provider, model: SETTINGS.model }));
  return { ...life, service, id };
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
});
