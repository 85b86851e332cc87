import { afterAll, afterEach, vi } from "vitest";

/** Runs for each test file: files share a worker's modules and document, so nothing of one may reach the next. */
afterEach(async () => {
  if (typeof sessionStorage !== "undefined") sessionStorage.clear();
  if (typeof document !== "undefined") (await import("@testing-library/react")).cleanup();
});
afterAll(async () => {
  vi.useRealTimers();
  // One that is on its way when its file ends never arrives, and stays awaited by whoever asks for the module next.
  await vi.dynamicImportSettled();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
