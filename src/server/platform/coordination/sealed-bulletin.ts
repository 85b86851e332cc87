import { type Bulletin, createTopic, type Topic } from "./bulletin";

/** Encrypts texts with a key that all instances have. */
interface Box {
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
}

export interface SealedBulletin {
  post<Body>(topic: Topic<Body, unknown>, body: Body): void;
  ask<Body, Answer>(
    topic: Topic<Body, Answer>,
    body: Body,
    options: { limitMs: number; isEnough?: (answer: Answer) => boolean },
  ): Promise<Answer[]>;
  on<Body, Answer>(topic: Topic<Body, Answer>, handle: (body: Body, from: string) => Answer | Promise<Answer>): void;
}

/** For what may hold secrets or what a user says to one server: a bulletin may be kept in the database for some minutes. */
export function createSealedBulletin(bulletin: Bulletin, box: Box): SealedBulletin {
  const toSealed = ({ name }: Pick<Topic<unknown>, "name">) => createTopic<string, string | undefined>(name);
  const seal = (value: unknown, { name }: Pick<Topic<unknown>, "name">): string =>
    box.seal(JSON.stringify(value), name);
  const open = <Value>(text: string, { name }: Pick<Topic<unknown>, "name">): Value =>
    JSON.parse(box.open(text, name)) as Value;

  return {
    post: (topic, body) => bulletin.post(toSealed(topic), seal(body, topic)),
    async ask<Body, Answer>(
      topic: Topic<Body, Answer>,
      body: Body,
      { limitMs, isEnough }: { limitMs: number; isEnough?: (answer: Answer) => boolean },
    ): Promise<Answer[]> {
      const check =
        isEnough && ((text: string | undefined) => text !== undefined && isEnough(open<Answer>(text, topic)));
      const answers = await bulletin.ask(toSealed(topic), seal(body, topic), limitMs, check);
      return answers.flatMap((text) => (text === undefined ? [] : [open<Answer>(text, topic)]));
    },
    on<Body, Answer>(topic: Topic<Body, Answer>, handle: (body: Body, from: string) => Answer | Promise<Answer>): void {
      bulletin.on(toSealed(topic), async (text, from) => {
        const answer = await handle(open<Body>(text, topic), from);
        return answer === undefined ? undefined : seal(answer, topic);
      });
    },
  };
}
