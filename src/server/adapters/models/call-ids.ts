import { randomUUID } from "node:crypto";
import { type ChatMessage, callsOf } from "../../../lib/contract";

/** Gives each call of an answer an id that no other call of the conversation has: the provider's own where it can be. */
export class CallIds {
  readonly #taken: Set<string>;

  constructor(messages: readonly ChatMessage[]) {
    this.#taken = new Set(messages.flatMap((message) => callsOf(message).map(({ callId }) => callId)));
  }

  take(given?: string | null): string {
    const id = given && !this.#taken.has(given) ? given : `call_${randomUUID().replaceAll("-", "")}`;
    this.#taken.add(id);
    return id;
  }
}
