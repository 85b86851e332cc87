import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId } from "react";
import { ModelPicker } from "@/app/_components/models/picker/model-picker";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { type Choice, type ControlProps, custom, defineForm, optional, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { RunDetail, RunSettings } from "@/lib/contract/run";
import { formatPlural } from "@/lib/format";

interface RerunDialogProps {
  detail: RunDetail;
  fromStep: number;
  /** The message that the step answers, to be edited. */
  message?: string | undefined;
  onClose: () => void;
}

const RESULTS = [
  {
    value: "live",
    label: "Call the tools again",
    hint: "Tools run again with all their effects; approvals are requested again.",
  },
  {
    value: "recorded",
    label: "Use the recorded results",
    hint: "A call with the same arguments gets its recorded result; no tool runs.",
  },
  {
    value: "cassette",
    label: "Answer from a cassette",
    hint: "The cassette's tools are offered, no tool runs, and a call without a recording fails.",
  },
] as const;
type Results = (typeof RESULTS)[number]["value"];

interface RerunInput extends Pick<RunSettings, "instructions" | "cassette"> {
  text?: string;
  results: Results;
  model: readonly [provider: string, model: string];
}

const toForm = (hasMessage: boolean, cassettes: readonly Choice[]) =>
  defineForm<RerunInput>()({
    text: text("Message", {
      required: true,
      rows: 3,
      when: () => hasMessage,
      check: (typed) => (typed.trim() === "" ? ["Enter a message"] : []),
    }),
    instructions: text("System prompt", {
      rows: 2,
      maxLength: 200_000,
      placeholder: "None",
      write: (typed) => typed,
    }),
    results: custom<Results>("Tool results", "recorded", { render: (props) => <ResultsChoice {...props} /> }),
    cassette: optional("Cassette", "Choose a cassette…", cassettes, {
      when: ({ results }) => results === "cassette",
      check: (name) => (name === "" ? ["Choose a cassette"] : []),
    }),
    model: custom<RerunInput["model"]>("Model", ["", ""], { render: ModelChoice }),
  });

/** Starts a new run from a step of this one: earlier events are kept, and the model is asked again. */
export function RerunDialog({ detail: { id, settings }, fromStep, message, onClose }: RerunDialogProps) {
  const router = useRouter();
  const cassettes = useQuery(trpc.cassettes.list.queryOptions()).data ?? [];
  const { provider, model, instructions, cassette } = settings;
  const initial: RerunInput = {
    text: message ?? "",
    instructions,
    results: cassette === undefined ? "recorded" : "cassette",
    ...(cassette !== undefined && { cassette }),
    model: [provider, model],
  };
  function rerun({ text, results, ...edited }: RerunInput) {
    const next = {
      instructions: edited.instructions,
      cassette: edited.cassette,
      provider: edited.model[0],
      model: edited.model[1],
    };
    const isChanged = Object.entries(next).some(([key, value]) => settings[key as keyof typeof next] !== value);
    return client.runs.rerun.mutate({
      id,
      fromStep,
      results: results === "cassette" ? "live" : results,
      ...(text !== undefined && text !== message?.trim() && { text }),
      ...(isChanged && { settings: { ...settings, ...next } }),
    });
  }
  return (
    <EditDialog
      title={message === undefined ? `Rerun from step ${fromStep}` : "Edit message and rerun"}
      description="A new run keeps everything before this step and calls the model again. This run does not change."
      needs="run"
      submitLabel="Start"
      pendingLabel="Starting…"
      failure="Couldn't start the run"
      table={toForm(
        message !== undefined,
        cassettes.map(({ name, callCount }) => ({
          value: name,
          label: `${name} (${formatPlural(callCount, "call")})`,
        })),
      )}
      initial={initial}
      save={rerun}
      stale={[]}
      onSaved={(started) => {
        router.push(`/runs/${encodeURIComponent(started.id)}`);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function ResultsChoice({ look, value, onChange }: ControlProps<Results>) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{look.label}</legend>
      {RESULTS.map(({ value: each, label, hint }) => (
        <label key={each} className="flex cursor-pointer items-start gap-2">
          <input
            type="radio"
            name={name}
            value={each}
            checked={value === each}
            onChange={() => onChange(each)}
            className="mt-1 shrink-0 accent-accent"
          />
          <span>
            {label}
            <span className="block text-mute text-xs">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function ModelChoice({ look, value: [provider, model], onChange }: ControlProps<RerunInput["model"]>) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">{look.label}</p>
      <ModelPicker value={{ provider, model }} onChange={(picked) => onChange([picked.provider, picked.model])} />
    </div>
  );
}
