"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { ModelPicker } from "@/app/_components/models/picker/model-picker";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { NativeSelect, Textarea } from "@/app/_ui/field";
import type { RunDetail } from "@/lib/contract/run";
import { formatPlural } from "@/lib/format";

export interface RerunDialogProps {
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

/** A new run from a step of this one: what came before is kept, the model is asked again. */
export function RerunDialog({ detail, fromStep, message, onClose }: RerunDialogProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const name = useId();
  const [results, setResults] = useState<(typeof RESULTS)[number]["value"]>(
    detail.settings.cassette === undefined ? "recorded" : "cassette",
  );
  const [text, setText] = useState(message ?? "");
  const { settings } = detail;
  const [model, setModel] = useState({ provider: settings.provider, model: settings.model });
  const rerun = useAction(trpc.runs.rerun.mutationOptions(), {
    stale: [],
    onDone: ({ id }) => {
      router.push(`/runs/${encodeURIComponent(id)}`);
      onClose();
    },
  });
  const [instructions, setInstructions] = useState(settings.instructions);
  const [cassette, setCassette] = useState(settings.cassette ?? "");
  const usesCassette = results === "cassette";
  const cassettes = useQuery({ ...trpc.cassettes.list.queryOptions(), enabled: usesCassette }).data ?? [];
  const changed =
    model.provider !== settings.provider ||
    model.model !== settings.model ||
    instructions !== settings.instructions ||
    (usesCassette ? cassette : undefined) !== settings.cassette;
  const start = (): void =>
    rerun.mutate({
      id: detail.id,
      fromStep,
      results: usesCassette ? "live" : results,
      ...(message === undefined || text.trim() === message.trim() ? {} : { text }),
      ...(changed
        ? { settings: { ...settings, ...model, instructions, cassette: usesCassette ? cassette : undefined } }
        : {}),
    });
  return (
    <FormDialog
      title={message === undefined ? `Rerun from step ${fromStep}` : "Edit message and rerun"}
      description="A new run keeps everything before this step and calls the model again. This run does not change."
      needs="run"
      submitLabel="Start"
      pendingLabel="Starting…"
      pending={rerun.isPending || rerun.isSuccess}
      disabled={(message !== undefined && text.trim() === "") || (usesCassette && cassette === "")}
      failure="Couldn't start the run"
      problem={rerun.problem}
      onSubmit={start}
      onClose={onClose}
    >
      {message !== undefined && (
        <div className="flex flex-col gap-1.5">
          <label htmlFor={`${name}-message`} className="font-medium">
            Message
          </label>
          <Textarea
            id={`${name}-message`}
            autoFocus
            rows={3}
            value={text}
            aria-required
            onChange={(event) => setText(event.target.value)}
            className="max-h-60 resize-y"
          />
        </div>
      )}
      <div className="flex flex-col gap-1.5">
        <label htmlFor={`${name}-system`} className="font-medium">
          System prompt
        </label>
        <Textarea
          id={`${name}-system`}
          rows={2}
          maxLength={200_000}
          placeholder="None"
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
          className="max-h-60 resize-y"
        />
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">Tool results</legend>
        {RESULTS.map(({ value, label, hint }) => (
          <label key={value} className="flex cursor-pointer items-start gap-2">
            <input
              type="radio"
              name={name}
              value={value}
              checked={results === value}
              onChange={() => setResults(value)}
              className="mt-1 shrink-0 accent-accent"
            />
            <span>
              {label}
              <span className="block text-mute text-xs">{hint}</span>
            </span>
          </label>
        ))}
        {usesCassette && (
          <NativeSelect aria-label="Cassette" value={cassette} onChange={(event) => setCassette(event.target.value)}>
            <option value="">Choose a cassette…</option>
            {cassettes.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name} ({formatPlural(each.callCount, "call")})
              </option>
            ))}
          </NativeSelect>
        )}
      </fieldset>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Model</p>
        <ModelPicker value={model} onChange={setModel} />
      </div>
    </FormDialog>
  );
}
