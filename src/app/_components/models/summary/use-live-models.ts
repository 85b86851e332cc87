import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { type Stale, useInvalidate } from "@/app/_trpc/use-invalidate";

/** Providers and choices, but not `models.available`, which calls the vendor. */
export const MODEL_QUERIES: readonly Stale[] = [trpc.models.providers, trpc.models.choices];

/** Keeps models current while the component is mounted. */
export function useLiveModels(): void {
  useLiveRefresh(useInvalidate(...MODEL_QUERIES), "models", { onMount: true });
}
