"use client";

import { type RefObject, useEffect } from "react";

/** After an attempt that was refused, the first field with a problem gets the focus, or what opens it (`data-wrong`). */
export function useFocusOnProblem(
  form: RefObject<HTMLFormElement | null>,
  attempts: number,
  refusal: string | undefined,
) {
  // Outside system: the keyboard focus, once problems are marked.
  useEffect(() => {
    if (attempts === 0 && refusal === undefined) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]');
    const details = field?.closest("details");
    if (details) details.open = true;
    field?.focus();
  }, [form, attempts, refusal]);
}
