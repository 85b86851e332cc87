/** A case of `bench/hostile.ts`: calls fail while many webhooks have receivers that are down. */
import { createServer } from "node:net";
import type { Case, Context } from "./hostile-case";

const RECEIVERS = 40;
const CALLS = 300;
const AT_ONCE = 4;
const ROUNDS = 3;
/** Of the calls a second without a webhook. */
const MIN_RATIO = 0.9;

/** A call of an unknown name fails without a tool of its own. */
const UNKNOWN = "no_such_tool";

/** A port at which nothing listens. */
async function findDeadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 9) : 9;
}

/** @returns calls a second */
async function measureCalls({ api }: Context): Promise<number> {
  let left = CALLS;
  const begun = performance.now();
  const call = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await api("executions.run", { name: UNKNOWN, argumentsText: "{}", waitMs: 60_000 });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, call));
  return (CALLS * 1000) / (performance.now() - begun);
}

async function addWebhooks({ api }: Context): Promise<string[]> {
  const port = await findDeadPort();
  const ids: string[] = [];
  for (let index = 0; index < RECEIVERS; index += 1) {
    const url = `http://127.0.0.1:${port}/${index}`;
    const { id } = await api<{ id: string }>("webhooks.create", { webhook: { url, events: ["execution.failed"] } });
    ids.push(id);
  }
  return ids;
}

/** Rounds with and without webhooks in turn: the machine is not always as fast. */
export const deadReceivers: Case = {
  name: `webhooks: ${RECEIVERS} dead receivers, ${ROUNDS} × ${CALLS} failed calls`,
  async prepare(context) {
    await measureCalls(context);
  },
  async run(context) {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const without = await measureCalls(context);
      const ids = await addWebhooks(context);
      const during = await measureCalls(context);
      ratios.push(during / without);
      for (const id of ids) await context.api("webhooks.delete", { id });
    }
    const best = Math.max(...ratios);
    process.stdout.write(
      `calls a second, of those without webhooks: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}\n`,
    );
    if (best < MIN_RATIO) throw new Error(`${best.toFixed(2)} of the calls without webhooks`);
  },
};
