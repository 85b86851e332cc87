"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormField } from "@/app/_kit/form-field";
import { trpc } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { EvalOffering, EvalRunInput } from "@/lib/contract/eval";
import type { Suite } from "@/lib/contract/suite";

const NO_PROVIDER = "";
const DEFAULT_ROUNDS = 3;
const NONE: readonly never[] = [];
const OFFERINGS = [
  { value: "direct", label: "List of tools" },
  { value: "discovery", label: "Discovery" },
] as const;

interface RunWithTexts {
  provider: string;
  model: string;
  rounds: string;
  offering: EvalOffering;
}

interface RunWithDraft {
  texts: RunWithTexts;
  change: (part: Partial<RunWithTexts>) => void;
  read: () => EvalRunInput | null;
}

/** The model of a suite of evals as it is typed. */
export function useRunWithDraft({ runWith }: Pick<Suite, "runWith">): RunWithDraft {
  const [texts, setTexts] = useState<RunWithTexts>({
    provider: runWith?.provider ?? NO_PROVIDER,
    model: runWith?.model ?? "",
    rounds: String(runWith?.rounds ?? DEFAULT_ROUNDS),
    offering: runWith?.offering ?? "direct",
  });
  const { provider, model, rounds, offering } = texts;
  return {
    texts,
    change: (part) => setTexts((before) => ({ ...before, ...part })),
    read: () => (provider === NO_PROVIDER ? null : { provider, model: model.trim(), rounds: Number(rounds), offering }),
  };
}

/** The model of runs by schedule, and of runs that name none. */
export function RunWithFields({ draft: { texts, change } }: { draft: RunWithDraft }) {
  const id = useId();
  const providers = useQuery(trpc.models.providers.queryOptions()).data?.items ?? NONE;
  const names = providers.map(({ name }) => name);
  const known = names.includes(texts.provider) || texts.provider === NO_PROVIDER ? names : [texts.provider, ...names];
  return (
    <>
      <FormField id={id} label="Provider" dataKey="runWith.provider">
        <NativeSelect
          id={id}
          value={texts.provider}
          onChange={({ target }) => change({ provider: target.value })}
          options={[[NO_PROVIDER, "As in the last run"], ...known.map((name) => [name, name] as const)]}
        />
      </FormField>
      {texts.provider !== NO_PROVIDER && (
        <>
          <DraftField
            label="Model"
            field="runWith.model"
            required
            mono
            value={texts.model}
            onChange={(model) => change({ model })}
          />
          <DraftField
            label="Rounds"
            field="runWith.rounds"
            inputMode="numeric"
            value={texts.rounds}
            hint="How often each question is asked: 1 to 20."
            onChange={(rounds) => change({ rounds })}
          />
          <Segmented
            label="Tools are offered as"
            value={texts.offering}
            options={OFFERINGS}
            onChange={(offering) => change({ offering })}
            className="self-start"
          />
        </>
      )}
    </>
  );
}
