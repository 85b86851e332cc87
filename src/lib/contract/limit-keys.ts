import type { FiredLimit } from "./envelope";

interface LimitKey {
  most: number;
  /** The limit of a call that the setting belongs to. */
  limit: FiredLimit["name"] | null;
  /** The setting of a server that sets it for all of its tools. */
  setting: "timeoutMs" | "maxTotalTimeoutMs" | "maxStoredBytes" | null;
}

/** The keys of a definition that override a global limit for its tool: integers from 1 on. */
export const LIMIT_KEYS = {
  timeout_ms: { most: 86_400_000, limit: "timeout", setting: "timeoutMs" },
  /** Each progress report restarts the time limit, up to this total. */
  max_total_timeout_ms: { most: 86_400_000, limit: null, setting: "maxTotalTimeoutMs" },
  max_stored_bytes: { most: 1_073_741_824, limit: "max_stored_bytes", setting: "maxStoredBytes" },
  max_model_chars: { most: 100_000_000, limit: "max_model_chars", setting: null },
} as const satisfies Record<string, LimitKey>;

export type LimitKeyName = keyof typeof LIMIT_KEYS;
export const LIMIT_KEY_NAMES = Object.keys(LIMIT_KEYS) as LimitKeyName[];

type ServerLimits = Partial<Record<NonNullable<LimitKey["setting"]>, number | undefined>>;

/** The limits of a server as keys of the definitions of its tools; those that are not set are left out. */
export function toLimitKeys(limits: ServerLimits): Partial<Record<LimitKeyName, number>> {
  const set = LIMIT_KEY_NAMES.flatMap((name): [LimitKeyName, number][] => {
    const { setting } = LIMIT_KEYS[name];
    const value = setting === null ? undefined : limits[setting];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(set);
}

/** The key of a definition that sets a limit of its calls; undefined for a limit that no definition sets. */
export const findLimitKey = (limit: FiredLimit["name"]): LimitKeyName | undefined =>
  LIMIT_KEY_NAMES.find((name) => LIMIT_KEYS[name].limit === limit);
