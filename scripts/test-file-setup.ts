import { afterAll, afterEach, vi } from "vitest";

/** Runs for each test file: files share a worker's modules and document, so nothing of one may reach the next. */
afterEach(async () => {
  if (typeof sessionStorage !== "undefined") sessionStorage.clear();
  if (typeof document === "undefined") return;
  (await import("@testing-library/react")).cleanup();
  // A row that is clicked while text is selected is not opened.
  document.getSelection()?.removeAllRanges();
});
afterAll(async () => {
  vi.useRealTimers();
  // An import that is not finished when its file ends may never finish, and later files would wait for it.
  await vi.dynamicImportSettled();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
