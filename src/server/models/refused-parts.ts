import { VendorError } from "./vendor-error";

/** How an error says that the model refuses a part of the request. */
export interface PartRule {
  /** Tested against the parameter's name, the code and the message. */
  pattern: RegExp;
  /** Whether the model always refuses it, so that later requests omit it. */
  always: boolean;
}

const MAX_MODELS = 200;
const FINAL_STATUS = new Set([401, 403, 408, 409, 429]);

/**
 * Omits parts of a request that a model refuses. A request that is refused because of one is sent again without it: a list
 * of models and their parameters would be out of date.
 */
export class RefusedParts {
  readonly #rules: Readonly<Record<string, PartRule>>;
  readonly #byModel = new Map<string, Set<string>>();

  constructor(rules: Readonly<Record<string, PartRule>>) {
    this.#rules = rules;
  }

  /**
   * Calls `request` until its error names no further part.
   * @param required a part without which the request must not be sent
   */
  async send<T>(
    model: string,
    required: string | null,
    request: (without: ReadonlySet<string>) => Promise<T>,
  ): Promise<T> {
    const without = new Set(this.#byModel.get(model));
    for (;;) {
      try {
        return await request(without);
      } catch (error) {
        const part = this.#findPart(error, without);
        if (part === null || part === required) throw error;
        without.add(part);
        if (this.#rules[part]?.always) this.#remember(model, part);
      }
    }
  }

  #findPart(error: unknown, without: ReadonlySet<string>): string | null {
    if (!(error instanceof VendorError)) return null;
    const { status, param = "", code = "", message } = error.report;
    if (status === undefined || FINAL_STATUS.has(status)) return null;
    const text = `${param} ${code} ${message}`;
    const rules = Object.entries(this.#rules);
    return rules.find(([part, { pattern }]) => !without.has(part) && pattern.test(text))?.[0] ?? null;
  }

  #remember(model: string, part: string): void {
    if (this.#byModel.size >= MAX_MODELS) this.#byModel.clear();
    this.#byModel.set(model, new Set([...(this.#byModel.get(model) ?? []), part]));
  }
}
