import { isPlainObject } from "../../../../lib/contract/json";
import type { Entry } from "./normalize-entry";

export interface EntryPart {
  fields: Entry;
  notes: string[];
  problems: string[];
}

type Limit = "timeoutMs" | "connectTimeoutMs";

/** Fields whose unit their name or their client's documentation gives, as milliseconds. */
const KNOWN: readonly { field: string; to: Limit; factor: number }[] = [
  { field: "tool_timeout_sec", to: "timeoutMs", factor: 1000 },
  { field: "startup_timeout_sec", to: "connectTimeoutMs", factor: 1000 },
  { field: "startup_timeout_ms", to: "connectTimeoutMs", factor: 1 },
  { field: "connectionTimeout", to: "connectTimeoutMs", factor: 1 },
  { field: "initTimeout", to: "connectTimeoutMs", factor: 1 },
];
/** Fields of Gemini CLI, which counts milliseconds. */
const GEMINI_FIELDS = ["httpUrl", "trust", "includeTools", "excludeTools"];
/** Cline and Roo Code have these; they count seconds, an hour at most. */
const SECONDS_FIELDS = ["alwaysAllow", "autoApprove"];
const MAX_SECONDS = 3600;
const BOUNDS: Record<Limit, readonly [number, number]> = {
  timeoutMs: [1, 86_400_000],
  connectTimeoutMs: [100, 600_000],
};

export const LIMIT_FIELDS: readonly string[] = ["timeout", ...KNOWN.map(({ field }) => field)];

/** Time limits as other clients write them. Toolroom's own fields win. */
export function readLimits(entry: Entry): EntryPart {
  const part: EntryPart = { fields: {}, notes: [], problems: [] };
  for (const { field, to, factor } of KNOWN)
    if (Object.hasOwn(entry, field)) setLimit(part, field, entry[field], to, factor);
  if (Object.hasOwn(entry, "timeout")) readTimeout(part, entry);
  for (const limit of ["timeoutMs", "connectTimeoutMs"]) if (entry[limit] !== undefined) delete part.fields[limit];
  return part;
}

function readTimeout(part: EntryPart, entry: Entry): void {
  const { timeout, type } = entry;
  if (isPlainObject(timeout)) {
    if (timeout.startup !== undefined) setLimit(part, "timeout.startup", timeout.startup, "connectTimeoutMs", 1);
    if (timeout.request !== undefined) setLimit(part, "timeout.request", timeout.request, "timeoutMs", 1);
    return;
  }
  // opencode: how long it waits for the list of tools.
  const isOpencode = (type === "local" || type === "remote") && entry.tools === undefined;
  if (isOpencode) {
    setLimit(part, "timeout", timeout, "connectTimeoutMs", 1);
    return;
  }
  const factor = getFactor(entry, timeout);
  setLimit(part, "timeout", timeout, "timeoutMs", factor);
  if (part.fields.timeoutMs !== undefined) {
    const unit = factor === 1 ? "milliseconds" : "seconds";
    part.notes.push(
      `timeout: ${String(timeout)} was read as ${unit}; change the time limit in the form if that is wrong`,
    );
  }
}

function getFactor(entry: Entry, timeout: unknown): 1 | 1000 {
  if (GEMINI_FIELDS.some((field) => Object.hasOwn(entry, field))) return 1;
  const most = SECONDS_FIELDS.some((field) => Object.hasOwn(entry, field)) ? MAX_SECONDS : 999;
  return Number(timeout) <= most ? 1000 : 1;
}

function setLimit(part: EntryPart, field: string, value: unknown, to: Limit, factor: number): void {
  if (value === null || value === undefined) return;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    part.problems.push(`${field}: must be a number; remove the quotes, or remove the field`);
    return;
  }
  if (value <= 0) {
    part.notes.push(`${field}: ${value} is not a valid limit; Toolroom's default applies`);
    return;
  }
  const [least, most] = BOUNDS[to];
  const wanted = Math.round(value * factor);
  const limit = Math.min(Math.max(wanted, least), most);
  if (limit !== wanted) part.notes.push(`${field}: was changed to ${limit} ms, the closest limit that Toolroom allows`);
  part.fields[to] = limit;
}
