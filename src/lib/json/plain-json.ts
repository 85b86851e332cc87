import { applyDigits, listDigits } from "./number-digits";

interface Wire {
  json?: unknown;
  /** By JSON pointer: the numbers that JSON would write with other digits. */
  digits?: Record<string, string>;
}

/**
 * Values travel between server and browser as plain JSON. Transformers that rebuild types refuse keys such as `constructor`
 * and `__proto__`, which a tool's parameters may have. Dates and maps are not supported: times are epoch milliseconds.
 */
export const plainJson = {
  /** In an envelope, so that fields can be added without breaking programs that call the API. */
  serialize(value: unknown): Wire {
    const digits = listDigits(value);
    return digits === undefined ? { json: value } : { json: value, digits };
  },
  deserialize(wire: Wire | undefined): unknown {
    if (wire?.digits !== undefined) applyDigits(wire.json, wire.digits);
    return wire?.json;
  },
};
