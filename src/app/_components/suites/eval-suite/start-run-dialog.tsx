import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { OFFERING_LABELS, toRunPath } from "@/app/_components/suites/summary/run-words";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { EvalEdit, EvalOffering, EvalRunSummary } from "@/lib/contract/eval";
import { MAX_EVAL_ROUNDS } from "@/lib/contract/eval-limits";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { formatPlural } from "@/lib/format";

interface StartRunDialogProps {
  suite: string;
  evals: number;
  /** A definition that is offered in place of the saved one. */
  edit?: EvalEdit | undefined;
  /** Called in place of opening the run. */
  onStarted?: ((runs: EvalRunSummary[]) => void) | undefined;
  onClose: () => void;
}

const DEFAULT_ROUNDS = 3;
const NONE: readonly never[] = [];
const OFFERINGS: Record<EvalOffering | "both", readonly EvalOffering[]> = {
  direct: ["direct"],
  discovery: ["discovery"],
  both: ["direct", "discovery"],
};

/** Asks with which models to run a suite and how often, and shows the cost before it begins. */
export function StartRunDialog({ suite, evals, edit, onStarted, onClose }: StartRunDialogProps) {
  const router = useRouter();
  const target = useEvalTarget();
  const [roundsText, setRoundsText] = useState(String(DEFAULT_ROUNDS));
  const [offering, setOffering] = useState<EvalOffering | "both">("direct");
  const rounds = readRounds(roundsText);
  const models = target.model.split(",").flatMap((name) => name.trim() || []);
  const requests = models.flatMap((model) =>
    OFFERINGS[offering].map((each) => ({
      name: suite,
      provider: target.provider,
      model,
      rounds: rounds ?? DEFAULT_ROUNDS,
      offering: each,
      ...(edit && { editing: edit.editing, definition: edit.definitionText }),
    })),
  );
  const start = useAction(
    {
      mutationFn: async (starts: typeof requests) => {
        const runs: EvalRunSummary[] = [];
        for (const each of starts) {
          const run = await client.suites.run.mutate(each);
          if (run.kind === "evals") runs.push(run);
        }
        return runs;
      },
    },
    {
      stale: [trpc.suites],
      onDone(runs) {
        if (onStarted !== undefined) return onStarted(runs);
        const [only, ...more] = runs;
        // Closing writes the address too, which would take back the way to the run.
        if (only !== undefined && more.length === 0) router.push(toRunPath(only.id));
        else onClose();
      },
    },
  );
  const attempts = evals * (rounds ?? 0) * requests.length;
  return (
    <FormDialog
      title={`Run ${suite}`}
      description="The run continues on the server. You can leave this page."
      needs="run"
      submitLabel="Start run"
      pendingLabel="Starting…"
      // A second press must not start a second run before the page has changed.
      pending={start.isPending || start.isSuccess}
      disabled={rounds === null || models.length === 0 || target.provider === ""}
      failure="Couldn't start the run"
      problem={start.problem}
      onSubmit={() => start.mutate(requests)}
      onClose={onClose}
    >
      <TargetFields target={target} />
      <div className="flex flex-col items-start gap-1">
        <span className="font-medium">Tools are offered as</span>
        <Segmented
          label="Tools are offered as"
          value={offering}
          options={{ ...OFFERING_LABELS, both: "Both" }}
          onChange={setOffering}
        />
        <span className="text-mute text-xs">Discovery offers a search and a call in place of the list.</span>
      </div>
      <DraftField
        label="Rounds"
        field="rounds"
        inputMode="numeric"
        short
        value={roundsText}
        problems={rounds === null ? [`must be an integer from 1 to ${MAX_EVAL_ROUNDS}`] : []}
        onChange={setRoundsText}
      />
      <p className="text-mute">
        {rounds !== null &&
          `${formatPlural(evals, "eval")} × ${rounds}${requests.length > 1 ? ` × ${requests.length}` : ""} = ${formatPlural(attempts, "attempt")}. `}
        Each attempt costs tokens at the provider. A run can be canceled.
      </p>
    </FormDialog>
  );
}

function TargetFields({ target }: { target: EvalTarget }) {
  const id = useId();
  return (
    <>
      <FormField id={id} label="Provider" dataKey="provider">
        <NativeSelect
          id={id}
          value={target.provider}
          onChange={(event) => target.chooseProvider(event.target.value)}
          options={target.providers.map(({ name, problem }) => [
            name,
            problem === null ? name : `${name} (not usable now)`,
          ])}
        />
      </FormField>
      <DraftField
        label="Models"
        field="model"
        required
        mono
        proposals={target.models}
        hint={target.modelHint}
        value={target.model}
        onChange={target.typeModel}
      />
    </>
  );
}

function readRounds(text: string): number | null {
  const rounds = Number(text);
  return text.trim() !== "" && Number.isInteger(rounds) && rounds >= 1 && rounds <= MAX_EVAL_ROUNDS ? rounds : null;
}

interface EvalTarget {
  providers: readonly ModelProviderSummary[];
  provider: string;
  chooseProvider: (name: string) => void;
  model: string;
  typeModel: (model: string) => void;
  /** The models to choose from: the known ones, then those that the vendor lists. */
  models: readonly string[];
  /** The hint under the field of the model. */
  modelHint: string;
}

/** Holds the models to run with: the picker's first one by default. */
function useEvalTarget(): EvalTarget {
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const providers = useQuery(trpc.models.providers.queryOptions()).data?.items ?? NONE;
  const choices = useQuery(trpc.models.choices.queryOptions()).data?.items ?? NONE;
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
  return fetching ? "Loading models…" : "Choose a model or enter names, separated by commas.";
}
