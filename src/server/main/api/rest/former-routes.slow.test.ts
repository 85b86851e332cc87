import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { evalInputSchema } from "../../../../lib/contract/eval";
import { suiteInputSchema } from "../../../../lib/contract/suite";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { createRestClient } from "./rest.test-support";

let container: Container;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-former-"));
  container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${folder}/test.db`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    }),
  );
  const { suites } = container.services;
  await suites.create(LOCAL_PRINCIPAL, suiteInputSchema.parse({ name: "smoke", tests: [{ name: "t", tool: "echo" }] }));
  const question = { suite: "sums", question: "What is 12*7?", expected: ["calculator"] };
  await suites.addEval(LOCAL_PRINCIPAL, evalInputSchema.parse(question));
});
afterAll(async () => {
  await container?.close();
  await rm(folder, { recursive: true, force: true });
});

it("routes of tests and evals answer with what they gave, and name their successors", async () => {
  const ask = createRestClient(container);
  const send = (method: "GET" | "POST", address: string, body?: unknown) =>
    ask({ method, address, body, actor: LOCAL_PRINCIPAL });
  const evals = await send("GET", "/evals");
  expect(await evals.json()).toMatchObject({ items: [{ name: "sums", evals: 1 }] });
  expect(evals.headers.get("deprecation")).toBe("@1795996800");
  expect(evals.headers.get("link")).toBe('</api/v1/suites>; rel="successor-version"');
  const questions = await send("GET", "/evals/sums/questions");
  expect(await questions.json()).toMatchObject({ items: [{ question: "What is 12*7?" }] });
  expect(questions.headers.get("link")).toBe('</api/v1/suites/sums/evals>; rel="successor-version"');
  const started = await send("POST", "/evals/sums/runs", { provider: "demo", model: "demo", rounds: 1 });
  expect(started.status).toBe(201);
  const { id } = (await started.json()) as { id: string };
  expect(await (await send("GET", `/eval-runs/${id}`)).json()).toMatchObject({ id, suite: "sums", model: "demo" });
  const tested = await send("POST", "/suites/smoke/run", { waitMs: 10_000 });
  expect(tested.headers.get("deprecation")).toBeNull();
  const list = async (address: string) => ((await (await send("GET", address)).json()) as { items: object[] }).items;
  expect(await list("/test-runs")).toMatchObject([{ kind: "tests", name: "smoke" }]);
  expect(await list("/eval-runs")).toMatchObject([{ kind: "evals", id }]);
  expect(await list("/suite-runs")).toHaveLength(2);
});
