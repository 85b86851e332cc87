"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { useTRPC } from "@/app/_trpc/client";
import { Button, IconButton } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { FactList } from "@/app/_ui/fact-list";
import { NativeSelect } from "@/app/_ui/field";
import { JsonText } from "@/app/_ui/json-text";
import { Segmented } from "@/app/_ui/segmented";
import type { RunDetail, RunEvent, RunMessage, RunMessagePage } from "@/lib/contract/run";
import { formatBytes, formatCount, formatPlural } from "@/lib/format";
import { RawMessages } from "./raw-messages";

const FORMS = ["messages", "json"] as const;
const PARAMS = { step: parseAsInteger, form: parseAsStringLiteral(FORMS).withDefault("messages") };

type Started = Extract<RunEvent, { type: "model_started" }>;

export interface RawViewProps {
  detail: RunDetail;
  events: readonly RunEvent[];
  onRerun: ((step: number) => void) | undefined;
}

/** Shows exactly what the model was sent at a step. */
export function RawView({ detail, events, onRerun }: RawViewProps) {
  const [{ step, form }, setParams] = useQueryStates(PARAMS);
  const last = events.findLast((event) => event.type === "model_started");
  const lastStep = last?.type === "model_started" ? last.step : null;
  const wanted = step !== null && step >= 1 && (lastStep === null || step <= lastStep) ? step : lastStep;
  const { pages, error, refetch, older } = useMessages(detail.id, wanted);
  const [newest] = pages;
  if (error !== null) {
    return <ErrorState title="Couldn't load messages" message={error.message} onRetry={refetch} />;
  }
  if (newest === undefined) return <ViewSkeleton of="runTab" />;
  const { started, count, bytes } = newest;
  if (started === null) {
    return <EmptyState title="No model calls yet">Messages appear here when the model is called.</EmptyState>;
  }
  const messages = pages.toReversed().flatMap(({ items }) => items);
  const text = `[\n${messages.map((message) => message.text).join(",\n")}\n]`;
  const whole = older === null && messages.every((message) => message.text.length === message.chars);
  return (
    <div className="flex flex-col">
      <div className="sticky top-0 z-10 flex flex-wrap items-center gap-2 border-line border-b bg-panel px-4 py-2">
        <StepSelect
          events={events}
          shown={started}
          last={Math.max(lastStep ?? 0, started.step)}
          onChange={(next) => void setParams({ step: next })}
        />
        <Segmented
          label="Form"
          value={form}
          options={[
            { value: "messages", label: "By message" },
            { value: "json", label: "JSON" },
          ]}
          onChange={(next) => void setParams({ form: next })}
        />
        <span className="font-mono text-mute text-xs">
          {formatPlural(count, "message")}, {formatBytes(bytes)}
        </span>
        {whole && <CopyButton text={text} label="Copy messages" />}
        {onRerun && (
          <Button needs="run" className="ml-auto" onClick={() => onRerun(started.step)}>
            Rerun from here…
          </Button>
        )}
      </div>
      <div className="grid min-w-0 xl:grid-cols-[minmax(0,1fr)_minmax(280px,22rem)]">
        <div className="min-w-0 p-4">
          {older !== null && <OlderMessages {...older} />}
          {form === "json" ? (
            <JsonMessages text={text} whole={whole} />
          ) : (
            <RawMessages
              key={started.step}
              runId={detail.id}
              step={started.step}
              messages={messages satisfies RunMessage[]}
              count={count}
            />
          )}
        </div>
        <RequestSettings detail={detail} started={started} answer={findAnswer(newest, events, started.step)} />
      </div>
    </div>
  );
}

/** Newest page first. `older` null: all messages are here. */
function useMessages(id: string, step: number | null) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.runs.messages.infiniteQueryOptions(
      { id, step },
      { getNextPageParam: (page) => page.nextCursor, refetchOnMount: "always" },
    ),
  );
  const pages = query.data?.pages ?? [];
  const newest = pages[0];
  const left = newest === undefined ? 0 : newest.count - pages.reduce((sum, { items }) => sum + items.length, 0);
  return {
    pages,
    error: query.data === undefined ? query.error : null,
    refetch: () => {
      void query.refetch();
    },
    older: query.hasNextPage
      ? {
          left,
          loading: query.isFetchingNextPage,
          load: () => {
            void query.fetchNextPage();
          },
        }
      : null,
  };
}

