import type { Container } from "./container";

const KEY = Symbol.for("toolroom.container");
type Holder = { [KEY]?: Promise<Container> };

/**
 * The one container of the process. Next bundles pages, routes and instrumentation apart, each with its own module
 * instances, so the only place they share is `globalThis`.
 * @throws Error before `instrumentation.ts` has run
 */
export function currentContainer(): Promise<Container> {
  const container = (globalThis as Holder)[KEY];
  if (!container) return Promise.reject(new Error("The server has not started yet"));
  return container;
}

/** Creates the container once; later calls return the first one. */
export function installContainer(create: () => Promise<Container>): Promise<Container> {
  const holder = globalThis as Holder;
  holder[KEY] ??= create();
  return holder[KEY];
}
