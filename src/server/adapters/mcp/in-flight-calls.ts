import type { ToolContext } from "../../engine/ports";

/** Quoted in errors; the log has all of it. */
const MAX_POLLUTION = 3;

/** A tool call that waits for its answer. */
export class InFlightCall {
  readonly tool: string;
  readonly context: ToolContext;
  /** What was printed between messages while the call waited, and may have damaged its answer; newest last. */
  pollution: string[] = [];
  #ended: AbortController | null = null;
  #hasEnded = false;

  constructor(tool: string, context: ToolContext) {
    this.tool = tool;
    this.context = context;
  }

  /** Aborts when the call is over, however it ended. Made when it is asked for: few calls need it. */
  get ended(): AbortSignal {
    if (this.#ended === null) {
      this.#ended = new AbortController();
      if (this.#hasEnded) this.#ended.abort();
    }
    return this.#ended.signal;
  }

  end(): void {
    this.#hasEnded = true;
    this.#ended?.abort();
  }

  pollute(text: string): void {
    this.pollution = [...this.pollution, text].slice(-MAX_POLLUTION);
    this.context.remark(`Meanwhile it printed on standard output what is no message of the protocol:\n${text}`);
  }
}

/** The calls of one connection. What a server says without an id can be given to a call only while there is just one. */
export class InFlightCalls {
  readonly #calls = new Set<InFlightCall>();

  get size(): number {
    return this.#calls.size;
  }

  begin(tool: string, context: ToolContext): InFlightCall {
    const call = new InFlightCall(tool, context);
    this.#calls.add(call);
    return call;
  }

  end(call: InFlightCall): void {
    this.#calls.delete(call);
    call.end();
  }

  only(): InFlightCall | null {
    if (this.#calls.size !== 1) return null;
    const [call] = this.#calls;
    return call ?? null;
  }

  [Symbol.iterator](): Iterator<InFlightCall> {
    return this.#calls.values();
  }
}
