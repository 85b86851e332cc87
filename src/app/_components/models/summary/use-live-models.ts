"use client";

import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

/** Reads providers, choices and checks again, but not `models.available`, which calls the vendor. */
export function useRefreshModels(): () => Promise<void> {
  const { models, modelChecks } = useTRPC();
  return useInvalidate(
    models.providers.queryKey(),
    models.choices.queryKey(),
    modelChecks.list.infiniteQueryKey(),
    modelChecks.get.queryKey(),
  );
}

/** Keeps models and checks current while the component is mounted. */
export function useLiveModels(): void {
  useLiveRefresh(useRefreshModels(), (event) => event.type === "models", { onMount: true });
}
