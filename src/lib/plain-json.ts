/**
 * How values travel between server and browser: as plain JSON, whatever their keys are called. A tool may have a
 * parameter called `constructor` or `__proto__`, which transformers that rebuild types refuse. Dates, maps and the like
 * are not carried: times are epoch milliseconds.
 */
export const plainJson = {
  /** In an envelope with room beside it, so that programs which call the API need not change when something joins. */
  serialize: (value: unknown): { json: unknown } => ({ json: value }),
  deserialize: (wire: { json?: unknown } | undefined): unknown => wire?.json,
};
