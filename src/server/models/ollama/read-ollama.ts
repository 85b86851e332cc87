import type {
  ChatContent,
  ChatResponse,
  ChatResponseUpdate,
  FinishReason,
  FunctionCallContent,
} from "../../../lib/contract/chat";
import { isPlainObject } from "../../../lib/contract/json";
import { buildResponse } from "../build-response";
import type { ReaderTurn, ResponseReader } from "../vendor";
import { toCallUpdate } from "../vendor-arguments";
import { IncompleteResponseError } from "../vendor-error";

/** The name of its `provider` contents. */
export const OLLAMA = "ollama";

const MAX_DETAIL_CHARS = 100;
const FINISH_REASONS = new Map<string, FinishReason>([
  ["length", "length"],
  ["stop", "stop"],
  ["", "stop"],
]);

/** The lines of a stream have the form of a whole response. */
export class OllamaReader implements ResponseReader {
  readonly #calls: FunctionCallContent[] = [];
  #text = "";
  #thinking = "";
  /** The line that ends the response. */
  #last: Record<string, unknown> | null = null;

  constructor(private readonly turn: ReaderTurn) {}

  *read(line: unknown): Generator<ChatResponseUpdate> {
    if (!isPlainObject(line)) throw new SyntaxError("not an object");
    const { streaming } = this.turn;
    if (!streaming && !isPlainObject(line.message)) throw new SyntaxError("no message");
    if (!streaming || line.done === true) this.#last = line;
    const message = isPlainObject(line.message) ? line.message : {};
    if (typeof message.thinking === "string" && message.thinking !== "") {
      this.#thinking += message.thinking;
      yield { type: "reasoning", text: message.thinking };
    }
    if (typeof message.content === "string" && message.content !== "") {
      this.#text += message.content;
      yield { type: "text", text: message.content };
    }
    for (const each of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
      if (!isPlainObject(each) || !isPlainObject(each.function)) continue;
      const { name, arguments: written } = each.function;
      // Calls arrive complete; older servers send no ids.
      const call = this.turn.calls.read(each.id, name, written === "" ? {} : written);
      this.#calls.push(call);
      yield toCallUpdate(call);
    }
  }

  finish(): ChatResponse {
    if (this.#last === null) throw new IncompleteResponseError();
    const { done_reason, prompt_eval_count, eval_count, model } = this.#last;
    const reason = typeof done_reason === "string" ? done_reason : "";
    return buildResponse({
      contents: this.#contents(),
      finish: FINISH_REASONS.get(reason) ?? null,
      reason,
      detail: reason === "stop" ? undefined : reason.slice(0, MAX_DETAIL_CHARS),
      // The API does not count a prompt that is read from the cache.
      tokens: { input: [prompt_eval_count], output: [eval_count] },
      model: typeof model === "string" ? model : undefined,
    });
  }

  #contents(): ChatContent[] {
    const contents: ChatContent[] = [];
    const text = this.#text;
    const thinking = this.#thinking;
    if (thinking !== "") {
      contents.push({ type: "reasoning", text: thinking });
      contents.push({ type: "provider", provider: OLLAMA, value: { thinking } });
    }
    if (text !== "") contents.push({ type: "text", text });
    return [...contents, ...this.#calls];
  }
}
