import { isPlainObject } from "../../../lib/contract/json";
import type { NewCalls } from "../chat-turn";
import { isShallow, readArgumentsText } from "../vendor-arguments";

/** One call, built from deltas. */
export interface OpenCall {
  callId: string;
  /** Null if the endpoint gave none. */
  vendorId: string | null;
  name: string;
  arguments: string;
  /** Some endpoints need it back, such as a thought signature. */
  extra: unknown;
}

/** Text of a message or delta: a string, or parts of which some hold text. */
export function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isPlainObject(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
}

/** The reasoning in a delta, and the name of its field. */
export function readReasoning(delta: Record<string, unknown>): { field: string; text: string } | null {
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = delta[field];
    if (typeof text === "string" && text !== "") return { field, text };
  }
  return null;
}

/**
 * Builds calls from deltas. The specification tells them apart by `index`; endpoints omit it, repeat it, or omit the id.
 * A delta begins a call if its index is new, or if it has a name and another id than the call with its index.
 */
export class OpenCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  constructor(private readonly newCalls: Pick<NewCalls, "takeId">) {}

  get all(): readonly OpenCall[] {
    return this.#calls;
  }

  /** The call that the delta belongs to, and the arguments it adds; null if it is no object. */
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
    const added = readArgumentsText(written.arguments ?? "");
    call.arguments += added;
    return { call, added };
  }

  #find(index: number | null, id: string | null, name: string | null): OpenCall | undefined {
    if (index !== null) {
      const call = this.#byIndex.get(index);
      const another = call && name !== null && id !== null && call.vendorId !== null && call.vendorId !== id;
      return another ? undefined : call;
    }
    if (id !== null) return this.#calls.find((call) => call.vendorId === id);
    const last = this.#calls.at(-1);
    if (name === null) return last;
    return last?.name === name && !isWhole(last.arguments) ? last : undefined;
  }

  #begin(index: number | null, id: string | null, name: string): OpenCall {
    const call: OpenCall = { callId: this.newCalls.takeId(id), vendorId: id, name, arguments: "", extra: undefined };
    this.#calls.push(call);
    if (index !== null) this.#byIndex.set(index, call);
    return call;
  }
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
