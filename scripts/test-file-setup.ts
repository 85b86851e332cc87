import { afterAll, afterEach, vi } from "vitest";

/** As `waitUntil`: a busy machine takes its time to load what is shown on demand, and only a failing test waits this long. */
const LIMIT_MS = 15_000;
if (typeof document !== "undefined") {
  const { setTimeout: wait } = globalThis;
  // React keeps the timer that it finds when it is loaded; with it, it shows what was suspended no sooner than 300 ms after its fallback.
  vi.stubGlobal("setTimeout", (work: () => void) => wait(work, 0));
  await import("react-dom/client");
  vi.unstubAllGlobals();
  const { configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: LIMIT_MS });
}

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
