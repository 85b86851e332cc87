import type { InteractionAnswer, InteractionRequest, PendingInteraction } from "../../../lib/contract";
import { AppError } from "../../app-error";
import { describeFaults } from "../../engine/argument-faults";
import type { InteractionDesk } from "../../engine/mcp-ports";
import type { ArgumentValidator, Clock, ExecutionLimits } from "../../engine/ports";
import { validateArguments } from "../../engine/validate-arguments";

export type InteractionService = ReturnType<typeof createInteractionService>;

export interface InteractionServicePorts {
  newId: () => string;
  clock: Clock;
  onChange: () => void;
  validator: ArgumentValidator;
  limits: ExecutionLimits;
}

interface Waiting {
  interaction: PendingInteraction;
  answer: (answer: InteractionAnswer) => void;
}

/**
 * What MCP servers ask of a person while their calls wait. Kept in memory: the calls that wait live no longer than this
 * process.
 */
export function createInteractionService(ports: InteractionServicePorts) {
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
    /**
     * False when somebody else has answered, or the call no longer waits.
     * @throws AppError for values that do not fit the form: the question stays
     */
    async answer(id: string, answer: InteractionAnswer): Promise<{ answered: boolean }> {
      const question = waiting.get(id);
      if (question === undefined) return { answered: false };
      const faults = await faultsOf(question.interaction.request, answer);
      if (faults !== null) throw new AppError("INVALID", faults);
      // Checking may have taken a moment, in which another tab was quicker.
      if (!waiting.has(id)) return { answered: false };
      question.answer(answer);
      return { answered: true };
    },
  };

  async function faultsOf(request: InteractionRequest, answer: InteractionAnswer): Promise<string | null> {
    if (request.kind !== "form" || answer.action !== "accept") return null;
    // A form that cannot be judged here is the server's to judge.
    if (ports.validator.checkSchema(request.schema) !== null) return null;
    const refusal = await validateArguments(ports.validator, request.schema, answer.content ?? {}, ports.limits);
    if (refusal === null) return null;
    return describeFaults(refusal.faults, refusal.unlisted).replace(/^Invalid parameters/, "The answer does not fit");
  }
}
