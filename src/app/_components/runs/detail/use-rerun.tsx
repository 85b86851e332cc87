"use client";

import { type ReactNode, useCallback, useState } from "react";
import { onDemand } from "@/app/_ui/on-demand";
import type { RunDetail } from "@/lib/contract/run";

const RerunDialog = onDemand(() => import("./rerun-dialog").then((module) => module.RerunDialog));

export interface Rerun {
  /** Opens the dialog. @param message the message that the step answers, to be edited */
  rerun: (step: number, message?: string) => void;
  dialog: ReactNode;
}

/** Reruns a run from one of its steps. @param toPath where the new run is opened; its own page when absent */
export function useRerun(detail: RunDetail | null, toPath?: (id: string) => string): Rerun {
  const [from, setFrom] = useState<{ step: number; message: string | undefined } | null>(null);
  const rerun = useCallback((step: number, message?: string): void => setFrom({ step, message }), []);
  const dialog = detail !== null && from !== null && (
    <RerunDialog
      detail={detail}
      fromStep={from.step}
      message={from.message}
      {...(toPath && { toPath })}
      onClose={() => setFrom(null)}
    />
  );
  return { rerun, dialog };
}
