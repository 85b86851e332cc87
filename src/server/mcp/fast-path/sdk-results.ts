/** Lets every result through, since Toolroom reads results itself. The SDK takes any Standard Schema. */
export const ANY_RESULT = {
  "~standard": { version: 1 as const, vendor: "toolroom", validate: (value: unknown) => ({ value }) },
};

/** The SDK requires a timeout for each request; the executor keeps the time of calls. */
export const NO_TIMEOUT_MS = 2_147_483_647;

/** For requests of the SDK's that run for a call of Toolroom. */
export const CALL_OPTIONS = {
  timeout: NO_TIMEOUT_MS,
  // Toolroom answers input requests itself, where the call is known.
  allowInputRequired: true,
  // Makes the SDK issue a progress token; `notifications.ts` handles the progress.
  onprogress: () => undefined,
} as const;

const CACHEABLE = { ttlMs: 0, cacheScope: "private" };
const STUBS: Readonly<Record<string, Record<string, unknown>>> = {
  "tools/call": { content: [] },
  "tools/list": { tools: [], ...CACHEABLE },
  "resources/list": { resources: [], ...CACHEABLE },
  "resources/templates/list": { resourceTemplates: [], ...CACHEABLE },
  "resources/read": { contents: [], ...CACHEABLE },
  "prompts/list": { prompts: [], ...CACHEABLE },
  "prompts/get": { messages: [] },
  "completion/complete": { completion: { values: [] } },
};

/**
 * The smallest valid result, which the SDK gets in place of the original. On 2026-07-28 connections it validates strictly
 * even what was requested with a loose schema: one malformed tool would cost the whole list.
 */
export function stubResult(method: string, resultType: unknown): Record<string, unknown> {
  const stub = Object.hasOwn(STUBS, method) ? { ...STUBS[method] } : {};
  if (resultType === undefined) return stub;
  // The SDK does not support tasks.
  return { ...stub, resultType: resultType === "task" ? "complete" : resultType };
}
