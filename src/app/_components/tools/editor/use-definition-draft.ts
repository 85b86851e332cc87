import { useState } from "react";
import type { DraftFields } from "@/app/_kit/merge-drafts";
import { type DraftOptions, type DraftState, useDraft } from "@/app/_kit/use-draft";
import type { Problem } from "@/lib/contract/problem";
import { readToolFormat } from "@/lib/schema/providers/read-tool-format";
import { jsonFault, type ReadText, rawAt, readDefinition, setRaw, setValue } from "./definition-text";

/** Longer texts are no single tool, and reading them would stall the page. */
const MAX_CHARS = 1_000_000;

const MISSING: readonly [string, unknown][] = [
  ["type", "function"],
  ["handler", "mock"],
  ["implementation", { type: "mock", mock_response: { ok: true } }],
];

/** Parts of the form that are edited as separate JSON. */
const JSON_PARTS = {
  parameters: ["parameters"],
  mockResponse: ["implementation", "mock_response"],
  mockResponses: ["implementation", "mock_responses"],
} as const;
export type JsonPart = keyof typeof JSON_PARTS;

interface DefinitionTexts {
  text: string;
  /** The texts of parts that are being typed. */
  parts: Partial<Record<JsonPart, string | undefined>>;
}

export interface DefinitionDraft {
  text: string;
  read: ReadText;
  dirty: boolean;
  held: DraftState<DefinitionTexts>;
  /** Sets the whole text. */
  setText: (text: string) => void;
  /** Takes a text that the form made, and keeps what is being typed. */
  replaceText: (text: string) => void;
  set: (path: string[], value: unknown) => void;
  /** The text of a part while it is being typed, and its problem. */
  part: (part: JsonPart) => { text: string; fault: string | null };
  setPart: (part: JsonPart, text: string) => void;
  /** Parts that are not valid JSON yet. */
  brokenParts: Problem[];
  /** Takes a definition with another handler and its parameters. */
  takeHandler: (next: { text: string; replaced: boolean }) => void;
  /** Converts a pasted definition of another product. @returns false where the text is not such a definition */
  convert: (pasted: string) => boolean;
  /** The replacement that can be undone until the next edit. */
  replaced: { message: string; undo: () => void; dismiss: () => void } | null;
}

/** A definition by its keys, as they are written; of a text that is no JSON object, the whole. */
export const DEFINITION_FIELDS: DraftFields<DefinitionTexts> = {
  read({ text }) {
    const read = readDefinition(text);
    return read.ok ? read.value : { definition: text };
  },
  take(draft, field, from) {
    const mine = readDefinition(draft.text);
    const theirs = readDefinition(from.text);
    if (!mine.ok || !theirs.ok) return { text: from.text, parts: {} };
    const raw = rawAt(from.text, [field]);
    const text = raw === null ? setValue(draft.text, [field], undefined) : setRaw(draft.text, [field], raw);
    return { text, parts: {} };
  },
  labels: { timeoutMs: "Timeout" },
};

/**
 * The definition being written. A part that is not valid JSON yet is kept beside the text, which has that part's last
 * valid state: no input is lost, and the text stays valid.
 */
