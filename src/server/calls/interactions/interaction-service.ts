import type { Actor } from "../../../lib/contract/actor";
import type { ArgumentVerdict } from "../../../lib/contract/envelope";
import type { InteractionAnswer, InteractionRequest, PendingInteraction } from "../../../lib/contract/interaction";
import type { JsonSchema } from "../../../lib/contract/json";
import type { InteractionBroker, ServerQuestion } from "../../engine/mcp-ports";
import type { ArgumentValidator, Clock, ExecutionLimits } from "../../engine/ports";
import { describeFaults } from "../../engine/validation/argument-faults";
import { type Refusal, validateArguments } from "../../engine/validation/validate-arguments";
import { AppError } from "../../platform/shared/app-error";
import type { ConsoleViewers } from "./console-viewers";
import { createSharedQuestions, type SharedQuestionPorts } from "./shared-questions";

export type InteractionService = ReturnType<typeof createInteractionService>;

export interface InteractionServicePorts {
  newId: () => string;
  clock: Clock;
  onChange: () => void;
  validator: ArgumentValidator;
  limits: ExecutionLimits;
  /** The run that a call belongs to. Asked only while a request is open, so a call writes nothing for it. */
  findRunId?: (executionId: string) => Promise<string | null>;
  /** The open pages of the console that can answer; absent: there are none. */
  viewers?: Pick<ConsoleViewers, "includes" | "onLeave">;
  copies: SharedQuestionPorts["copies"];
  bulletin: SharedQuestionPorts["bulletin"];
}

interface Waiting {
  interaction: PendingInteraction;
  answer: (answer: InteractionAnswer) => void;
  /** Rejects it where it needs a page of the console and none is open. */
  checkViewer: () => void;
}

class NoViewer extends Error {
  override readonly name = "NoViewer";
}

/** The open requests by id. Both writes announce themselves, and there are no others. */
function createOpenRequests(ports: SharedQuestionPorts) {
  const waiting = new Map<string, Waiting>();
  const shared = createSharedQuestions(ports, {
    list: () => Array.from(waiting.values(), ({ interaction }) => interaction),
    answer(id, answer) {
      const waits = waiting.get(id);
      waits?.answer(answer);
      return waits !== undefined;
    },
  });
  return {
    waiting: waiting as ReadonlyMap<string, Waiting>,
    shared,
    add(id: string, request: Waiting): void {
      waiting.set(id, request);
      shared.opened(request.interaction);
      ports.onChange();
    },
    remove(id: string): void {
      waiting.delete(id);
      shared.closed(id);
      ports.onChange();
    },
  };
}

/** Requests of MCP servers to a user. Kept in memory: the calls that wait for them end with their process. */
export function createInteractionService(ports: InteractionServicePorts) {
  const { waiting, shared, add, remove } = createOpenRequests(ports);
  const lacksViewer = ({ needsViewer, person }: Pick<ServerQuestion, "needsViewer" | "person">): boolean =>
    needsViewer === true && ports.viewers?.includes(person) !== true;
  ports.viewers?.onLeave(() => [...waiting.values()].forEach(({ checkViewer }) => void checkViewer()));

  const broker: InteractionBroker = {
    ask: ({ needsViewer = false, ...question }, signal) =>
      new Promise((resolve, reject) => {
        const { person } = question;
        if (signal.aborted) return reject(signal.reason);
        if (lacksViewer({ needsViewer, person })) return reject(new NoViewer());
        const id = ports.newId();
        const end = (): void => {
          signal.removeEventListener("abort", onAbort);
          remove(id);
        };
        const onAbort = (): void => {
          end();
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        add(id, {
          interaction: { ...question, id, runId: null, askedAt: ports.clock.now() },
          answer: (answer) => {
            end();
            resolve(answer);
          },
          checkViewer: () => {
            if (!lacksViewer({ needsViewer, person })) return;
            end();
            reject(new NoViewer());
          },
        });
      }),
  };

  return {
    broker,
    /**
     * The requests in the order of their arrival.
     * @param viewer leaves out those of other users; absent: all
     */
    async list(viewer?: string): Promise<PendingInteraction[]> {
      const open = [...Array.from(waiting.values(), ({ interaction }) => interaction), ...shared.list()];
      const all = open.filter((each) => viewer === undefined || isFor(each, viewer));
      return Promise.all(all.sort((left, right) => left.askedAt - right.askedAt).map(addRunId));
    },
    /** Everything in the values that does not fit the form; nothing where no such request waits. */
    async validate(actor: Actor, id: string, content: Record<string, unknown>): Promise<ArgumentVerdict> {
      const request = findFor(actor.id, id)?.request;
      const refusal = request?.kind === "form" ? await checkContent(ports, request.schema, content) : null;
      return { valid: refusal === null, faults: refusal?.faults ?? [], warnings: [] };
    },
    /**
     * False when the request was already answered, or its call no longer waits.
     * @throws AppError for values that do not fit the form: the question stays
     */
    async answer(actor: Actor, id: string, answer: InteractionAnswer): Promise<{ answered: boolean }> {
      const question = findFor(actor.id, id);
      if (question === undefined) return { answered: false };
      await refuseUnfit(ports, question.request, answer);
      const waits = waiting.get(id);
      // Absent where another tab has answered during the check, too.
      if (waits === undefined) return { answered: await shared.answer(id, answer) };
      waits.answer(answer);
      return { answered: true };
    },
    load: shared.load,
    settleLost: shared.settleLost,
  };

  async function addRunId(interaction: PendingInteraction): Promise<PendingInteraction> {
    const { executionId } = interaction;
    const runId = executionId === null ? null : await ports.findRunId?.(executionId);
    return { ...interaction, runId: runId ?? null };
  }

  /** @throws AppError with the code DENIED for another user's */
  function findFor(viewer: string, id: string): PendingInteraction | undefined {
    const interaction = waiting.get(id)?.interaction ?? shared.find(id);
    if (interaction === undefined || isFor(interaction, viewer)) return interaction;
    throw new AppError("DENIED", `Server '${interaction.server}' asks the user whose credential the call uses`);
  }
}

type FormPorts = Pick<InteractionServicePorts, "validator" | "limits">;

/** @throws AppError for values that do not fit the form */
async function refuseUnfit(ports: FormPorts, request: InteractionRequest, answer: InteractionAnswer): Promise<void> {
  if (request.kind !== "form" || answer.action !== "accept") return;
  const refusal = await checkContent(ports, request.schema, answer.content ?? {});
  if (refusal === null) return;
  const { faults, unlisted } = refusal;
  const message = describeFaults(faults, unlisted).replace(
    /^Invalid parameters/,
    "The response does not match the form",
  );
  throw new AppError("INVALID", message, faults);
}

async function checkContent(
  ports: FormPorts,
  schema: JsonSchema,
  content: Record<string, unknown>,
): Promise<Refusal | null> {
  // A schema that cannot be compiled is left to the server to check.
  if (ports.validator.checkSchema(schema) !== null) return null;
  return validateArguments(ports.validator, schema, content, ports.limits);
}

const isFor = ({ person }: PendingInteraction, id: string): boolean => person === undefined || person === id;
