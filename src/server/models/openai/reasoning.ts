import { isPlainObject, type JsonObject } from "../../../lib/contract/json";
import { isShallow } from "../vendor-arguments";

/** The members with text; the first that a delta has counts. */
const TEXTS = ["reasoning_content", "reasoning"] as const;
/** Lists of signed or encrypted parts: OpenRouter's, and LiteLLM's of Anthropic. */
const LISTS = ["reasoning_details", "thinking_blocks"] as const;
/** Members of a part that arrive in pieces. */
const PIECES = new Set(["text", "summary", "thinking"]);

export const REASONING_FIELDS = [...TEXTS, ...LISTS] as const;
/** Members that endpoints accept only beside calls. */
export const BESIDE_CALLS: ReadonlySet<string> = new Set(TEXTS);

/** The thoughts of one message of Chat Completions, whole or in deltas, in the members that endpoints want back. */
export class Reasoning {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, JsonObject[]>();
  #shown = "";

  /** The text for users. */
  get text(): string {
    return this.#shown;
  }

  /** For the endpoint, in the next request; null if there is nothing. */
  get value(): JsonObject | null {
    const members = [...this.#texts, ...this.#lists];
    return members.length === 0 ? null : Object.fromEntries(members);
  }

  /** Returns the text that a user reads of the delta. */
  add(delta: Record<string, unknown>): string {
    const found = TEXTS.find((field) => typeof delta[field] === "string" && delta[field] !== "");
    const text = found === undefined ? "" : String(delta[found]);
    if (found !== undefined) this.#texts.set(found, (this.#texts.get(found) ?? "") + text);
    let inParts = "";
    for (const field of LISTS) {
      const list = delta[field];
      if (!Array.isArray(list) || !isShallow(list)) continue;
      const parts = this.#lists.get(field) ?? [];
      this.#lists.set(field, parts);
      for (const part of list) {
        if (!isPlainObject(part)) continue;
        inParts += readPieces(part);
        addPart(parts, part as JsonObject);
      }
      if (parts.length === 0) this.#lists.delete(field);
    }
    const shown = text === "" ? inParts : text;
    this.#shown += shown;
    return shown;
  }
}

function readPieces(part: Record<string, unknown>): string {
  return [...PIECES].map((key) => (typeof part[key] === "string" ? part[key] : "")).join("");
}

/** A part continues the last one if both are text of one type with the same index and id. Encrypted parts come whole. */
function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1);
  if (last === undefined || !continues(last, part)) {
    parts.push({ ...part });
    return;
  }
  for (const [key, value] of Object.entries(part)) {
    if (value === null || value === "") continue;
    const before = last[key];
    last[key] = PIECES.has(key) && typeof before === "string" && typeof value === "string" ? before + value : value;
  }
}

function continues(last: JsonObject, part: JsonObject): boolean {
  const isSame = (key: string) =>
    (last[key] ?? null) === (part[key] ?? null) || (last[key] ?? part[key] ?? null) === null;
  const hasPieces = [last, part].every((each) => [...PIECES, "signature"].some((key) => typeof each[key] === "string"));
  return (
    hasPieces && last.type === part.type && isSame("index") && (part.id == null || last.id == null || isSame("id"))
  );
}
