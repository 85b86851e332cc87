import { findVendorError } from "../vendor-fault";

/** How an error says that the model refuses a part of the request. */
export interface PartRule {
  /** Tested against the parameter's name, the code and the message. */
  pattern: RegExp;
  /** The model always refuses it, so later requests omit it. */
  always: boolean;
}

/** Does not match a value out of range: that error goes to the user who chose it. */
export const REFUSED_TEMPERATURE =
  /temperature\b.*(not support|unsupported|only the default|deprecated|not allowed)|unsupported.*\btemperature/i;

const MAX_MODELS = 200;
const FINAL_STATUS = new Set([401, 403, 408, 409, 429]);

/**
 * Omits parts of a request that a model refuses. A request that is refused because of one is sent again without it: a list
 * of models and their parameters would be out of date.
 */
export class RefusedParts<Part extends string> {
  readonly #rules: Record<Part, PartRule>;
  readonly #byModel = new Map<string, Set<Part>>();

  constructor(rules: Record<Part, PartRule>) {
    this.#rules = rules;
  }

  /**
   * Calls `request` until its error names no further part.
   * @param required a part without which the request must not be sent
   */
  async send<T>(
    model: string,
    request: (without: ReadonlySet<Part>) => Promise<T>,
    required: Part | null = null,
  ): Promise<T> {
    const without = new Set<Part>(this.#byModel.get(model));
    for (;;) {
      try {
        return await request(without);
      } catch (error) {
        const part = this.#refusedPart(error, without);
        if (part === null || part === required) throw error;
        without.add(part);
        if (this.#rules[part].always) this.#remember(model, part);
      }
    }
  }

  #refusedPart(error: unknown, without: ReadonlySet<Part>): Part | null {
    const report = findVendorError(error)?.report;
    if (report?.status === undefined || FINAL_STATUS.has(report.status)) return null;
    const text = `${report.param ?? ""} ${report.code ?? ""} ${report.message}`;
    const parts = Object.keys(this.#rules) as Part[];
    return parts.find((part) => !without.has(part) && this.#rules[part].pattern.test(text)) ?? null;
  }

  #remember(model: string, part: Part): void {
    if (this.#byModel.size >= MAX_MODELS) this.#byModel.clear();
    this.#byModel.set(model, new Set([...(this.#byModel.get(model) ?? []), part]));
  }
}
