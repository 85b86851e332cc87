"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTRPC } from "@/app/_trpc/client";
import type { CutPart } from "@/lib/run/build-turns";
import { CutTextBar } from "./cut-text-bar";
import { useCutText } from "./use-cut-text";

export interface RunTextProps {
  runId: string;
  /** Whole, or its beginning. */
  text: string;
  /** Null: it is whole. */
  cut: CutPart | null;
  /** What it is, for buttons: "the arguments". */
  label: string;
  children: (text: string) => ReactNode;
}

/** A text of a run's event, with the means to load the rest of it where only its beginning is here. */
export function RunText(props: RunTextProps) {
  return props.cut === null ? props.children(props.text) : <LongText {...props} cut={props.cut} />;
}

function LongText({ runId, text, cut, label, children }: RunTextProps & { cut: CutPart }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { index, part } = cut;
  const whole = useCutText(text, cut.chars, (offset) =>
    queryClient.fetchQuery(trpc.runs.payload.queryOptions({ id: runId, index, part, offset }, { gcTime: 0 })),
  );
  return (
    <>
      {children(whole.text)}
      <CutTextBar cut={whole} label={label} />
    </>
  );
}
