/** Limits of suites, in a file without zod: pages read them too. */
export const SUITE_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
export const MAX_TESTS = 500;
export const MAX_CONCURRENCY = 10;
export const DEFAULT_CONCURRENCY = 4;
export const MIN_INTERVAL_MS = 60_000;
/** The most recorded calls that one replay makes: the newest. */
export const MAX_REPLAYED = 500;
/** A JSON pointer; `*` as a part matches any member or item. */
export const JSON_PATH_PATTERN = /^(?:\/(?:[^~/]|~[01])*)*$/;
export const JSON_PATH_RULE = "must be a path such as /items/0/name";
