import type { ServerResponse } from "node:http";
import type { InteractionAnswer } from "../../../../lib/contract/interaction";
import { toJsonText } from "../../../../lib/json/known-text";
import { SecretMatcher } from "../../../../lib/secret-matcher";
import type { InteractionHandler, ToolContext } from "../../../engine/ports";
import { type CallNews, type SentContext, toFailure } from "./wire";

interface Question {
  settle(answer: InteractionAnswer | null): void;
  fail(error: Error): void;
}

/** The calls that this instance carries out for others. */
export class OwnedCalls {
  readonly #questions = new Map<string, Map<number, Question>>();

  /** Runs work for another instance and tells it what happens, to the result. Never rejects. */
  async run(id: string, sent: SentContext, response: ServerResponse, work: (context: ToolContext) => Promise<unknown>) {
    const ended = new AbortController();
    response.once("close", () => ended.abort(new DOMException("The caller's copy left", "AbortError")));
    const tell = (news: CallNews): void => void (response.destroyed || response.write(`${JSON.stringify(news)}\n`));
    const questions = new Map<number, Question>();
    this.#questions.set(id, questions);
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.flushHeaders();
    try {
      const result = await work(createContext(sent, ended.signal, tell, questions));
      response.end(`{"result":${toJsonText(result) ?? "null"}}\n`);
    } catch (error) {
      response.end(`${JSON.stringify({ failure: toFailure(error) } satisfies CallNews)}\n`);
    } finally {
      this.#questions.delete(id);
    }
  }

  /** The interval of signs of life on a link without other messages. */
  answer(id: string, question: number, answer: InteractionAnswer | null, error?: string): boolean {
    const asked = this.#questions.get(id)?.get(question);
    if (asked === undefined) return false;
    if (error === undefined) asked.settle(answer);
    else asked.fail(new Error(error));
    return true;
  }
}

function createContext(
  { masked, interact, ...sent }: SentContext,
  signal: AbortSignal,
  tell: (news: CallNews) => void,
  questions: Map<number, Question>,
): ToolContext {
  let counted = 0;
  const log =
    (level: keyof ToolContext["logger"]) =>
    (fields: object | string, message?: string): void =>
      tell({ logged: message === undefined ? [level, fields] : [level, fields, message] });
  const ask: InteractionHandler = (request, askSignal, name) =>
    new Promise((resolve, reject) => {
      counted += 1;
      const number = counted;
      const end = (): void => {
        questions.delete(number);
        askSignal.removeEventListener("abort", withdraw);
      };
      const withdraw = (): void => {
        end();
        tell({ withdrawn: number });
        reject(askSignal.reason);
      };
      askSignal.addEventListener("abort", withdraw, { once: true });
      questions.set(number, {
        settle(answer) {
          end();
          resolve(answer);
        },
        fail(error) {
          end();
          reject(error);
        },
      });
      tell({ question: { number, request, name } });
    });
  if (typeof interact === "string") ask.client = interact;
  return {
    ...sent,
    signal,
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    progress: (...progress) => tell({ progress }),
    hold() {
      counted += 1;
      const held = counted;
      tell({ held });
      return () => tell({ released: held });
    },
    setTimeoutHint: (hint) => tell({ hint }),
    usePersonalCredential: () => undefined,
    markTask: (task) => tell({ task }),
    relayLog: (...relayed) => tell({ relayed }),
    ...(masked ? { maskedValues: { matcher: new SecretMatcher(new Map(masked)) } } : {}),
    ...(interact === undefined ? {} : { interact: ask }),
  };
}
