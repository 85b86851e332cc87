/** Faults on demand; rates are from 0 to 1. */
export interface Faults {
  /** Milliseconds before each answer. */
  delay: number;
  /** Makes calls fail. */
  error: number;
  /** Requests that receive status 429, with `retryAfter` in seconds. */
  rateLimit: number;
  retryAfter: number;
  /** Results that lose their second half. */
  cut: number;
  /** Connections that end without an answer. */
  drop: number;
  /** The same seed gives the same faults. */
  seed: number;
}

const NAMES = {
  delay: "delay",
  error: "error",
  "rate-limit": "rateLimit",
  "retry-after": "retryAfter",
  cut: "cut",
  drop: "drop",
  seed: "seed",
} as const;
const MOST: Faults = {
  delay: 600_000,
  error: 1,
  rateLimit: 1,
  retryAfter: 86_400,
  cut: 1,
  drop: 1,
  seed: 4_294_967_295,
};
const NO_FAULTS: Faults = { delay: 0, error: 0, rateLimit: 0, retryAfter: 1, cut: 0, drop: 0, seed: 1 };

/** Reads `delay=200,error=0.1`. @returns the problem as a text, for a value that cannot be read */
export function parseFaults(text: string): Faults | string {
  const faults = { ...NO_FAULTS };
  for (const part of text.split(",").map((each) => each.trim())) {
    if (part === "") continue;
    const [name = "", value = "", ...rest] = part.split("=");
    if (!Object.hasOwn(NAMES, name)) return `'${name.slice(0, 50)}' is not known: use ${Object.keys(NAMES).join(", ")}`;
    const key = NAMES[name as keyof typeof NAMES];
    const number = value.trim() === "" || rest.length > 0 ? Number.NaN : Number(value);
    if (!(number >= 0 && number <= MOST[key])) return `${name} must be a number from 0 to ${MOST[key]}`;
    faults[key] = number;
  }
  return faults;
}

export type TransportFault = "rate-limit" | "drop";
export type ResultFault = "error" | "cut";

/** The fault that applies to a request before it is read. @param ordinal of the request in its session */
export function drawTransportFault(faults: Faults, ordinal: number): TransportFault | null {
  if (draw(faults.seed, ordinal, 1) < faults.rateLimit) return "rate-limit";
  return draw(faults.seed, ordinal, 2) < faults.drop ? "drop" : null;
}

export function drawResultFault(faults: Faults, ordinal: number): ResultFault | null {
  if (draw(faults.seed, ordinal, 3) < faults.error) return "error";
  return draw(faults.seed, ordinal, 4) < faults.cut ? "cut" : null;
}

/** A number from 0 to 1 that depends only on the seed and the position. */
function draw(seed: number, ordinal: number, stage: number): number {
  let state =
    (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(ordinal + 1, 0x85ebca6b) ^ Math.imul(stage, 0xc2b2ae35)) >>> 0;
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0;
  return ((state ^ (state >>> 15)) >>> 0) / 0x1_0000_0000;
}
