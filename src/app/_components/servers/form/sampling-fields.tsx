"use client";

import { useId } from "react";
import type { PickedModel } from "@/app/_components/models/picker/model-button";
import { ModelPicker } from "@/app/_components/models/picker/model-picker";
import { SAMPLING_HINTS, SAMPLING_LABELS } from "@/app/_components/servers/summary/sampling-words";
import { describedBy, FieldProblems } from "@/app/_kit/form-field";
import { CHECKBOX } from "@/app/_ui/checkbox";
import { Segmented } from "@/app/_ui/segmented";
import { SAMPLING_MODES } from "@/lib/contract/sampling-limits";
import type { FormState } from "./form-state";

/** Who answers when the server requests a model response. */
export function SamplingFields({ form }: { form: FormState }) {
  const { sampling, samplingModel } = form.draft;
  const id = useId();
  // Provider and model are chosen together.
  const problems = ["sampling.model", "sampling.provider"].flatMap(form.problemsOf).slice(0, 1);
  const pick = ({ provider, model }: PickedModel) => form.change({ samplingModel: { provider, model } });
  return (
    <div className="min-w-0">
      <p className="mb-1 flex items-baseline gap-1.5 font-medium">
        Sampling <span className="font-mono font-normal text-2xs text-faint">sampling</span>
      </p>
      <Segmented
        label="Sampling"
        value={sampling}
        options={SAMPLING_MODES.map((value) => ({ value, label: SAMPLING_LABELS[value] }))}
        onChange={(next) => form.change({ sampling: next })}
      />
      <p className="mt-1 text-mute text-xs">{SAMPLING_HINTS[sampling]}</p>
      {sampling === "model" && (
        // Where the check leads for `sampling.model`; the button inside stands for `sampling.provider`.
        <div data-field="sampling.model" tabIndex={-1} className="mt-2 max-w-md">
          <ModelPicker
            value={samplingModel}
            onChange={pick}
            field="sampling.provider"
            aria-describedby={describedBy(id, { hint: false, problems })}
          />
          <FieldProblems id={id} problems={problems} />
        </div>
      )}
      <label className="mt-3 flex items-center gap-1.5 font-medium">
        <input
          type="checkbox"
          className={CHECKBOX}
          data-field="askPeople"
          aria-describedby={`${id}-people`}
          checked={form.draft.askPeople}
          onChange={({ target }) => form.change({ askPeople: target.checked })}
        />
        People answer for programs <span className="font-mono font-normal text-2xs text-faint">askPeople</span>
      </label>
      <p id={`${id}-people`} className="pl-7.5 text-mute text-xs">
        Requests that the client of a call can't answer go to open pages of the console. Off: they are refused at once.
      </p>
    </div>
  );
}
