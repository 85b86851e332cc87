import type { AppRouter } from "./api/root";

const KEY = Symbol.for("toolroom.router");
type Holder = { [KEY]?: () => Promise<AppRouter> };

/**
 * Says how the process's one router is loaded. Next bundles pages and routes apart: with a router in each of them, the declarations of
 * all operations would be loaded by the first page, and again by the first request of a browser.
 */
export function installRouter(load: () => Promise<AppRouter>): void {
  (globalThis as Holder)[KEY] = load;
}

/** @throws Error before `instrumentation.ts` has run */
export function currentRouter(): Promise<AppRouter> {
  const load = (globalThis as Holder)[KEY];
  return load === undefined ? Promise.reject(new Error("The server has not started yet")) : load();
}
