import type { InteractionAnswer, PendingInteraction } from "../../../lib/contract";
import type { InteractionDesk } from "../../engine/mcp-ports";
import type { Clock } from "../../engine/ports";

export type InteractionService = ReturnType<typeof createInteractionService>;

interface Waiting {
  interaction: PendingInteraction;
  answer: (answer: InteractionAnswer) => void;
}

/**
 * What MCP servers ask of a person while their calls wait. Kept in memory: the calls that wait live no longer than this
 * process.
 */
export function createInteractionService(ports: { newId: () => string; clock: Clock; onChange: () => void }) {
  const waiting = new Map<string, Waiting>();

  const desk: InteractionDesk = {
    ask: ({ server, executionId, toolName, request }, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const id = ports.newId();
        const end = (): void => {
          signal.removeEventListener("abort", onAbort);
          waiting.delete(id);
          ports.onChange();
        };
        const onAbort = (): void => {
          end();
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.set(id, {
          interaction: { id, server, executionId, toolName, askedAt: ports.clock.now(), request },
          answer: (answer) => {
            end();
            resolve(answer);
          },
        });
        ports.onChange();
      }),
  };

  return {
    desk,
    /** In the order they were asked. */
    list: (): PendingInteraction[] => Array.from(waiting.values(), ({ interaction }) => interaction),
    /** False when somebody else has answered, or the call no longer waits. */
    answer(id: string, answer: InteractionAnswer): { answered: boolean } {
      const question = waiting.get(id);
      question?.answer(answer);
      return { answered: question !== undefined };
    },
  };
}
