/** What instances tell each other under one name; JSON values. @typeParam Answer what an instance that is asked gives back */
export interface Topic<Body, Answer = void> {
  readonly name: string;
  /** Carries types for the compiler; it has no value at run time. */
  readonly types?: (body: Body) => Answer;
}

export const createTopic = <Body, Answer = void>(name: string): Topic<Body, Answer> => ({ name });

/** What the instances of a server tell each other. Nothing comes back to the instance that says it. */
export interface Bulletin {
  /**
   * Sends to the other instances, in the order of the calls, within some tens of milliseconds. An instance that starts
   * later does not receive it.
   */
  post<Body>(topic: Topic<Body, unknown>, body: Body): void;
  /**
   * As `post`, at once, and waits until every other living instance has handled it.
   * @param limitMs after which instances that have not answered are left out; 1 s when absent
   * @param isEnough says of an answer that the others need not be waited for
   * @returns the answers that are not undefined
   */
  ask<Body, Answer>(
    topic: Topic<Body, Answer>,
    body: Body,
    limitMs?: number,
    isEnough?: (answer: Answer) => boolean,
  ): Promise<Answer[]>;
  /** Handles messages of other instances; one handler for each topic. Its errors are logged. */
  on<Body, Answer>(topic: Topic<Body, Answer>, handle: (body: Body, from: string) => Answer | Promise<Answer>): void;
  /** Something that others said is missing, since the database or this instance was away for long: read again what it would have changed. */
  onGap(reload: () => void): void;
}

/** For a database with one process, which tells no others. */
export function createSilentBulletin(): Bulletin {
  return { post: () => undefined, ask: async () => [], on: () => undefined, onGap: () => undefined };
}
