import { isPlainObject } from "../../../../lib/contract";
import { givenText, isShallow } from "../call-arguments";
import type { CallIds } from "../call-ids";

/** One call as it is put together from deltas. */
export interface OpenCall {
  callId: string;
  /** As the endpoint gave it; null where it gave none. */
  givenId: string | null;
  name: string;
  arguments: string;
  /** Wanted back by some endpoints, such as a thought signature. */
  extra: unknown;
}

/** Text of a message or delta: a string, or parts of which some hold text. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isPlainObject(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
}

/** What an endpoint shows of its thinking, and the name of the field. */
export function reasoningIn(delta: Record<string, unknown>): { field: string; text: string } | null {
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = delta[field];
    if (typeof text === "string" && text !== "") return { field, text };
  }
  return null;
}

/**
 * Calls from deltas. By the rules `index` tells them apart; endpoints leave it out, give every call the same, or leave out
 * the id. A delta begins a call when its index is new, or when it has a name and another id than the call of its index.
 */
export class OpenCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #ids: CallIds;

  constructor(ids: CallIds) {
    this.#ids = ids;
  }

  get all(): readonly OpenCall[] {
    return this.#calls;
  }

  /** The call that the delta belongs to, and what it adds to its arguments; null for what is no delta. */
  add(delta: unknown): { call: OpenCall; added: string } | null {
    if (!isPlainObject(delta)) return null;
    const written = isPlainObject(delta.function) ? delta.function : {};
    const id = typeof delta.id === "string" && delta.id !== "" ? delta.id : null;
    const name = typeof written.name === "string" && written.name !== "" ? written.name : null;
    const index = typeof delta.index === "number" ? delta.index : null;
    const present = this.#find(index, id, name);
    const call = present ?? this.#begin(index, id, name ?? "");
    if (name !== null && call.name === "") call.name = name;
    if (delta.extra_content !== undefined && isShallow(delta.extra_content)) call.extra = delta.extra_content;
    const added = argumentsIn(written.arguments);
    call.arguments += added;
    return { call, added };
  }

  #find(index: number | null, id: string | null, name: string | null): OpenCall | undefined {
    if (index !== null) {
      const call = this.#byIndex.get(index);
      const another = call && name !== null && id !== null && call.givenId !== null && call.givenId !== id;
      return another ? undefined : call;
    }
    if (id !== null) return this.#calls.find((call) => call.givenId === id);
    const last = this.#calls.at(-1);
    if (name === null) return last;
    return last?.name === name && !isWhole(last.arguments) ? last : undefined;
  }

  #begin(index: number | null, id: string | null, name: string): OpenCall {
    const call: OpenCall = { callId: this.#ids.take(id), givenId: id, name, arguments: "", extra: undefined };
    this.#calls.push(call);
    if (index !== null) this.#byIndex.set(index, call);
    return call;
  }
}

function argumentsIn(value: unknown): string {
  if (value === undefined || value === null) return "";
  return givenText(value);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
