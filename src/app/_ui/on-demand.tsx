import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { whenServerAnswers } from "./server-reach";
import { useHydrated } from "./use-hydrated";

interface OnDemandOptions {
  /** In its place until it is loaded. */
  fallback?: ReactNode;
  /** Also part of the page that the server sends. */
  onServer?: boolean;
}

/**
 * A component whose scripts are loaded when it is first rendered, and not while the server is away: browsers keep a failed
 * import. The framework's own loader weighs 2 kB on every page.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { fallback = null, onServer = false }: OnDemandOptions = {},
): ComponentType<Props> {
  const Part = lazy(async () => {
    await whenServerAnswers();
    return { default: await load() };
  });
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each component, where its module begins
  return function OnDemand(props: Props) {
    const hydrated = useHydrated();
    if (!hydrated && !onServer) return fallback;
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    );
  };
}
