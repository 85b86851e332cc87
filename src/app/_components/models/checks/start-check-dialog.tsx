"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { toCheckPath } from "@/app/_components/models/summary/model-words";
import { useModelKeys } from "@/app/_components/models/summary/use-live-models";
import { FormDialog } from "@/app/_kit/form-dialog";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Input, NativeSelect } from "@/app/_ui/field";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { formatPlural } from "@/lib/format";

export interface StartCheckDialogProps {
  /** How many there are. */
  scenarios: number;
  onClose: () => void;
}

const DEFAULT_ROUNDS = 3;
const MAX_ROUNDS = 20;
const NONE: readonly never[] = [];

/** Asks which model to check and how often, and shows the cost before the check begins. */
export function StartCheckDialog({ scenarios, onClose }: StartCheckDialogProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const target = useCheckTarget();
  const [roundsText, setRoundsText] = useState(String(DEFAULT_ROUNDS));
  const rounds = readRounds(roundsText);
  const start = useAction(trpc.modelChecks.start.mutationOptions(), {
    stale: useModelKeys(),
    onDone: ({ id }) => router.push(toCheckPath(id)),
  });
  const model = target.model.trim();
  return (
    <FormDialog
      title="Check a model"
      description="The check runs on the server. You can leave this page."
      needs="run"
      submitLabel="Start check"
      pendingLabel="Starting…"
      // Until the page has changed, a second press must not start a second check.
      pending={start.isPending || start.isSuccess}
      disabled={rounds === null || model === "" || target.provider === ""}
      failure="Couldn't start the check"
      problem={start.problem}
      onSubmit={() => rounds !== null && start.mutate({ provider: target.provider, model, rounds })}
      onClose={onClose}
    >
      <TargetFields target={target} />
      <RoundsField text={roundsText} valid={rounds !== null} onChange={setRoundsText} />
      <p className="text-mute">
        {rounds !== null &&
          `${formatPlural(scenarios, "scenario")} × ${rounds} = ${formatPlural(scenarios * rounds, "run")}. `}
        {target.provider === ""
          ? "Add a model provider first: the demo model follows fixed rules and cannot be checked."
          : "Each run costs tokens at the provider. The check can be canceled."}
      </p>
    </FormDialog>
  );
}

function TargetFields({ target }: { target: CheckTarget }) {
  const id = useId();
  return (
    <>
      <FormField id={`${id}-provider`} label="Provider" dataKey="provider" problems={NONE}>
        <NativeSelect
          id={`${id}-provider`}
          value={target.provider}
          onChange={(event) => target.chooseProvider(event.target.value)}
          options={target.providers.map(({ name, problem }) => [
            name,
            problem === null ? name : `${name} (not usable now)`,
          ])}
        />
      </FormField>
      <FormField id={`${id}-model`} label="Model" dataKey="model" required hint={target.modelHint} problems={NONE}>
        <Input
          id={`${id}-model`}
          list={`${id}-models`}
          value={target.model}
          autoComplete="off"
          spellCheck={false}
          aria-required
          className="font-mono text-xs!"
          aria-describedby={describedBy(`${id}-model`, { hint: true, problems: NONE })}
          onChange={(event) => target.typeModel(event.target.value)}
        />
        <datalist id={`${id}-models`}>
          {target.models.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </FormField>
    </>
  );
}

function RoundsField({ text, valid, onChange }: { text: string; valid: boolean; onChange: (text: string) => void }) {
  const id = useId();
  const problems = valid ? NONE : [`must be an integer from 1 to ${MAX_ROUNDS}`];
  return (
    <FormField id={id} label="Rounds" dataKey="rounds" problems={problems}>
      <Input
        id={id}
        type="number"
        min={1}
        max={MAX_ROUNDS}
        value={text}
        invalid={!valid}
        className="max-w-24"
        aria-describedby={describedBy(id, { hint: false, problems })}
        onChange={(event) => onChange(event.target.value)}
      />
    </FormField>
  );
}

function readRounds(text: string): number | null {
  const rounds = Number(text);
  return text.trim() !== "" && Number.isInteger(rounds) && rounds >= 1 && rounds <= MAX_ROUNDS ? rounds : null;
}

interface CheckTarget {
  providers: readonly ModelProviderSummary[];
  provider: string;
  chooseProvider: (name: string) => void;
  model: string;
  typeModel: (model: string) => void;
  /** The models to choose from: those known here, then those that the vendor lists. */
  models: readonly string[];
  /** Said under the field of the model. */
  modelHint: string;
}

/** Holds the model to check: the picker's first one by default. The demo model cannot be checked. */
function useCheckTarget(): CheckTarget {
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