export function useDefinitionDraft(
  initialText: string,
  options: Pick<DraftOptions<DefinitionTexts>, "keptAs" | "base"> = {},
): DefinitionDraft {
  const held = useDraft<DefinitionTexts>(() => ({ text: initialText, parts: {} }), {
    ...options,
    toSaved: ({ text, parts }) => [
      text,
      Object.values(parts).filter((part) => part !== undefined && jsonFault(part) !== null),
    ],
  });
  const { text, parts } = held.draft;
  const [replacement, setReplacement] = useState<{ before: DefinitionTexts; after: string; message: string } | null>(
    null,
  );
  const replaceAll = (next: string, message: string) => {
    setReplacement({ before: held.draft, after: next, message });
    held.replace({ text: next, parts: {} });
  };
  // The newest state, also for a second change before the next render.
  const changeText = (next: (text: string) => string) =>
    held.update((before) => ({ ...before, text: next(before.text) }));

  const findFault = (part: JsonPart): string | null => {
    const typed = parts[part];
    return typed === undefined ? null : jsonFault(typed);
  };
  return {
    text,
    read: readDefinition(text),
    dirty: held.dirty,
    held,
    setText: (next) => held.replace({ text: next, parts: {} }),
    replaceText: (next) => changeText(() => next),
    set: (path, value) => changeText((before) => setValue(before, path, value)),
    part: (part) => ({ text: parts[part] ?? rawAt(text, [...JSON_PARTS[part]]) ?? "", fault: findFault(part) }),
    setPart: (part, next) =>
      held.update((before) => ({
        text: jsonFault(next) === null ? setRaw(before.text, [...JSON_PARTS[part]], next) : before.text,
        parts: { ...before.parts, [part]: next },
      })),
    takeHandler: (next) => {
      if (next.replaced) replaceAll(next.text, "Replaced the parameters with those of the handler.");
      else if (parts.parameters === undefined) changeText(() => next.text);
      else held.replace({ text: next.text, parts: { ...parts, parameters: undefined } });
    },
    convert: (pasted) => {
      const converted = convertDefinition(text, pasted);
      if (converted === null) return false;
      replaceAll(converted.text, converted.message);
      return true;
    },
    replaced:
      replacement === null || replacement.after !== text
        ? null
        : {
            message: replacement.message,
            undo: () => {
              held.replace(replacement.before);
              setReplacement(null);
            },
            dismiss: () => setReplacement(null),
          },
    brokenParts: (["parameters", "mockResponse", "mockResponses"] as const).flatMap((part) => {
      const fault = findFault(part);
      return fault === null ? [] : [{ path: "", message: `${JSON_PARTS[part].join(".")}: ${fault}` }];
    }),
  };
}

interface ConvertedDefinition {
  text: string;
  message: string;
}

/**
 * A pasted tool of OpenAI, Ollama, Anthropic, Gemini or MCP as a definition; what runs stays as it was.
 * @param text the definition so far
 * @returns null where the pasted text is no such tool
 */
function convertDefinition(text: string, pasted: string): ConvertedDefinition | null {
  const tool = readPasted(pasted);
  if (tool === null) return null;
  const schema = (tool.path && rawAt(pasted, tool.path)) ?? JSON.stringify(tool.parameters, null, 2);
  let next = readDefinition(text).ok ? text : "{}";
  for (const key of ["title", "annotations", "outputSchema"]) next = setValue(next, [key], tool.extra[key]);
  next = setValue(setValue(next, ["name"], tool.name), ["description"], tool.description);
  for (const [key, value] of MISSING) if (!hasKey(next, key)) next = setValue(next, [key], value);
  return { text: setRaw(next, ["parameters"], schema), message: describeConversion(tool) };
}

function hasKey(text: string, key: string): boolean {
  const read = readDefinition(text);
  return read.ok && Object.hasOwn(read.value, key);
}

type ForeignTool = NonNullable<ReturnType<typeof readToolFormat>>;

function readPasted(pasted: string): ForeignTool | null {
  if (pasted.length > MAX_CHARS || !/^\s*[{[]/.test(pasted)) return null;
  try {
    return readToolFormat(JSON.parse(pasted));
  } catch {
    return null;
  }
}

function describeConversion({ format, name, extra, dropped, others }: ForeignTool): string {
  const taken = ["name", "description", "parameters", ...Object.keys(extra)];
  const last = taken.pop();
  return [
    `Converted ${name} from ${/^[AEIOM]/.test(format) ? "an" : "a"} ${format}: ${taken.join(", ")} and ${last}.`,
    dropped.length > 0 && `Left out: ${dropped.join(", ")}.`,
    others > 0 && `The text holds ${others} more ${others === 1 ? "tool" : "tools"}: paste each one on its own.`,
  ]
    .filter((part) => part !== false)
    .join(" ");
}
