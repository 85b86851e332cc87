import type { z } from "zod";

/** The type of a field behind its default and whether it may be left out. */
export function readKind(schema: z.ZodType | undefined): string | undefined {
  const def = schema?.def as { type: string; innerType?: z.ZodType } | undefined;
  return def?.innerType === undefined ? def?.type : readKind(def.innerType);
}

/** A text that is an integer for a field that is a number. */
export const INTEGER = /^-?\d{1,15}$/;

/** The value of a parameter of a path or query, which is text: an integer for a field that is a number. */
export function readParameter(schema: z.ZodType | undefined, text: string): unknown {
  return readKind(schema) === "number" && INTEGER.test(text) ? Number(text) : text;
}
