"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { useRefreshModels } from "../use-live-models";
import { type Problems, type ProviderDraft, problemsOf, readDraft } from "./provider-draft";

export interface SaveProvider {
  save: (draft: ProviderDraft) => void;
  pending: boolean;
  problems: Problems;
}

/** Adds a provider, or changes the one that is edited. What cannot be sent, or is refused, is sorted to its fields. */
export function useSaveProvider(editing: string | null, onDone: () => void): SaveProvider {
  const trpc = useTRPC();
  const toast = useToast();
  const refresh = useRefreshModels();
  const [problems, setProblems] = useState<Problems>({});
  const handlers = {
    // What was sent may hold a key: it is not kept longer than it is needed.
    gcTime: 0,
    onSuccess: async ({ name }: ModelProviderSummary) => {
      await refresh();
      toast({ title: editing === null ? `${name} added` : `${name} saved`, tone: "ok" });
      onDone();
    },
    onError: (error: { message: string; data?: { problems: string[] } | null | undefined }) =>
      setProblems(problemsOf(error.message, error.data?.problems ?? [])),
  };
  const create = useMutation(trpc.models.createProvider.mutationOptions(handlers));
  const update = useMutation(trpc.models.updateProvider.mutationOptions(handlers));
  const { isPending, isSuccess } = editing === null ? create : update;
  return {
    save: (draft) => {
      const read = readDraft(draft);
      if ("problems" in read) return setProblems(read.problems);
      setProblems({});
      if (editing === null) create.mutate({ provider: read.input });
      else update.mutate({ name: editing, provider: read.input });
    },
    // Until the dialog has closed, a second press must not save again.
    pending: isPending || isSuccess,
    problems,
  };
}
