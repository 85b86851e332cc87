import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useLiveEvents } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import { lazyPart } from "@/app/_ui/on-demand";
import { whenServerAnswers } from "@/app/_ui/server-reach";
import type { ModelChoice } from "@/lib/contract/model";
import { ModelButton, type PickedModel } from "./model-button";

const load = () => import("./model-picker-view");
const ModelPickerView = lazyPart(load, "ModelPickerView");

interface ModelPickerProps {
  value: PickedModel;
  onChange: (value: PickedModel) => void;
  /** Its `data-field` in a form. */
  field?: string;
  "aria-describedby"?: string | undefined;
}

/** Chooses a model. Only a button until it is pressed, since the list asks the vendors. */
export function ModelPicker({ value, onChange, field, ...described }: ModelPickerProps) {
  const queryClient = useQueryClient();
  const { data } = useQuery(trpc.models.choices.queryOptions());
  useLiveEvents((event) => {
    if (event.type === "models") void queryClient.invalidateQueries({ queryKey: trpc.models.pathKey() });
  });
  const [wanted, setWanted] = useState(false);
  const choice = findChoice(data?.items ?? [], value);
  const warm = () => void whenServerAnswers().then(load);
  const button = (
    <ModelButton
      value={value}
      choice={choice}
      data-field={field}
      {...described}
      aria-haspopup="dialog"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      onPointerEnter={warm}
      onFocus={warm}
    />
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <ModelPickerView
        value={value}
        choices={data?.items ?? []}
        choice={choice}
        onChange={onChange}
        field={field}
        {...described}
      />
    </Suspense>
  );
}

function findChoice(choices: readonly ModelChoice[], { provider, model }: PickedModel): ModelChoice | null {
  return choices.find((choice) => choice.provider === provider && choice.model === model) ?? null;
}
