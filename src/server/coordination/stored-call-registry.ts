import { randomUUID } from "node:crypto";
import type { Logger } from "../engine/ports";
import type { CallKind, CallOutcome, CallRegistry } from "./call-registry";
import type { InstanceDirectory } from "./instance-directory";
import { createSerialTask } from "./serial-task";
import type { CommandStorage, StoredCommand } from "./storage";
import type { WriteNotices } from "./write-notices";

/** Until the owner has taken a command, and then until it has carried it out. */
const CLAIM_LIMIT_MS = 5_000;
const FINISH_LIMIT_MS = 30_000;

export interface CallRegistryPorts {
  storage: CommandStorage;
  notices: WriteNotices;
  instances: Pick<InstanceDirectory, "id" | "isAlive" | "find">;
  logger: Logger;
  claimLimitMs?: number | undefined;
}

export interface StoredCallRegistry extends CallRegistry {
  /** Takes commands from other copies. */
  start(): void;
  close(): Promise<void>;
}

export function createCallRegistry(ports: CallRegistryPorts): StoredCallRegistry {
  const { storage, notices, instances, logger, claimLimitMs = CLAIM_LIMIT_MS } = ports;
  const handlers = new Map<CallKind, Parameters<CallRegistry["handle"]>[1]>();
  let unsubscribe = (): void => {};

  async function carryOut({ id, kind, key, payload }: StoredCommand): Promise<void> {
    const done = (await handlers.get(kind)?.(key, payload)) ?? false;
    await storage.finish(id, done);
  }

  const claiming = createSerialTask(async () => {
    for (const command of await storage.claim(instances.id)) {
      // A call may take a while to end; other commands need not wait for it.
      carryOut(command).catch((error: unknown) => {
        logger.error(
          { err: error, kind: command.kind, call: command.key },
          "A command of another server process failed",
        );
      });
    }
  });

  function look(): void {
    claiming.run().catch((error: unknown) => logger.warn({ err: error }, "Commands could not be read"));
  }

  /** Null when the owner did not take the command, or did not finish it, in time. */
  async function command(
    targetId: string,
    kind: CallKind,
    key: string,
    payload: string | null,
  ): Promise<boolean | null> {
    const id = `cmd_${randomUUID()}`;
    await storage.create({ id, targetId, kind, key, payload });
    try {
      const claimed = await waitFor(id, ({ isClaimed }) => isClaimed, claimLimitMs);
      if (claimed === null && (await storage.withdraw(id))) return null;
      return (await waitFor(id, ({ outcome }) => outcome !== null, FINISH_LIMIT_MS))?.outcome ?? null;
    } finally {
      await storage.delete(id);
    }
  }

  type Progress = NonNullable<Awaited<ReturnType<CommandStorage["find"]>>>;

  /** Reads again whenever another copy has written. */
  function waitFor(id: string, isReached: (progress: Progress) => boolean, limitMs: number): Promise<Progress | null> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(limit);
        stopListening();
        settle();
      };
      const check = (): void => {
        storage.find(id).then(
          (progress) => {
            if (progress !== null && isReached(progress)) end(() => resolve(progress));
          },
          (error: unknown) => end(() => reject(error)),
        );
      };
      const limit = setTimeout(() => end(() => resolve(null)), limitMs);
      const stopListening = notices.subscribe(check);
      check();
    });
  }

  async function reach(kind: CallKind, id: string, payload: string | null): Promise<CallOutcome> {
    const ownerId = await storage.findOwner(kind, id);
    if (ownerId === null) return { status: "ended" };
    if (ownerId === instances.id) {
      return { status: (await handlers.get(kind)?.(id, payload)) === true ? "done" : "ended" };
    }
    const owner = await instances.find(ownerId);
    if (owner === null || !(await instances.isAlive(ownerId))) return { status: "ended" };
    const done = await command(ownerId, kind, id, payload);
    if (done === null) return { status: "unreachable", owner };
    return { status: done ? "done" : "ended" };
  }

  return {
    handle: (kind, carryOut) => void handlers.set(kind, carryOut),
    findOwner: storage.findOwner,
    cancel: (kind, id) => reach(kind, id, null),
    send: reach,
    start() {
      unsubscribe = notices.subscribe(look);
      look();
    },
    async close() {
      unsubscribe();
      await claiming.stop();
    },
  };
}
