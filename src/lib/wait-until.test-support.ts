// Taken when the module is loaded: a test may replace both by fake timers.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

const POLL_MS = 5;
/** Generous: a busy machine takes its time, and only a failing test waits this long. */
const LIMIT_MS = 15_000;

// biome-ignore lint/suspicious/noConfusingVoidType: a search that returns undefined must not count as found
type Outcome = boolean | void;

/**
 * Polls until the condition no longer returns false and no longer throws, so that it takes a boolean or an assertion.
 * When it fails it names what it waited for and the last assertion that failed.
 */
export async function waitUntil(
  condition: () => Outcome | Promise<Outcome>,
  { what = String(condition), timeoutMs = LIMIT_MS }: { what?: string; timeoutMs?: number } = {},
): Promise<void> {
  const startedAt = now();
  for (;;) {
    let cause: unknown;
    try {
      if ((await condition()) !== false) return;
    } catch (error) {
      cause = error;
    }
    if (now() - startedAt > timeoutMs)
      throw new Error(`Waited ${timeoutMs} ms for: ${what}`, cause === undefined ? undefined : { cause });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