function OlderMessages({ left, loading, load }: { left: number; loading: boolean; load: () => void }) {
  return (
    <div className="flex justify-center p-2">
      <Button onClick={load} disabled={loading}>
        {loading ? "Loading…" : `Load earlier messages (${formatCount(left)} left)`}
      </Button>
    </div>
  );
}

function JsonMessages({ text, whole }: { text: string; whole: boolean }) {
  return (
    <>
      {!whole && (
        <p className="mb-2 text-mute text-xs">
          Some messages are not fully loaded. Switch to “By message” to load them.
        </p>
      )}
      <JsonText wrap text={text} label="Messages as JSON" className="rounded-lg border border-line bg-panel p-3" />
    </>
  );
}

type Answer = Pick<RunMessagePage, "notes" | "finishReason" | "finishDetail">;

/** How the step ended: heard since the messages were read, or read with them. */
function findAnswer(page: RunMessagePage, events: readonly RunEvent[], step: number): Answer {
  const finished = events.find((event) => event.type === "model_finished" && event.step === step);
  const heard = events.flatMap((event) => (event.type === "notice" && event.step === step ? [event.text] : []));
  const known = finished?.type === "model_finished" ? finished : page;
  return {
    notes: heard.length > page.notes.length ? heard : page.notes,
    finishReason: known.finishReason,
    finishDetail: known.finishDetail ?? null,
  };
}

interface StepSelectProps {
  events: readonly RunEvent[];
  shown: Started;
  /** Steps count from 1. */
  last: number;
  onChange: (step: number) => void;
}

/** More options than this are reached with the buttons beside the list. */
const MAX_OPTIONS = 500;

function StepSelect({ events, shown, last, onChange }: StepSelectProps) {
  const models = new Map(
    events.flatMap((event) => (event.type === "model_started" ? [[event.step, event.model]] : [])),
  );
  const first = Math.max(1, Math.min(shown.step, last - MAX_OPTIONS + 1));
  const steps = Array.from({ length: Math.min(MAX_OPTIONS, last - first + 1) }, (_, at) => first + at);
  return (
    <div className="flex items-center gap-1">
      <IconButton
        icon={ChevronLeft}
        label="Previous step"
        disabled={shown.step <= 1}
        onClick={() => onChange(shown.step - 1)}
      />
      <NativeSelect
        aria-label="Step"
        className="w-auto!"
        value={shown.step}
        onChange={(event) => onChange(Number(event.target.value))}
        options={steps.map((step) => [step, models.has(step) ? `Step ${step} · ${models.get(step)}` : `Step ${step}`])}
      />
      <IconButton
        icon={ChevronRight}
        label="Next step"
        disabled={shown.step >= last}
        onClick={() => onChange(shown.step + 1)}
      />
    </div>
  );
}

function RequestSettings({ detail, started, answer }: { detail: RunDetail; started: Started; answer: Answer }) {
  const { settings } = detail;
  const text = JSON.stringify(settings, null, 2);
  return (
    <section aria-label="Settings" className="min-w-0 border-line p-4 max-xl:border-t xl:border-l">
      <div className="flex items-center gap-2">
        <h2 className="font-medium">Settings</h2>
        <CopyButton text={text} label="Copy settings" className="ml-auto" />
      </div>
      <FactList
        className="mt-1.5 text-xs"
        facts={[
          ["Model", `${started.provider} / ${started.model}`],
          ["Tools offered", started.toolCount],
          ["Tool choice", started.toolChoice],
          ["Iteration", started.iteration],
          [
            "Finish reason",
            answer.finishReason &&
              `${answer.finishReason}${answer.finishDetail === null ? "" : ` (${answer.finishDetail})`}`,
          ],
        ]}
      />
      {answer.notes.length > 0 && (
        <ul aria-label="Notes" className="mt-2 flex flex-col gap-1 text-warn text-xs [overflow-wrap:anywhere]">
          {[...new Set(answer.notes)].map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {settings.storeConversation === true && (
        <p className="mt-2 text-mute text-xs">
          The provider stores the conversation: only messages since its last response are sent.
        </p>
      )}
      {settings.instructions !== "" && (
        <div className="mt-3">
          <p className="text-mute text-xs">System prompt</p>
          <div className="mt-1 max-h-80 overflow-auto rounded-md border border-line bg-bg p-2">
            <ClippedText text={settings.instructions} label="System prompt" />
          </div>
        </div>
      )}
      <p className="mt-3 text-mute text-xs">Current settings</p>
      <JsonText
        wrap
        text={text}
        label="Settings as JSON"
        className="mt-1 max-h-96 rounded-md border border-line bg-bg p-2"
      />
    </section>
  );
}
