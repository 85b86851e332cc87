import type {
  Actor,
  ArgumentVerdict,
  InteractionAnswer,
  InteractionRequest,
  JsonSchema,
  PendingInteraction,
} from "../../../lib/contract";
import type { InteractionBroker, ServerQuestion } from "../../engine/mcp-ports";
import type { ArgumentValidator, Clock, ExecutionLimits } from "../../engine/ports";
import { describeFaults } from "../../engine/validation/argument-faults";
import { type Refusal, validateArguments } from "../../engine/validation/validate-arguments";
import { AppError } from "../../shared/app-error";
import type { ConsoleViewers } from "./console-viewers";
import type { InteractionExchange } from "./interaction-exchange";

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
  /** Requests in other copies of the server. */
  exchange?: Pick<InteractionExchange, "publish" | "list" | "answer">;
}

interface Waiting {
  interaction: PendingInteraction;
  answer: (answer: InteractionAnswer) => void;
  /** Rejects it where it needs a page of the console and none is open any more. */
  checkViewer: () => void;
}

class NoViewer extends Error {
  override readonly name = "NoViewer";
}

/** Requests of MCP servers to a person. Kept in memory: the calls that wait for them end with this process. */
export function createInteractionService(ports: InteractionServicePorts) {
  const { exchange } = ports;
  const waiting = new Map<string, Waiting>();
  const listOwn = (): PendingInteraction[] => Array.from(waiting.values(), ({ interaction }) => interaction);

  function noteChange(): void {
    ports.onChange();
    exchange?.publish(listOwn());
  }

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
          waiting.delete(id);
          noteChange();
        };
        const onAbort = (): void => {
          end();
          reject(signal.reason);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.set(id, {
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
        noteChange();
      }),
  };

  return {
    broker,
    /**
     * In the order they were asked, those of other copies of the server too.
     * @param viewer without those that are another person's; absent: all
     */
    async list(viewer?: string): Promise<PendingInteraction[]> {
      const others = (await exchange?.list()) ?? [];
      const all = [...listOwn(), ...others].filter((each) => viewer === undefined || isFor(each, viewer));
      return Promise.all(all.sort((left, right) => left.askedAt - right.askedAt).map(addRunId));
    },
    /** Everything in the values that does not fit the form; nothing where no such request waits. */
    async validate(viewer: string, id: string, content: Record<string, unknown>): Promise<ArgumentVerdict> {
      const request = (await findFor(viewer, id))?.request;
      const refusal = request?.kind === "form" ? await checkContent(ports, request.schema, content) : null;
      return { valid: refusal === null, faults: refusal?.faults ?? [], warnings: [] };
    },
    /**
     * False when the request was already answered, or its call no longer waits.
     * @throws AppError for values that do not fit the form: the question stays
     */
    async answer(actor: Actor, id: string, answer: InteractionAnswer): Promise<{ answered: boolean }> {
      const question = await findFor(actor.id, id);
      if (question === undefined) return { answered: false };
      if (waiting.has(id)) return { answered: await answerHere(id, answer) };
      // The person who answers gets the faults, which the other copy could not send back.
      await refuseUnfit(ports, question.request, answer);
      return { answered: (await exchange?.answer(id, answer)) ?? false };
    },
    answerHere,
  };

  /** Of a request that waits in this process; who answers was judged before. False where it waits no longer. */
  async function answerHere(id: string, answer: InteractionAnswer): Promise<boolean> {
    const question = waiting.get(id);
    if (question === undefined) return false;
    await refuseUnfit(ports, question.interaction.request, answer);
    // Another tab may have answered during the check.
    if (!waiting.has(id)) return false;
    question.answer(answer);
    return true;
  }

  async function addRunId(interaction: PendingInteraction): Promise<PendingInteraction> {
    const { executionId } = interaction;
    const runId = executionId === null ? null : await ports.findRunId?.(executionId);
    return { ...interaction, runId: runId ?? null };
  }

  /** @throws AppError with the code DENIED for another person's */
  async function findFor(viewer: string, id: string): Promise<PendingInteraction | undefined> {
    const interaction = waiting.get(id)?.interaction ?? (await exchange?.list())?.find((foreign) => foreign.id === id);
    if (interaction === undefined || isFor(interaction, viewer)) return interaction;
    throw new AppError("DENIED", `Server '${interaction.server}' asks the person whose credential the call uses`);
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
