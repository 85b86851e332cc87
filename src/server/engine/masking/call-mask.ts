import type { Fault } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { canonicalJson } from "../../../lib/json/canonical-json";
import type { TextSpan } from "../../../lib/json/json-text";
import { isTextNestedDeeperThan } from "../../../lib/json/limits";
import { findMarked } from "../../../lib/schema/sensitive/find-marked";
import { getMarks } from "../../../lib/schema/sensitive/marks";
import type { Masking } from "../ports";
import { findLikelySecrets } from "./find-likely-secrets";
import { MaskedValues } from "./masked-values";

/** Masks nothing: for programs that store nothing, such as those that embed the engine. */
export const UNKEYED: Masking = {
  getMask: () => "[redacted]",
  inText: (text) => text,
  inJson: (text) => text,
  inValue: (value) => value,
  inArguments: (text) => text,
};

const NOTHING_TO_HIDE: ReadonlySet<string> = new Set(["null", '""', "{}", "[]"]);

/** An object or list beyond these limits is masked as text, and a text that may repeat a part of it is hidden. */
const MAX_PARSED_CHARS = 1_048_576;
const MAX_PARSED_DEPTH = 200;

const MASK_TEXT = /^"\[masked:[0-9a-f]{12}\]"$/;

interface MaskOptions {
  /** Collects the marked values: a run's calls share them. */
  values?: MaskedValues | undefined;
  /** A second tool whose marks apply: the one that was called, where a rule has another one run. */
  also?: ToolDefinition | undefined;
}

/** Turns what a call says into what is stored, shown and logged: without marked values and known secrets. */
export class CallMask {
  readonly #definition: ToolDefinition | null;
  readonly #also: ToolDefinition | null;
  readonly #masking: Masking;
  #values: MaskedValues | null;
  /** JSON texts of the values in the arguments, by their masks. */
  #originals: Map<string, string> | null = null;

  constructor(definition: ToolDefinition | null, masking: Masking, { values, also }: MaskOptions = {}) {
    this.#definition = definition;
    this.#also = also ?? null;
    this.#masking = masking;
    this.#values = values ?? null;
  }

  /** Collects the marked values; null for a tool that marks none. */
  get values(): MaskedValues | null {
    if (this.#definition === null) return this.#values;
    const marks = [this.#definition, this.#also].map((each) => (each === null ? null : getMarks(each)));
    if (marks.every((each) => each === null || (each.arguments === null && each.results === null))) return null;
    this.#values ??= new MaskedValues();
    return this.#values;
  }

  /**
   * The arguments with masks in place of marked values and wherever else those occur; every other byte as sent. For an
   * unknown tool, values are marked whose key or kind says that they are secrets.
   */
  argumentsText(text: string): string {
    const marks = this.#definition === null ? undefined : getMarks(this.#definition).arguments;
    const spans = marks === undefined ? findLikelySecrets(text) : marks === null ? [] : findMarked(text, marks);
    const alsoMarks = this.#also === null ? null : getMarks(this.#also).arguments;
    if (spans.length === 0 && alsoMarks === null) return this.#masking.inArguments(this.#inJson(text));
    this.#originals = new Map();
    const masked = spans.length === 0 ? text : this.#maskSpans(text, spans, this.#originals);
    const whole = alsoMarks === null ? masked : this.#maskSpans(masked, findMarked(masked, alsoMarks), this.#originals);
    return this.#masking.inArguments(this.#inJson(whole));
  }

  /** JSON text of arguments, with the values in place of their masks. */
  restore(text: string): string {
    let restored = text;
    for (const [mask, original] of this.#originals ?? []) {
      restored = restored.replaceAll(`"${mask}"`, () => original);
      // Within a longer text only a text or a number can be repeated.
      const inText = original.startsWith('"') ? original.slice(1, -1) : original;
      if (!/^[{[]/.test(original)) restored = restored.replaceAll(mask, () => inText);
    }
    return restored;
  }

  /** JSON text of a result. */
  resultText(text: string): string {
    const marks = this.#definition === null ? null : getMarks(this.#definition).results;
    const masked = marks === null ? text : this.#maskSpans(text, findMarked(text, marks));
    const alsoMarks = this.#also === null ? null : getMarks(this.#also).results;
    const whole = alsoMarks === null ? masked : this.#maskSpans(masked, findMarked(masked, alsoMarks));
    return this.#masking.inJson(this.#inJson(whole));
  }

  /** An error, a log line, or the text of a result. @param isCut it is the beginning of a longer one */
  text(text: string, isCut = false): string {
    return this.#masking.inText(this.#values?.inText(text, isCut) ?? text, isCut);
  }

  /** Masks JSON text that is neither arguments nor a result. */
  json(text: string): string {
    return this.#masking.inJson(this.#inJson(text));
  }

  faults(faults: Fault[] | null): Fault[] | null {
    if (faults === null) return null;
    const text = JSON.stringify(faults);
    const masked = this.json(text);
    return masked === text ? faults : (JSON.parse(masked) as Fault[]);
  }

  #inJson(text: string): string {
    return this.#values?.inJson(text) ?? text;
  }

  #maskSpans(text: string, spans: readonly TextSpan[], originals: Map<string, string> | null = null): string {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end } of spans) {
      const found = text.slice(start, end);
      // A mask stays: a mask of a mask could not be replaced by the original value.
      if (NOTHING_TO_HIDE.has(found) || MASK_TEXT.test(found)) continue;
      const mask = this.#maskFound(found);
      originals?.set(mask, found);
      parts.push(text.slice(at, start), `"${mask}"`);
      at = end;
    }
    return at === 0 ? text : parts.join("") + text.slice(at);
  }

  #maskFound(found: string): string {
    this.#values ??= new MaskedValues();
    const isText = found.startsWith('"');
    if (!isText && (found.length > MAX_PARSED_CHARS || isTextNestedDeeperThan(found, MAX_PARSED_DEPTH))) {
      this.#values.hideAll();
      return this.#masking.getMask(found);
    }
    const value: unknown = JSON.parse(found);
    this.#values.add(value, this.#getMask);
    return this.#getMask(value);
  }

  readonly #getMask = (value: unknown): string => this.#masking.getMask(canonicalJson(value));
}
