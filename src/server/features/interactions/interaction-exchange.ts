import type { InteractionAnswer, PendingInteraction } from "../../../lib/contract";
import type { CallRegistry } from "../../coordination/call-registry";
import { answerElsewhere } from "../../coordination/cancel-elsewhere";
import type { InstanceDirectory } from "../../coordination/instance-directory";
import { createSerialTask } from "../../coordination/serial-task";
import type { Logger } from "../../engine/ports";
import type { InteractionStore } from "./interaction-store";

export interface InteractionExchangePorts {
  store: InteractionStore;
  calls: Pick<CallRegistry, "send">;
  instances: Pick<InstanceDirectory, "findGone">;
  /** An answer may hold a password although the protocol forbids it. */
  seal: (answer: string, id: string) => string;
  /** Tells other copies that the list changed. Never rejects. */
  record: () => Promise<void>;
  logger: Logger;
}

/** Shows the requests of this copy of the server to the others, and answers theirs. */
export type InteractionExchange = ReturnType<typeof createInteractionExchange>;

export function createInteractionExchange(ports: InteractionExchangePorts) {
  const { store, instances } = ports;
  const stored = new Set<string>();
  let own: readonly PendingInteraction[] = [];

  const writing = createSerialTask(async () => {
    const open = own;
    const closed = [...stored].filter((id) => !open.some((interaction) => interaction.id === id));
    const opened = open.filter(({ id }) => !stored.has(id));
    if (closed.length === 0 && opened.length === 0) return;
    if (closed.length > 0) await store.delete(closed);
    for (const id of closed) stored.delete(id);
    for (const interaction of opened) {
      await store.add(interaction);
      stored.add(interaction.id);
    }
    await ports.record();
  });

  async function listAll() {
    const foreign = await store.listForeign();
    if (foreign.length === 0) return { open: [], gone: [] };
    const ids = new Set((await instances.findGone(foreign.map(({ instanceId }) => instanceId))).map(({ id }) => id));
    const interactions = (isGone: boolean): PendingInteraction[] =>
      foreign.filter(({ instanceId }) => ids.has(instanceId) === isGone).map(({ interaction }) => interaction);
    return { open: interactions(false), gone: interactions(true) };
  }

  return {
    /** Called with the requests that wait here, whenever one opened or closed. */
    publish(interactions: readonly PendingInteraction[]): void {
      own = interactions;
      writing.run().catch((error: unknown) => {
        ports.logger.warn({ err: error }, "Requests for user input could not be shown to other server processes");
      });
    },
    /** The requests of other copies that still run. */
    async list(): Promise<PendingInteraction[]> {
      try {
        return (await listAll()).open;
      } catch (error) {
        // Those of this copy must stay visible.
        ports.logger.warn({ err: error }, "Requests for user input of other server processes could not be read");
        return [];
      }
    },
    /** False where it was answered before, or its call no longer waits. @throws AppError where its copy does not respond */
    answer: (id: string, answer: InteractionAnswer): Promise<boolean> =>
      answerElsewhere(ports.calls, "interaction", id, ports.seal(JSON.stringify(answer), id)),
    /** Removes the requests of copies that have ended. False where there are none. */
    async sweep(): Promise<boolean> {
      const { gone } = await listAll();
      if (gone.length === 0) return false;
      await store.delete(gone.map(({ id }) => id));
      await ports.record();
      return true;
    },
    /** Writes what is left. */
    close: (): Promise<void> => writing.run(),
  };
}
