"use client";

import { lazy, Suspense, useState } from "react";
import { whenServerAnswers } from "@/app/_ui/server-reach";
import { MultiSelectButton, type MultiSelectProps } from "./multi-select-button";

const load = () => whenServerAnswers().then(() => import("./multi-select-view"));
const MultiSelectView = lazy(() => load().then((module) => ({ default: module.MultiSelectView })));

/** Any of several; none chosen means all. Only a button until it is pressed: positioning is most of what it weighs. */
export function MultiSelect<T extends string>({ label, options, value, onChange }: MultiSelectProps<T>) {
  const [wanted, setWanted] = useState(false);
  const warm = () => void load();
  const button = (
    <MultiSelectButton
      label={label}
      options={options}
      value={value}
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
      <MultiSelectView
        label={label}
        options={options}
        value={value}
        // The view gives back values of the options it was given.
        onChange={(chosen) => onChange(chosen as T[])}
      />
    </Suspense>
  );
}
