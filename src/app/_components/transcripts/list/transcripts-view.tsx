"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { useRef } from "react";
import { useLiveTranscripts } from "@/app/_components/transcripts/summary/use-live-transcripts";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { useTRPC } from "@/app/_trpc/client";
import { formatPlural } from "@/lib/format";
import { TranscriptTable } from "./transcript-table";
import { TranscriptsEmpty } from "./transcripts-empty";

const NewTranscriptDialog = dynamic(
  () => import("@/app/_components/transcripts/form/new-transcript-dialog").then((module) => module.NewTranscriptDialog),
  { ssr: false },
);

export function TranscriptsView() {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.transcripts.list.queryOptions());
  useLiveTranscripts(null);
  const [making, setMaking] = useQueryState("new", parseAsString);
  const list = useRef<HTMLDivElement>(null);
  useListKeys({ list });
  const listening = data.items.filter(({ status }) => status === "open").length;
  return (
    <>
      {data.items.length > 0 ? (
        <div ref={list}>
          <p role="status" className="px-4 pt-2.5 text-mute text-xs">
            {formatPlural(data.items.length, "transcript")}
            {listening > 0 && ` · ${listening} listening`}
          </p>
          <TranscriptTable transcripts={data.items} />
        </div>
      ) : (
        <TranscriptsEmpty onNew={() => void setMaking("1")} />
      )}
      {making !== null && <NewTranscriptDialog onClose={() => void setMaking(null)} />}
    </>
  );
}
