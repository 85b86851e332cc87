import type { ChatContent, ChatMessage, FunctionCallContent } from "../../lib/contract";
import { canonicalJson } from "./canonical-json";
import { parseArguments } from "./execution-engine";

/** A third time is one too many. */
const MAX_SAME_CALLS = 2;

/** Which calls a run has seen: ids are unique in it, and the same call again and again is noticed. */
export class CallLedger {
  readonly #ids = new Set<string>();
  readonly #times = new Map<string, number>();
  /** The last number given to a name that came again. */
  readonly #rounds = new Map<string, number>();

  /** @param history what was said before, whose ids are taken and whose calls count */
  constructor(history: readonly ChatMessage[]) {
    for (const { contents } of history) {
      for (const content of contents) {
        if (content.type !== "function_call") continue;
        this.#ids.add(content.callId);
        this.repeated(content);
      }
    }
  }

  /**
   * The message with ids that no call before has; some servers begin anew with every answer. A call that stands twice in
   * one message, the same in everything, is meant once.
   */
  withUniqueIds(message: ChatMessage): ChatMessage {
    const here = new Map<string, string>();
    let changed = false;
    const contents = message.contents.flatMap((content): ChatContent[] => {
      if (content.type !== "function_call") return [content];
      const said = `${content.name} ${textOf(content)}`;
      if (here.get(content.callId) === said) {
        changed = true;
        return [];
      }
      const callId = this.#freeId(content.callId);
      here.set(content.callId, said);
      this.#ids.add(callId);
      changed ||= callId !== content.callId;
      return [callId === content.callId ? content : { ...content, callId }];
    });
    return changed ? { ...message, contents } : message;
  }

  /** How many times the run has made this very call, this one included; 0 while that is no matter. */
  repeated(call: FunctionCallContent): number {
    const key = `${call.name} ${textOf(call)}`;
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return times > MAX_SAME_CALLS ? times : 0;
  }

  #freeId(wanted: string): string {
    if (wanted !== "" && !this.#ids.has(wanted)) return wanted;
    const base = wanted === "" ? "call" : wanted;
    for (let round = (this.#rounds.get(base) ?? 1) + 1; ; round += 1) {
      this.#rounds.set(base, round);
      if (!this.#ids.has(`${base}_${round}`)) return `${base}_${round}`;
    }
  }
}

/** The same for arguments that mean the same. */
export function textOf(call: FunctionCallContent): string {
  const { value, fault } = parseArguments(call);
  return fault === null ? canonicalJson(value) : String(value);
}
