interface Ask {
  /** The instances that have not answered; null until it is known whom the question reached. */
  missing: Set<string> | null;
  answered: Set<string>;
  answers: unknown[];
  isEnough: ((answer: never) => boolean) | undefined;
  finish(): void;
}

/** Questions of this instance that wait for the answers of others. */
export class PendingAsks {
  readonly #asks = new Map<number, Ask>();
  lastId = 0;

  open<Answer>(limitMs: number, isEnough?: (answer: Answer) => boolean): { id: number; answers: Promise<Answer[]> } {
    this.lastId += 1;
    const id = this.lastId;
    const answers = new Promise<Answer[]>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#asks.delete(id);
        resolve(ask.answers as Answer[]);
      };
      const timer = setTimeout(finish, limitMs);
      const ask: Ask = { missing: null, answered: new Set(), answers: [], isEnough, finish };
      this.#asks.set(id, ask);
    });
    return { id, answers };
  }

  /** Every question up to that one was written while those instances lived. */
  noteAsked(lastId: number, instanceIds: readonly string[]): void {
    for (const [id, ask] of this.#asks) {
      if (id > lastId || ask.missing !== null) continue;
      ask.missing = new Set(instanceIds.filter((instanceId) => !ask.answered.has(instanceId)));
      if (ask.missing.size === 0) ask.finish();
    }
  }

  answer(id: number, from: string, value: unknown): void {
    const ask = this.#asks.get(id);
    if (ask === undefined || ask.answered.has(from)) return;
    ask.answered.add(from);
    if (value !== undefined) ask.answers.push(value);
    ask.missing?.delete(from);
    if (ask.missing?.size === 0 || (value !== undefined && ask.isEnough?.(value as never))) ask.finish();
  }

  leaveOut(instanceId: string): void {
    for (const ask of [...this.#asks.values()]) {
      ask.answered.add(instanceId);
      if (ask.missing?.delete(instanceId) && ask.missing.size === 0) ask.finish();
    }
  }

  close(): void {
    for (const ask of [...this.#asks.values()]) ask.finish();
  }
}
