import type { Fault } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import { keepExactText } from "../../../lib/json/exact-text";
import { pointerToPath } from "../../../lib/json/json-pointer";
import { findMember, findValueEnd, skipSpace, walkMembers } from "../../../lib/json/json-text";
import { writeJson } from "../../../lib/json/limits";
import { findMasks, hasMask } from "../../../lib/masked-value";

const UNREPRESENTABLE = "null";
/** Every bundle of the process has its own copy of the class, so `instanceof` and private members fail. */
const BRAND = Symbol.for("toolroom.call-arguments");

/** The arguments of one call: the JSON text as it was sent, which is stored, and its value, which the tool gets. */
export class CallArguments {
  readonly [BRAND] = true;
  #text: string | undefined;

  /** @param text absent where the caller sent a value: then it is made once */
  constructor(
    readonly value: unknown,
    text?: string,
  ) {
    this.#text = text;
  }

  /** @throws SyntaxError for a text that is not JSON */
  static parse(text: string): CallArguments {
    return new CallArguments(JSON.parse(text), text);
  }

  /** @param args a value, or arguments that were parsed already; absent means `{}` */
  static from(args: unknown): CallArguments {
    if (typeof args === "object" && args !== null && BRAND in args) return args as CallArguments;
    return new CallArguments(args === undefined ? {} : args);
  }

  get text(): string {
    this.#text ??= stringify(this.value);
    return this.#text;
  }

  /** The value for another program: with the text to send, so that its numbers arrive digit for digit. */
  toSentValue(): Record<string, unknown> {
    if (this.#text !== undefined) keepExactText(this.value, this.#text);
    return this.value as Record<string, unknown>;
  }

  /** These arguments with members that they lack. The members come first and the text as sent follows unchanged. */
  withDefaults(members: Readonly<Record<string, unknown>>): CallArguments {
    const { value } = this;
    if (!isPlainObject(value)) return this;
    const added = Object.fromEntries(Object.entries(members).filter(([key]) => !Object.hasOwn(value, key)));
    const addedText = stringify(added).slice(1, -1);
    if (addedText === "") return this;
    const separator = Object.keys(value).length === 0 ? "" : ",";
    return new CallArguments({ ...added, ...value }, `{${addedText}${separator}${this.text.trimStart().slice(1)}`);
  }

  /** The value of one member as arguments, with its original text; null where there is none. */
  member(name: string): CallArguments | null {
    const { value } = this;
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return null;
    const span = findMember(this.text, 0, name);
    return new CallArguments(value[name], span === null ? undefined : this.text.slice(span.start, span.end));
  }

  /** The arguments without some members. The text of the others stays as sent. */
  without(names: ReadonlySet<string>): CallArguments {
    const { value, text } = this;
    if (!isPlainObject(value) || !Object.keys(value).some((key) => names.has(key))) return this;
    const left: string[] = [];
    walkMembers(text, skipSpace(text, 0), (quotedKey, start) => {
      const end = findValueEnd(text, start);
      if (!names.has(JSON.parse(quotedKey) as string)) left.push(`${quotedKey}:${text.slice(start, end)}`);
      return end;
    });
    const members = Object.entries(value).filter(([key]) => !names.has(key));
    return new CallArguments(Object.fromEntries(members), `{${left.join(",")}}`);
  }
}

function stringify(value: unknown): string {
  try {
    return writeJson(value) ?? UNREPRESENTABLE;
  } catch {
    return UNREPRESENTABLE;
  }
}

/** Masks that stand in arguments for values: a tool must never get them. Empty where there are none. */
export function maskFaults({ text, value }: CallArguments): Fault[] {
  if (!hasMask(text)) return [];
  const pointers = findMasks(value);
  return (pointers.length > 0 ? pointers : [""]).map((pointer) => ({
    pointer,
    path: pointerToPath(pointer),
    keyword: "masked",
    message: "is masked: enter the value again",
  }));
}
