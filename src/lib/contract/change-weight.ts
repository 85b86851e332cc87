/** How much a change matters to callers: calls that worked may fail; old calls still work; only words changed. */
export const CHANGE_WEIGHTS = ["breaking", "additive", "wording"] as const;
export type ChangeWeight = (typeof CHANGE_WEIGHTS)[number];
