import { isPlainObject } from "../contract/json";

/** The note of an execution about one hook. */
export interface HookNote {
  /** `allow`, `deny` or `ask`: the answer, or the rule's setting for a hook that fails. */
  outcome: string;
  reason: string | null;
  /** Why there was no answer; null where there was one. */
  failed: string | null;
  ms: number | null;
}

/** Reads `hook` of the values of a match; null for another form, of a later version say. */
export function readHookNote(value: unknown): HookNote | null {
  if (!isPlainObject(value)) return null;
  const { outcome, reason, failed, ms } = value;
  if (typeof outcome !== "string") return null;
  return {
    outcome,
    reason: typeof reason === "string" ? reason : null,
    failed: typeof failed === "string" ? failed : null,
    ms: typeof ms === "number" ? ms : null,
  };
}
