import { AppError } from "../shared/app-error";
import type { CallKind, CallRegistry } from "./call-registry";

interface BackgroundTaskPorts {
  kind: CallKind;
  /** The name of the tasks in the refusal of a start while the server stops: `the evals`. */
  what: string;
  /** Reaches tasks at every instance of the server; absent: there is one. */
  calls?: Pick<CallRegistry, "handle" | "cancel"> | undefined;
}

interface NewTask<Stored> {
  id: string;
  /** Stores the task as running. Null: it is refused. */
  save: () => Promise<Stored>;
  /** Performs the task, and stores its end. Never rejects. @param stop ends the task when it aborts, and may be aborted by it */
  perform: (stop: AbortController) => Promise<void>;
}

interface ActiveTask {
  stop: AbortController;
  ended: Promise<void>;
}

/** The tasks of one kind that this process performs in the background: each is stored first, and can be cancelled at any instance of the server. */
export function createBackgroundTasks({ kind, what, calls }: BackgroundTaskPorts) {
  const active = new Map<string, ActiveTask>();
  let isClosing = false;

  const cancelHere = (id: string): boolean => {
    const task = active.get(id);
    task?.stop.abort();
    return task !== undefined;
  };
  calls?.handle(kind, async (id) => cancelHere(id));

  function assertOpen(): void {
    if (isClosing) throw new AppError("UNAVAILABLE", `The server is stopping: start ${what} again afterwards`);
  }

  return {
    /** Whether the tasks that end now are interrupted. */
    isClosing: (): boolean => isClosing,
    count: (): number => active.size,

    /** @throws AppError UNAVAILABLE while the server stops */
    assertOpen,

    /** Resolves once the task is stored, null where that was refused. @throws AppError UNAVAILABLE */
    async start<Stored>({ id, save, perform }: NewTask<Stored>): Promise<Stored> {
      assertOpen();
      const task: ActiveTask = { stop: new AbortController(), ended: Promise.resolve() };
      // Added before it is stored, so that this process does not treat it as lost.
      active.set(id, task);
      const saving = save();
      const follow = async (): Promise<void> => {
        const stored = await saving.catch(() => null);
        if (stored !== null) await perform(task.stop);
      };
      task.ended = follow().finally(() => {
        // Another task may have taken the id since.
        if (active.get(id) === task) active.delete(id);
      });
      return await saving;
    },

    /** False where no instance of the server performs it. */
    async cancel(id: string): Promise<boolean> {
      return cancelHere(id) || (await calls?.cancel(kind, id))?.status === "done";
    },

    /** Ends tasks that are stored as running and whose process has ended. */
    async settleLost<Task extends { id: string }>(
      stored: readonly Task[],
      end: (task: Task) => Promise<unknown>,
    ): Promise<void> {
      for (const task of stored) if (!active.has(task.id)) await end(task);
    },

    /** Stops all of them, and waits for their ends. No further one starts. */
    async close(): Promise<void> {
      isClosing = true;
      const tasks = [...active.values()];
      for (const { stop } of tasks) stop.abort();
      await Promise.all(tasks.map(({ ended }) => ended));
    },
  };
}
