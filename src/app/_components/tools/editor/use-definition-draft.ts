"use client";

import { useState } from "react";
import type { Problem } from "@/lib/contract/problem";
import { jsonFault, type ReadText, rawAt, readDefinition, setRaw, setValue } from "./definition-text";

/** Parts of the form that are JSON of their own. */
export const JSON_PARTS = {
  parameters: ["parameters"],
  mockResponse: ["implementation", "mock_response"],
} as const;
export type JsonPart = keyof typeof JSON_PARTS;

export interface DefinitionDraft {
  text: string;
  read: ReadText;
  dirty: boolean;
  /** Takes a text that was written as a whole. */
  setText: (text: string) => void;
  /** Takes a text that the form made, and keeps what is being typed. */
  replaceText: (text: string) => void;
  set: (path: string[], value: unknown) => void;
  /** A part's text as it is being typed, and what is wrong with it. */
  part: (part: JsonPart) => { text: string; fault: string | null };
  setPart: (part: JsonPart, text: string) => void;
  /** Parts that are not valid JSON yet. */
  brokenParts: Problem[];
}

/**
 * The definition being written. A part that is not valid JSON yet is held beside the text, which keeps that part's last
 * valid state: nothing typed is lost, and nothing broken gets in.
 */
export function useDefinitionDraft(initialText: string): DefinitionDraft {
  const [text, setWhole] = useState(initialText);
  const [drafts, setDrafts] = useState<Partial<Record<JsonPart, string>>>({});
  const read = readDefinition(text);

  const faultOf = (part: JsonPart): string | null => {
    const draft = drafts[part];
    return draft === undefined ? null : jsonFault(draft);
  };
  return {
    text,
    read,
    dirty: text !== initialText || Object.values(drafts).some((draft) => jsonFault(draft) !== null),
    setText: (next) => {
      setWhole(next);
      setDrafts({});
    },
    replaceText: setWhole,
    set: (path, value) => setWhole((before) => setValue(before, path, value)),
    part: (part) => ({ text: drafts[part] ?? rawAt(text, [...JSON_PARTS[part]]) ?? "", fault: faultOf(part) }),
    setPart: (part, next) => {
      setDrafts((before) => ({ ...before, [part]: next }));
      if (jsonFault(next) === null) setWhole((before) => setRaw(before, [...JSON_PARTS[part]], next));
    },
    brokenParts: (["parameters", "mockResponse"] as const).flatMap((part) => {
      const fault = faultOf(part);
      return fault === null ? [] : [{ path: "", message: `${JSON_PARTS[part].join(".")}: ${fault}` }];
    }),
  };
}
