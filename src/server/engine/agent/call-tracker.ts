import type { ChatContent, ChatMessage, FunctionCallContent } from "../../../lib/contract/chat";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { type ParsedArguments, parseArguments } from "./execution-engine";

/** Further calls with the same name and arguments are reported. */
const MAX_SAME_CALLS = 2;

/** The calls of a conversation: makes their ids unique and counts repeated calls. */
export class CallTracker {
  readonly #ids = new Set<string>();
  readonly #times = new Map<string, number>();
  /** The last number appended to an id. */
  readonly #suffixes = new Map<string, number>();

  /** @param history the conversation so far, whose ids and calls count */
  constructor(history: readonly ChatMessage[]) {
    for (const { contents } of history) {
      for (const content of contents) {
        if (content.type !== "function_call") continue;
        this.#ids.add(content.callId);
        this.countRepeats(content);
      }
    }
  }

  /**
   * The message with ids that no earlier call has; some servers number the calls of every answer from the start. A call that
   * stands twice in one message, with the same id, name and arguments, is executed once.
   */
  withUniqueIds(message: ChatMessage): ChatMessage {
    const here = new Map<string, FunctionCallContent>();
    let changed = false;
    const contents = message.contents.flatMap((content): ChatContent[] => {
      if (content.type !== "function_call") return [content];
      const twin = here.get(content.callId);
      if (twin !== undefined && toCallKey(twin) === toCallKey(content)) {
        changed = true;
        return [];
      }
      const callId = this.#findFreeId(content.callId);
      here.set(content.callId, content);
      this.#ids.add(callId);
      changed ||= callId !== content.callId;
      return [callId === content.callId ? content : { ...content, callId }];
    });
    return changed ? { ...message, contents } : message;
  }

  /** Counts this call. Returns how often it was made with these arguments, or 0 up to `MAX_SAME_CALLS`. */
  countRepeats(call: FunctionCallContent, parsed?: ParsedArguments): number {
    const key = toCallKey(call, parsed);
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return times > MAX_SAME_CALLS ? times : 0;
  }

  #findFreeId(wanted: string): string {
    if (wanted !== "" && !this.#ids.has(wanted)) return wanted;
    const base = wanted === "" ? "call" : wanted;
    for (let suffix = (this.#suffixes.get(base) ?? 1) + 1; ; suffix += 1) {
      this.#suffixes.set(base, suffix);
      if (!this.#ids.has(`${base}_${suffix}`)) return `${base}_${suffix}`;
    }
  }
}

/** Equal for calls of one tool whose arguments have the same value. */
export function toCallKey(call: FunctionCallContent, { args, fault } = parseArguments(call)): string {
  return `${call.name} ${fault === null ? canonicalJson(args.value) : String(args.value)}`;
}
