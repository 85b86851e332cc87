export type { RecordedLens, ToolLens } from "./lens-schema";

export const MAX_LENS_CHARS = 2000;

/** In the `_meta` of a call: the caller wants the whole result. */
export const WHOLE_RESULT_KEY = "toolroom/full";

/** The part of one stored result that an expression would leave, as a model reads it. */
export interface LensRow {
  executionId: string;
  /** Epoch milliseconds. */
  queuedAt: number;
  beforeBytes: number;
  afterBytes: number;
  /** Estimated. */
  beforeTokens: number;
  afterTokens: number;
  /** Why the caller would get the whole; null where the expression works. */
  fault: string | null;
}

export interface LensPreviewPage {
  rows: LensRow[];
  /** Cursor of the page with older calls; null on the last page. */
  nextCursor: number | null;
}

/** The data of one stored result and what an expression leaves of it, as JSON. */
export interface LensExample {
  before: string;
  /** Null where the expression fails. */
  after: string | null;
  fault: string | null;
}

/** How lenses of a tool did in its calls. */
export interface LensFailures {
  /** Calls whose caller got the whole result since the lens failed: at most 1,000 are counted. */
  count: number;
  latest: { executionId: string; fault: string; queuedAt: number } | null;
}

/** Stored results that a preview reads. */
export const MAX_PREVIEW_ROWS = 500;
