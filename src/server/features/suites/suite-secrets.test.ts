import { expect, it, onTestFinished } from "vitest";
import { suiteInputSchema } from "../../../lib/contract/suite";
import { CallMask } from "../../engine/masking/call-mask";
import { testMasking } from "../../engine/masking/masking.test-support";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createSuiteStore } from "./db/suite-store";
import { createSuites } from "./suite-edits";
import { createSuiteSecrets } from "./suite-secrets";

const ADA = { id: "ada", name: "Ada" };

it("a suite that an earlier version stored as it was entered is hidden at the start, and keeps its schedule, editor and values", async () => {
  const scratch = await createScratchDatabase();
  onTestFinished(scratch.remove);
  const store = createSuiteStore({ db: scratch.db, now: () => 1_000 });
  const keys = { isLost: false };
  const secrets = createSuiteSecrets({
    maskArguments: (_tool, text) => new CallMask(null, testMasking).argumentsText(text),
    seal: (text) => Buffer.from(text).toString("base64"),
    open(sealed) {
      if (keys.isLost) throw new Error("A stored secret was encrypted with another key");
      return Buffer.from(sealed, "base64").toString();
    },
  });
  const events = { onScheduled: async () => undefined, onChange: () => undefined };
  const suites = createSuites({
    store,
    countEvals: async () => new Map(),
    now: () => 2_000,
    checkJsonSchema: () => null,
    secrets,
    ...events,
  });
  const args = { login: { password: "planted-word" }, tokens: ["planted-one", "planted-two"], note: "as entered" };
  const tests = [
    { name: "one", tool: "login", arguments: args },
    { name: "plain", tool: "login", arguments: { note: "x" } },
  ];
  const input = suiteInputSchema.parse({ name: "old", tests });
  await store.createSuite(input, { nextRunAt: 5_000, scheduledBy: ADA }, ADA);
  await suites.hideStored();
  const readSettings = async () => (await scratch.db.prisma.suite.findFirst())?.settings ?? "";
  expect(await readSettings()).not.toContain("planted");
  const hidden = await suites.find("old");
  expect(hidden).toMatchObject({ nextRunAt: 5_000, scheduledBy: ADA, lastEdit: { by: "Ada" } });
  expect(suites.reveal(hidden).tests.map((test) => test.arguments)).toEqual(tests.map((test) => test.arguments));
  const settings = await readSettings();
  await suites.hideStored();
  expect(await readSettings()).toBe(settings);

  // With another key the masks stay, and an edit of the rest is possible.
  keys.isLost = true;
  expect(JSON.stringify(suites.reveal(hidden))).not.toContain("planted");
  expect((await suites.update(ADA, "old", { ...input, tests: hidden.tests, description: "edited" })).tests).toEqual(
    hidden.tests,
  );
});
