import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { callRuleInputSchema } from "../../lib/contract/call-rule";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { Container } from "./container";
import { PATIENT_TIMING, startInstances } from "./start-copies.test-support";

const CALLS = 1_000;
const AT_ONCE = 50;
const MOST = 300;

describe.skipIf(!HAS_POSTGRES)("a limit on three instances", { timeout: 180_000 }, () => {
  it("lets exactly its number of calls through, 50 at once over all of them, and none more after a restart", async () => {
    const { copies, start } = await startInstances(3, { timing: PATIENT_TIMING });
    const [one] = copies as [Container, Container, Container];
    const rule = callRuleInputSchema.parse({ name: "few", effect: { kind: "limit", most: MOST, minutes: 1_440 } });
    await one.services.acting.answered(() => one.services.rules.create(LOCAL_PRINCIPAL, rule));
    const call = async (at: number): Promise<boolean> => {
      const { services } = copies[at % 3] as Container;
      return (await services.executions.execute("echo", { message: "a" }, { actor: LOCAL_PRINCIPAL })).success;
    };
    let passed = 0;
    for (let from = 0; from < CALLS; from += AT_ONCE) {
      const round = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => call(from + at)));
      passed += round.filter(Boolean).length;
    }
    expect(passed).toBe(MOST);
    expect(await one.services.rules.usage()).toMatchObject([{ used: MOST, most: MOST }]);
    const late = await start();
    expect(await late.services.rules.usage()).toMatchObject([{ used: MOST, freeAt: expect.any(Number) }]);
    const [, , three] = copies as [Container, Container, Container];
    await three.services.rules.resetUsage(LOCAL_PRINCIPAL, (await three.services.rules.list())[0]?.id ?? "");
    expect(await call(0)).toBe(true);
  });

  it("counts the calls of all instances in conditions, and of those that have ended", async () => {
    const { copies, start } = await startInstances(2, { timing: PATIENT_TIMING });
    const [one] = copies as [Container, Container];
    const effect = { kind: "deny", reason: "often" };
    const rule = callRuleInputSchema.parse({ name: "often", condition: "count(60) >= 4", effect });
    await one.services.acting.answered(() => one.services.rules.create(LOCAL_PRINCIPAL, rule));
    const call = async ({ services }: Container): Promise<boolean> =>
      (await services.executions.execute("echo", { message: "a" }, { actor: LOCAL_PRINCIPAL })).success;
    const passed: boolean[] = [];
    for (let made = 0; made < 6; made += 1) passed.push(await call(copies[made % 2] as Container));
    expect(passed).toEqual([true, true, true, true, false, false]);
    expect(await call(await start())).toBe(false);
    const explained = await one.services.ruleExplainer.explain(LOCAL_PRINCIPAL, {
      tool: "echo",
      arguments: { message: "a" },
    });
    expect(explained).toMatchObject({ outcome: "denied", by: "often", rules: [{ values: { "count(60)": 7 } }] });
  });
});
