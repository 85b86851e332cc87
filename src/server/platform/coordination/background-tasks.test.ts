import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../db/postgres/scratch-postgres.test-support";
import { createBackgroundTasks } from "./background-tasks";
import type { CallKind, CallRegistry } from "./call-registry";
import { createCallRegistry } from "./coordination";
import { openInstances } from "./postgres/coordination-copies.test-support";

/** The kinds whose tasks run in the background. */
const KINDS: readonly CallKind[] = ["suite_run", "change_replay"];

function createDeferred<T>() {
  let resolve = (_value: T): void => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The tasks of one instance, each of which ends when it is stopped. */
function open(kind: CallKind, calls: CallRegistry = createCallRegistry()) {
  const tasks = createBackgroundTasks({ kind, what: "the task", calls });
  const log: string[] = [];
  onTestFinished(() => tasks.close());
  return {
    tasks,
    log,
    start: (id: string, save = async (): Promise<string | null> => `stored ${id}`) =>
      tasks.start({
        id,
        save,
        async perform({ signal }) {
          log.push(`begun ${id}`);
          await new Promise((resolve) => (signal.aborted ? resolve(null) : signal.addEventListener("abort", resolve)));
          log.push(`${tasks.isClosing() ? "interrupted" : "cancelled"} ${id}`);
        },
      }),
  };
}

describe.each(KINDS)("a task of the kind %s", (kind) => {
  it("runs once it is stored, and is cancelled once", async () => {
    const { tasks, log, start } = open(kind);
    expect(await start("one")).toBe("stored one");
    expect(tasks.count()).toBe(1);
    expect(await tasks.cancel("one")).toBe(true);
    await waitUntil(() => tasks.count() === 0);
    expect(log).toEqual(["begun one", "cancelled one"]);
    expect(await tasks.cancel("one")).toBe(false);
  });

  it("does not run where storing it fails or is refused", async () => {
    const { tasks, log, start } = open(kind);
    await expect(start("one", () => Promise.reject(new Error("the disk is full")))).rejects.toThrow("the disk is full");
    expect(await start("one", async () => null)).toBeNull();
    await waitUntil(() => tasks.count() === 0);
    expect(log).toEqual([]);
  });

  it("that was cancelled while it was stored ends at once", async () => {
    const { tasks, log, start } = open(kind);
    const saved = createDeferred<string>();
    const starting = start("one", () => saved.promise);
    expect(await tasks.cancel("one")).toBe(true);
    saved.resolve("stored");
    expect(await starting).toBe("stored");
    await waitUntil(() => tasks.count() === 0);
    expect(log).toEqual(["begun one", "cancelled one"]);
  });

  it("is lost where it is stored as running and does not run here, and is being stored neither", async () => {
    const { tasks, start } = open(kind);
    const saved = createDeferred<string>();
    await start("runs");
    const starting = start("starts", () => saved.promise);
    const lost: string[] = [];
    const stored = ["runs", "starts", "lost"].map((id) => ({ id, owner: null }));
    await tasks.settleLost(stored, async ({ id }) => lost.push(id));
    expect(lost).toEqual(["lost"]);
    saved.resolve("stored");
    await starting;
  });

  it("is interrupted when the server stops, which waits for its end and refuses others", async () => {
    const { tasks, log, start } = open(kind);
    await start("one");
    await tasks.close();
    expect(log).toEqual(["begun one", "interrupted one"]);
    await expect(start("two")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: "The server is stopping: start the task again afterwards",
    });
    expect(() => tasks.assertOpen()).toThrow("is stopping");
  });

  it("keeps its id from the end of an earlier task that had it", async () => {
    const { tasks } = open(kind);
    const ends = [createDeferred<void>(), createDeferred<void>()];
    for (const end of ends) await tasks.start({ id: "one", save: async () => "stored", perform: () => end.promise });
    ends[0]?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await tasks.cancel("one")).toBe(true);
    ends[1]?.resolve();
    await waitUntil(() => tasks.count() === 0);
  });

  it.skipIf(!HAS_POSTGRES)("is cancelled at any instance of the server", async () => {
    const { copies } = await openInstances(2);
    const [first, second] = copies.map(({ calls }) => open(kind, calls));
    await first?.start("one");
    expect(await second?.tasks.cancel("other")).toBe(false);
    expect(await second?.tasks.cancel("one")).toBe(true);
    await waitUntil(() => first?.tasks.count() === 0);
    expect(first?.log).toEqual(["begun one", "cancelled one"]);
  });
});
