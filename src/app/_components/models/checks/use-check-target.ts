"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import type { ModelProviderSummary } from "@/lib/contract/model";

export interface CheckTarget {
  providers: readonly ModelProviderSummary[];
  provider: string;
  chooseProvider: (name: string) => void;
  model: string;
  typeModel: (model: string) => void;
  /** What can be chosen: models that are known here, then what the vendor lists. */
  models: readonly string[];
  /** Said under the field of the model. */
  modelHint: string;
}

const NONE: readonly never[] = [];

/** Which model is to be checked: the picker's first one to begin with. The demo model cannot be. */
export function useCheckTarget(): CheckTarget {
  const trpc = useTRPC();
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const allProviders = useQuery(trpc.models.providers.queryOptions()).data?.items ?? NONE;
  const allChoices = useQuery(trpc.models.choices.queryOptions()).data?.items ?? NONE;
  const providers = allProviders.filter(({ kind }) => kind !== "demo");
  const choices = allChoices.filter(({ kind }) => kind !== "demo");
  const provider = chosen ?? choices[0]?.provider ?? providers[0]?.name ?? "";
  const known = choices.filter((choice) => choice.provider === provider).map(({ model }) => model);
  const mayList = useDenial("run") === null;
  const available = useQuery({
    ...trpc.models.available.queryOptions({ provider }),
    enabled: mayList && providers.some(({ name }) => name === provider),
    retry: false,
  });
  const problem = available.error?.message ?? available.data?.problem ?? null;
  return {
    providers,
    provider,
    chooseProvider: (name) => {
      setChosen(name);
      setTyped(null);
    },
    model: typed ?? known[0] ?? "",
    typeModel: setTyped,
    models: [...new Set([...known, ...(available.data?.models ?? NONE)])],
    modelHint: modelHint(problem, available.isFetching),
  };
}

function modelHint(problem: string | null, fetching: boolean): string {
  if (problem !== null) return `Couldn't list the provider's models: ${problem} Enter a name.`;
  return fetching ? "Loading models…" : "Choose a model or enter a name.";
}
