import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { createContainer } from "../container";
import { readEnv } from "../env";
import { answerExecutionsExport } from "./answer-exports";

async function openExports() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-exports-"));
  const container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${folder}/exports.db`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    }),
  );
  onTestFinished(() => container.close());
  const run = async (tool: string, text: string): Promise<string> => {
    const argumentsText = JSON.stringify({ text });
    return (await container.services.executions.run(LOCAL_PRINCIPAL, { tool, argumentsText }, "console")).id;
  };
  const read = async (query: Record<string, string>): Promise<Response> =>
    answerExecutionsExport(new Request(`http://localhost/api/executions/export?${new URLSearchParams(query)}`), {
      actor: LOCAL_PRINCIPAL,
      refusal: null,
      sessionId: null,
      source: "console",
      services: container.services,
      recheck: async () => LOCAL_PRINCIPAL,
      stopping: container.stopping,
    });
  return { run, read };
}

it("the export of chosen executions has these alone, and none that the filter leaves out", async () => {
  const { run, read } = await openExports();
  const first = await run("echo", "one");
  await run("echo", "two");
  const third = await run("echo", "three");
  const clock = await run("clock", "four");
  const listIds = async (query: Record<string, string>): Promise<string[]> =>
    (await (await read(query)).text())
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id);
  const filter = JSON.stringify({ tool: ["echo"] });
  expect(await listIds({ filter, ids: JSON.stringify([first, third, clock]) })).toEqual([third, first]);
  for (const ids of ["[]", '"all"', "[1]", JSON.stringify(Array.from({ length: 501 }, String))]) {
    const refused = await read({ ids });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("ids");
  }
});
