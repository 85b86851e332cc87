import { type ComponentType, createContext, useContext } from "react";
import type { JsonSchema } from "@/lib/contract/json";
import type { ArgumentsDispatch } from "./arguments-reducer";
import type { FieldBodyProps, FieldProps } from "./field-props";
import { NO_DRAFTS, type RawDrafts } from "./raw-drafts";

/** The values that every field needs and that do not change while a user types. */
export interface ArgumentsForm {
  root: JsonSchema;
  dispatch: ArgumentsDispatch;
  disabled: boolean;
  idPrefix: string;
  /**
   * `answer`: values that an MCP server requests. Fields are labeled by `title`, lists of options are check lists, an empty
   * text is omitted, and nothing can be added that was not requested.
   */
  purpose: "arguments" | "answer";
  /** Paths that the tool lists as sensitive. */
  sensitive: readonly string[];
  /** Fields hold fields. They reach each other through here, so that no module imports one that imports it. */
  Field: ComponentType<FieldProps>;
  FieldBody: ComponentType<FieldBodyProps>;
}

export const ArgumentsFormContext = createContext<ArgumentsForm | null>(null);

/** Separate from the other context, because it changes while a user types in a raw field. */
export const RawDraftsContext = createContext<RawDrafts>(NO_DRAFTS);

export function useArgumentsForm(): ArgumentsForm {
  const form = useContext(ArgumentsFormContext);
  if (form === null) throw new Error("A field of the arguments form stands outside of one.");
  return form;
}

/** Ids must not hold spaces and must differ where pointers differ. */
export function fieldId(idPrefix: string, pointer: string): string {
  return `${idPrefix}${pointer.replace(/[^A-Za-z0-9_-]/g, (char) => `.${char.charCodeAt(0).toString(16)}.`)}`;
}
