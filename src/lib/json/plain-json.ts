/**
 * Values travel between server and browser as plain JSON. Transformers that rebuild types refuse keys such as `constructor`
 * and `__proto__`, which a tool's parameters may have. Dates and maps are not supported: times are epoch milliseconds.
 */
export const plainJson = {
  /** In an envelope, so that fields can be added without breaking programs that call the API. */
  serialize: (value: unknown): { json: unknown } => ({ json: value }),
  deserialize: (wire: { json?: unknown } | undefined): unknown => wire?.json,
};
