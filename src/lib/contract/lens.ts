import type { LensRow } from "./lens-schema";

export type { LensExample, LensFailures, LensRow, RecordedLens, ToolLens } from "./lens-schema";

export const MAX_LENS_CHARS = 2000;

/** A key in the `_meta` of a call: the caller wants the whole result. */
export const WHOLE_RESULT_KEY = "toolroom/full";

export interface LensPreviewPage {
  items: LensRow[];
  /** Cursor of the page with older calls; null on the last page. */
  nextCursor: number | null;
}

/** Stored results that a preview reads. */
export const MAX_PREVIEW_ROWS = 500;
