import { callTRPCProcedure } from "@trpc/server";
import { expect, it, onTestFinished, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { procedures, router } from "./trpc";

/** The calls of one batch share a context. */
const createContext = () => ({ actor: LOCAL_PRINCIPAL, refusal: null, services: {} }) as never;

function call(app: ReturnType<typeof createApp>["app"], path: string, ctx: never): Promise<unknown> {
  const type = path === "write" ? "mutation" : "query";
  const asked = { router: app, path, ctx, type, getRawInput: async () => undefined, signal: undefined, batchIndex: 0 };
  return callTRPCProcedure(asked as never);
}

function createApp() {
  let running = 0;
  let most = 0;
  let called = 0;
  const ends: (() => void)[] = [];
  const work = async (): Promise<string> => {
    running += 1;
    called += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    return "done";
  };
  const app = router({ read: procedures.read.query(work), write: procedures.act.mutation(work) });
  return { app, ends, most: () => most, called: () => called };
}

it("a batch has four of its reads run at a time, and all of them in the end", async () => {
  const { app, ends, most, called } = createApp();
  const ctx = createContext();
  const batch = Promise.all(Array.from({ length: 25 }, () => call(app, "read", ctx)));
  for (let ended = 0; ended < 25; ended += 1) {
    await waitUntil(() => ends.length > ended);
    ends[ended]?.();
  }
  expect(await batch).toEqual(Array(25).fill("done"));
  expect([most(), called()]).toEqual([4, 25]);
});

it("a batch whose reads took long refuses the others, which succeed in requests of their own", async () => {
  const clock = vi.spyOn(performance, "now");
  onTestFinished(() => clock.mockRestore());
  let now = 0;
  clock.mockImplementation(() => now);
  const { app, ends, called } = createApp();
  const ctx = createContext();
  const batch = Promise.allSettled(Array.from({ length: 40 }, () => call(app, "read", ctx)));
  for (let ended = 0; ended < 4; ended += 1) {
    await waitUntil(() => ends.length > ended);
    now += 4_000;
    ends[ended]?.();
    await waitUntil(() => called() > ended);
  }
  // Those that had begun before the budget was used end.
  await waitUntil(() => {
    for (const end of ends) end();
    return called() >= 4;
  });
  const settled = await batch;
  const refused = settled.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(30);
  expect(refused[0]).toMatchObject({
    reason: { code: "TOO_MANY_REQUESTS", message: expect.stringContaining("in a request of its own") },
  });
  expect(called()).toBe(40 - refused.length);
  const alone = call(app, "read", createContext());
  await waitUntil(() => {
    for (const end of ends) end();
    return ends.length > 40 - refused.length;
  });
  ends.at(-1)?.();
  expect(await alone).toBe("done");
});

it("what acts is not part of the budget", async () => {
  const { app, ends, most } = createApp();
  const ctx = createContext();
  const batch = Promise.all(Array.from({ length: 10 }, () => call(app, "write", ctx)));
  await waitUntil(() => ends.length === 10);
  for (const end of ends) end();
  expect(await batch).toHaveLength(10);
  expect(most()).toBe(10);
});
