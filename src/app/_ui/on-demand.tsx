import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { whenServerAnswers } from "./server-reach";
import { useHydrated } from "./use-hydrated";

interface OnDemandOptions {
  /** Rendered until the component is loaded. */
  fallback?: ReactNode;
  /** Also rendered on the server. */
  onServer?: boolean;
}

/**
 * A component whose scripts are loaded when it is first rendered, and not while the server is away: browsers keep a failed
 * import. A `Suspense` around it says what stands there until then.
 */
export function lazyPart<Module extends object, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] {
  const Part = lazy(async () => {
    await whenServerAnswers();
    return { default: (await load())[name] as ComponentType };
  });
  return Part as Module[Name];
}

/** Loads a component on demand with a fallback. The framework's loader weighs 2 kB on every page. */
export function onDemand<Module extends object, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  { fallback = null, onServer = false }: OnDemandOptions = {},
): Module[Name] {
  const Part = lazyPart(load, name) as ComponentType;
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each component, where its module begins
  function OnDemand(props: object) {
    const hydrated = useHydrated();
    if (!hydrated && !onServer) return fallback;
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    );
  }
  return OnDemand as Module[Name];
}
