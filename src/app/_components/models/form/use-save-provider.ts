"use client";

import { useRefreshModels } from "@/app/_components/models/summary/use-live-models";
import { type EditedThing, type Save, useSave } from "@/app/_kit/use-save";
import { useTRPCClient } from "@/app/_trpc/client";
import type { ModelProviderInput } from "@/lib/contract/model";

/** Adds a provider, or changes the one that is edited. */
export function useSaveProvider(editing: EditedThing | null, onDone: () => void): Save<ModelProviderInput> {
  const client = useTRPCClient();
  const refresh = useRefreshModels();
  return useSave({
    send: (provider: ModelProviderInput) =>
      editing === null
        ? client.models.createProvider.mutate({ provider })
        : client.models.updateProvider.mutate({ ...editing, provider }),
    onSaved: async () => {
      await refresh();
      onDone();
    },
    onConflict: () => void refresh(),
    toast: ({ name }) => (editing === null ? `${name} added` : `${name} saved`),
  });
}
