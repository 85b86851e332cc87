"use client";

import type { QueryKey } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";

/** Providers and choices, but not `models.available`, which calls the vendor. */
export function useModelKeys(): readonly QueryKey[] {
  const { models } = trpc;
  return [models.providers.queryKey(), models.choices.queryKey()];
}

/** Keeps models current while the component is mounted. */
export function useLiveModels(): void {
  useLiveRefresh(useInvalidate(...useModelKeys()), (event) => event.type === "models", { onMount: true });
}
