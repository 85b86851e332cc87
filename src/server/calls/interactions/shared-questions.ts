import type { InteractionAnswer, PendingInteraction } from "../../../lib/contract/interaction";
import { createTopic } from "../../platform/coordination/bulletin";
import type { Instances } from "../../platform/coordination/instances";
import type { SealedBulletin } from "../../platform/coordination/sealed-bulletin";
import { AppError } from "../../platform/shared/app-error";

const OPENED = createTopic<PendingInteraction>("interactions.opened");
const CLOSED = createTopic<string>("interactions.closed");
/** An instance sends it when it starts. */
const LIST = createTopic<null>("interactions.list");
const ANSWER = createTopic<{ owner: string; id: string; answer: InteractionAnswer }, boolean | undefined>(
  "interactions.answer",
);
const ANSWER_LIMIT_MS = 5_000;
const LIST_LIMIT_MS = 2_000;

export interface SharedQuestionPorts {
  copies: Pick<Instances, "self" | "isLiving">;
  bulletin: SealedBulletin;
  /** Called when requests of other instances are known, or ended with their instance. */
  onChange: () => void;
}

interface OwnQuestions {
  list(): PendingInteraction[];
  /** False where it is not open here. */
  answer(id: string, answer: InteractionAnswer): boolean;
}

/** The open questions of the other instances of the server, which end with them. */
export function createSharedQuestions({ copies, bulletin, onChange }: SharedQuestionPorts, own: OwnQuestions) {
  const others = new Map<string, { from: string; interaction: PendingInteraction }>();

  bulletin.on(OPENED, (interaction, from) => void others.set(interaction.id, { from, interaction }));
  bulletin.on(CLOSED, (id) => void others.delete(id));
  bulletin.on(LIST, () => {
    for (const interaction of own.list()) bulletin.post(OPENED, interaction);
  });
  bulletin.on(ANSWER, ({ owner, id, answer }) => (owner === copies.self.id ? own.answer(id, answer) : undefined));

  /** True where some were of instances that ended. */
  function forgetEnded(): boolean {
    const before = others.size;
    for (const [id, { from }] of others) if (!copies.isLiving(from)) others.delete(id);
    return others.size < before;
  }

  function list(): PendingInteraction[] {
    if (forgetEnded()) onChange();
    return Array.from(others.values(), ({ interaction }) => interaction);
  }

  return {
    list,
    find: (id: string): PendingInteraction | undefined => list().find((interaction) => interaction.id === id),
    opened: (interaction: PendingInteraction): void => bulletin.post(OPENED, interaction),
    closed: (id: string): void => bulletin.post(CLOSED, id),
    /**
     * False where it was answered before, or its call no longer waits.
     * @throws AppError where the instance that has it does not answer
     */
    async answer(id: string, answer: InteractionAnswer): Promise<boolean> {
      const owner = others.get(id)?.from;
      if (owner === undefined) return false;
      const isEnough = (): boolean => true;
      const [isTaken] = await bulletin.ask(ANSWER, { owner, id, answer }, { limitMs: ANSWER_LIMIT_MS, isEnough });
      if (isTaken !== undefined) return isTaken;
      throw new AppError("UNAVAILABLE", "The copy of the server whose call waits does not respond: try again");
    },
    /** Reads the open questions of the other instances. */
    async load(): Promise<void> {
      others.clear();
      await bulletin.ask(LIST, null, { limitMs: LIST_LIMIT_MS });
      if (others.size > 0) onChange();
    },
    /** After instances ended. */
    async settleLost(): Promise<void> {
      if (forgetEnded()) onChange();
    },
  };
}
