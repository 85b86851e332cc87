import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seed } from "../../../prisma/seed";
import { EXCHANGE_RATE } from "../../../prisma/seed/suites";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import type { TestRunDetail } from "../../lib/contract/suite";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, type Surroundings, serveRest } from "./commands.test-support";

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-suites-"));
  const env = readEnv({
    DATABASE_URL: `file:${folder}/toolroom.db`,
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    TOOLROOM_LOG_LEVEL: "silent",
  });
  await seed(env, ["suites"], () => undefined);
  container = await createContainer(env);
  server = await serveRest(container);
});
afterAll(async () => {
  await server?.close();
  await container?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (words: readonly string[], io: Surroundings = {}) =>
  runWords(words, { cwd: folder, ...io, env: { TOOLROOM_URL: server.url, ...io.env } });

/** Changes the seeded tool as a user does. */
async function setRate(rate: number): Promise<void> {
  const [rule, ...others] = EXCHANGE_RATE.implementation.mock_responses;
  const changed = { ...rule, response: { rate, source: "table" } };
  const implementation = { ...EXCHANGE_RATE.implementation, mock_responses: [changed, ...others] };
  const text = JSON.stringify({ ...EXCHANGE_RATE, implementation });
  await container.services.tools.update(LOCAL_PRINCIPAL, EXCHANGE_RATE.name, text);
}

describe("the suite of the seeded tools on the command line", () => {
  it("passes, with exit code 0 and a JUnit report", async () => {
    const { code, stdout } = await run(["test", "samples", "--junit", "report/junit.xml"]);
    expect(stdout).toContain("samples: passed, 7 of 7 passed");
    expect(code).toBe(0);
    const junit = await readFile(path.join(folder, "report/junit.xml"), "utf8");
    expect(junit).toContain('<testsuites name="Toolroom" tests="7" failures="0" errors="0" skipped="0">');
    expect(junit).toMatch(/<testcase name="weather of Oslo" classname="samples\.get_weather" time="[\d.]+"\/>/);
  });

  it("fails after a tool was changed, with exit code 1, the difference, and a failure in the report", async () => {
    await setRate(12);
    try {
      const { code, stdout, stderr } = await run(["test", "--junit", "failed.xml"]);
      expect(code).toBe(1);
      expect(stdout).toContain("samples: failed, 6 of 7 passed");
      expect(stdout).toMatch(/failed {3}exchange rate from the table[\s\S]*rate is different[\s\S]*11\.62[\s\S]*12/);
      expect(stderr).toContain("1 suite failed.");
      const junit = await readFile(path.join(folder, "failed.xml"), "utf8");
      expect(junit).toContain('tests="7" failures="1" errors="0" skipped="0"');
      expect(junit).toContain('<failure message="rate is different">');
      const json = await run(["test", "samples", "--json"]);
      expect(json.code).toBe(1);
      const { runs } = JSON.parse(json.stdout) as { runs: TestRunDetail[] };
      const bad = runs[0]?.results.filter(({ status }) => status !== "passed") ?? [];
      expect(bad).toMatchObject([
        { tool: "exchange_rate", problems: [{ path: "rate", expected: "11.62", actual: "12" }] },
      ]);
      const call = await container.services.executions.get(bad[0]?.executionId ?? "");
      expect(call).toMatchObject({ source: "test", status: "succeeded" });
    } finally {
      await setRate(11.62);
    }
  });

  it("is exported as the same bytes each time, runs from a file without being saved, and is imported", async () => {
    const file = await run(["suites", "export"]);
    expect((await run(["suites", "export", "samples"])).stdout).toBe(file.stdout);
    const own = JSON.parse(file.stdout) as { suites: { name: string; tests: object[] }[] };
    const [samples] = own.suites;
    if (samples === undefined) throw new Error("No suite was exported");
    const edited = { ...own, suites: [{ ...samples, name: "edited", tests: samples.tests.slice(0, 1) }] };
    await writeFile(path.join(folder, "edited.json"), JSON.stringify(edited));
    expect(await run(["test", "--file", "edited.json"])).toMatchObject({ code: 0 });
    expect((await run(["suites", "list"])).stdout).not.toContain("edited");
    expect((await run(["suites", "import", "edited.json"])).stdout).toContain("1 created, 0 replaced, 0 without");
    expect((await run(["suites", "import", "edited.json"])).stdout).toContain("0 created, 0 replaced, 1 without");
    expect((await run(["suites", "list"])).stdout).toMatch(/^edited +tests +1 +never/m);
    await container.services.suites.delete(LOCAL_PRINCIPAL, "edited");
  });

  it("says in one sentence what is wrong with names and files", async () => {
    expect(await run(["test", "nope"])).toMatchObject({ code: 3, stderr: expect.stringContaining("no suite 'nope'") });
    await writeFile(path.join(folder, "bad.json"), '{"toolroomSuites":1,"suites":[{"name":"a b"}]}');
    const bad = await run(["test", "--file", "bad.json"]);
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining("suite.name: must be 1 to 64") });
    expect(await run(["test", "x", "--file", "bad.json"])).toMatchObject({ code: 2 });
    expect(await run(["test", "--file", "gone.json"])).toMatchObject({ code: 2 });
  });
});

describe("a replay of recorded calls on the command line", () => {
  const words = ["executions", "replay-all", "--tool", "exchange_rate"];

  it("counts first, finds the same outcomes, and names what a change made different", async () => {
    const rates = { tool: "exchange_rate", argumentsText: '{"from":"EUR","to":"NOK"}' };
    await container.services.executions.run(LOCAL_PRINCIPAL, rates);
    await container.services.executions.run(LOCAL_PRINCIPAL, { ...rates, argumentsText: '{"from":"USD","to":"NOK"}' });
    expect((await run([...words, "--dry-run"])).stdout).toBe("2 calls of 2 that match.\n");
    expect(await run(words)).toMatchObject({ code: 0, stdout: expect.stringContaining("2 same, 0 different") });
    await setRate(12);
    const changed = await run(words);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/1 same, 1 different, 0 failed, 0 not called\n {2}different .*rate is different/);
    await setRate(11.62);
  });
});
