import type { Bulletin } from "./bulletin";

interface Member {
  name: string;
  handlers: Map<string, (body: never, from: string) => unknown>;
  /** What is said to one that is paused waits. */
  isPaused: boolean;
  reload: () => void;
  waiting: (() => Promise<unknown>)[];
}

/**
 * For tests: instances in one process, which tell each other at once. JSON goes through text, as in the database.
 * @param limitMs of a question, in place of the one that is asked for
 */
export function createBulletinHub(limitMs?: number) {
  const members: Member[] = [];

  async function say(from: Member, to: Member, topic: string, text: string): Promise<unknown> {
    const handle = to.handlers.get(topic);
    const answer = await handle?.(JSON.parse(text) as never, from.name);
    return answer === undefined ? undefined : JSON.parse(JSON.stringify(answer));
  }

  function send(from: Member, topic: string, body: unknown): Promise<unknown>[] {
    const text = JSON.stringify(body);
    return members
      .filter((member) => member !== from)
      .map(
        (to) =>
          new Promise((resolve) => {
            const deliver = () => say(from, to, topic, text).then(resolve, () => resolve(undefined));
            if (to.isPaused) to.waiting.push(deliver);
            else void Promise.resolve().then(deliver);
          }),
      );
  }

  return {
    join(name: string): Bulletin & { pause(): void; resume(): Promise<void>; miss(): void } {
      const self: Member = { name, handlers: new Map(), isPaused: false, waiting: [], reload: () => undefined };
      members.push(self);
      return {
        post: (topic, body) => void send(self, topic.name, body),
        async ask(topic, body, askedMs = 1_000) {
          const limit = new Promise<undefined>((resolve) => setTimeout(resolve, limitMs ?? askedMs, undefined).unref());
          const answers = await Promise.all(
            send(self, topic.name, body).map((answer) => Promise.race([answer, limit])),
          );
          return answers.filter((answer) => answer !== undefined) as never;
        },
        on: (topic, handle) => void self.handlers.set(topic.name, handle as never),
        onGap(reload) {
          self.reload = reload;
        },
        miss: () => self.reload(),
        pause() {
          self.isPaused = true;
        },
        async resume() {
          self.isPaused = false;
          await Promise.all(self.waiting.splice(0).map((deliver) => deliver()));
        },
      };
    },
  };
}
