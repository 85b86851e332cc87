import OpenAI from "openai";
import { wordsOf } from "./openai-sdk";

/** How an error tells that a part of the request is what the model refuses. */
export interface PartRule {
  /** Tested against the parameter's name and the message. */
  said: RegExp;
  /** Whether the model always refuses it: then later requests leave it out at once. */
  always: boolean;
}

/** Not a value that is out of range: whoever chose that is to know. */
export const REFUSED_TEMPERATURE =
  /temperature\b.*(not support|unsupported|only the default|deprecated|not allowed)|unsupported.*\btemperature/i;

const MAX_MODELS = 200;
const FINAL_STATUS = new Set([401, 403, 408, 409, 429]);

/**
 * Parts of a request that not every model takes. A request that is refused because of one is sent again without it, at
 * once: what it needs is not known before, and a list of models would be out of date.
 */
export class RefusedParts<Part extends string> {
  readonly #rules: Record<Part, PartRule>;
  readonly #byModel = new Map<string, Set<Part>>();

  constructor(rules: Record<Part, PartRule>) {
    this.#rules = rules;
  }

  /** `request` may be called several times; its error is thrown when it names no further part. */
  async send<T>(model: string, request: (without: ReadonlySet<Part>) => Promise<T>): Promise<T> {
    const without = new Set<Part>(this.#byModel.get(model));
    for (;;) {
      try {
        return await request(without);
      } catch (error) {
        const part = this.#refusedPart(error, without);
        if (part === null) throw error;
        without.add(part);
        if (this.#rules[part].always) this.#remember(model, part);
      }
    }
  }

  #refusedPart(error: unknown, without: ReadonlySet<Part>): Part | null {
    if (!(error instanceof OpenAI.APIError) || error.status === undefined || FINAL_STATUS.has(error.status))
      return null;
    const words = `${error.param ?? ""} ${error.code ?? ""} ${wordsOf(error)}`;
    const parts = Object.keys(this.#rules) as Part[];
    return parts.find((part) => !without.has(part) && this.#rules[part].said.test(words)) ?? null;
  }

  #remember(model: string, part: Part): void {
    if (this.#byModel.size >= MAX_MODELS) this.#byModel.clear();
    this.#byModel.set(model, new Set([...(this.#byModel.get(model) ?? []), part]));
  }
}
