import type { Actor } from "./actor";

/** A JMESPath expression that reduces the results of a tool to what models and MCP clients receive. */
export interface ToolLens {
  expression: string;
  /** Epoch milliseconds. */
  updatedAt: number;
  by: Actor;
}

export const MAX_LENS_CHARS = 2000;

/** In the `_meta` of a call: the caller wants the whole result. */
export const WHOLE_RESULT_KEY = "toolroom/full";

/** What an execution says of the lens that its caller's result went through. */
export interface RecordedLens {
  expression: string;
  /** Why the caller got the whole result instead; null where it got the projection. */
  fault: string | null;
}
