"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useId, useMemo, useState } from "react";
import { ClippedText } from "@/app/_components/json-tree/clipped-text";
import { JsonTree } from "@/app/_components/json-tree/json-tree";
import { Badge } from "@/app/_ui/badge";
import { Button, IconButton } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { JsonText } from "@/app/_ui/json-text";
import { Segmented } from "@/app/_ui/segmented";
import { ShowMore } from "@/app/_ui/show-more";
import type { ChatMessage } from "@/lib/contract/chat";
import type { RunDetail, RunEvent } from "@/lib/contract/run";
import { formatBytes, formatPlural } from "@/lib/format";
import { messagesBeforeStep } from "@/lib/run/messages-of";
import { utf8Bytes } from "@/lib/utf8-bytes";

const FORMS = ["messages", "json"] as const;
const PARAMS = { step: parseAsInteger, form: parseAsStringLiteral(FORMS).withDefault("messages") };

type Started = Extract<RunEvent, { type: "model_started" }>;

export interface RawViewProps {
  detail: RunDetail;
  events: readonly RunEvent[];
  onRerun: ((step: number) => void) | undefined;
}

/** What the model was sent at a step, exactly. */
export function RawView({ detail, events, onRerun }: RawViewProps) {
  const [{ step, form }, setParams] = useQueryStates(PARAMS);
  const steps = useMemo(() => events.filter((event): event is Started => event.type === "model_started"), [events]);
  const shown = steps.find((started) => started.step === step) ?? steps.at(-1);
  const messages = useMemo(() => (shown ? messagesBeforeStep(events, shown.step) : []), [events, shown]);
  const text = useMemo(() => JSON.stringify(messages, null, 2), [messages]);
  if (!shown) return <EmptyState title="The model was not asked yet">Its messages appear here once it is.</EmptyState>;
  return (
    <div className="flex flex-col">
      <div className="sticky top-0 z-10 flex flex-wrap items-center gap-2 border-line border-b bg-panel px-4 py-2">
        <StepSelect steps={steps} shown={shown} onChange={(next) => void setParams({ step: next })} />
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
          {formatPlural(messages.length, "message")}, {formatBytes(utf8Bytes(text))}
        </span>
        <CopyButton text={text} label="Copy messages" />
        {onRerun && (
          <Button className="ml-auto" onClick={() => onRerun(shown.step)}>
            Rerun from here…
          </Button>
        )}
      </div>
      <div className="grid min-w-0 xl:grid-cols-[minmax(0,1fr)_minmax(280px,22rem)]">
        <div className="min-w-0 p-4">
          {form === "json" ? (
            <JsonText
              wrap
              text={text}
              label="Messages as JSON"
              className="rounded-lg border border-line bg-panel p-3"
            />
          ) : (
            <MessageList key={shown.step} messages={messages} />
          )}
        </div>
        <RequestSettings detail={detail} started={shown} />
      </div>
    </div>
  );
}

interface StepSelectProps {
  steps: readonly Started[];
  shown: Started;
  onChange: (step: number) => void;
}

function StepSelect({ steps, shown, onChange }: StepSelectProps) {
  const at = steps.indexOf(shown);
  const go = (by: number): void => {
    const next = steps[at + by];
    if (next) onChange(next.step);
  };
  return (
    <div className="flex items-center gap-1">
      <IconButton label="Previous step" disabled={at <= 0} onClick={() => go(-1)}>
        <ChevronLeft aria-hidden size={15} strokeWidth={1.6} />
      </IconButton>
      <NativeSelect
        aria-label="Step"
        className="w-auto!"
        value={shown.step}
        onChange={(event) => onChange(Number(event.target.value))}
      >
        {steps.map((started) => (
          <option key={started.index} value={started.step}>
            Step {started.step} · {started.model}
          </option>
        ))}
      </NativeSelect>
      <IconButton label="Next step" disabled={at >= steps.length - 1} onClick={() => go(1)}>
        <ChevronRight aria-hidden size={15} strokeWidth={1.6} />
      </IconButton>
    </div>
  );
}

const MESSAGES = 60;
/** The newest are what one looks for. */
const UNFOLDED = 6;

function MessageList({ messages }: { messages: readonly ChatMessage[] }) {
  const [limit, setLimit] = useState(MESSAGES);
  const hidden = Math.max(0, messages.length - limit);
  return (
    <>
      {hidden > 0 && <ShowMore rest={hidden} onMore={() => setLimit(limit + MESSAGES)} />}
      <ol aria-label="Messages" className="flex min-w-0 flex-col gap-2">
        {messages.slice(hidden).map((message, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a log only grows, a message keeps its place
          <li key={hidden + at}>
            <MessageView
              message={message}
              position={hidden + at + 1}
              open={hidden + at >= messages.length - UNFOLDED}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

const ROLE_TONES = { system: "warn", user: "neutral", assistant: "accent", tool: "ok" } as const;

function MessageView({ message, position, open }: { message: ChatMessage; position: number; open: boolean }) {
  const [unfolded, setUnfolded] = useState(open);
  const panelId = useId();
  const text = useMemo(() => JSON.stringify(message, null, 2), [message]);
  return (
    <article aria-label={`Message ${position}, ${message.role}`} className="rounded-lg border border-line bg-panel">
      <div className="flex items-center gap-2 pr-1">
        <button
          type="button"
          aria-expanded={unfolded}
          aria-controls={panelId}
          onClick={() => setUnfolded(!unfolded)}
          className="-outline-offset-2 flex min-w-0 flex-1 items-center gap-2 rounded-lg px-2.5 py-1.5 text-left"
        >
          <span className="w-6 shrink-0 font-mono text-2xs text-faint">{position}</span>
          <Badge tone={ROLE_TONES[message.role]}>{message.role}</Badge>
          <span className="min-w-0 truncate font-mono text-mute text-xs">{summaryOf(message)}</span>
        </button>
        <CopyButton text={text} label={`Copy message ${position}`} />
      </div>
      <div id={panelId} hidden={!unfolded} className="border-line border-t p-2.5">
        {unfolded && <JsonTree text={text} label={`Message ${position}`} />}
      </div>
    </article>
  );
}

const SUMMARY_CHARS = 140;

function summaryOf({ contents }: ChatMessage): string {
  return contents
    .slice(0, 8)
    .map((content) => {
      if (content.type === "text" || content.type === "reasoning") return content.text.slice(0, SUMMARY_CHARS);
      if (content.type === "function_call" || content.type === "function_result")
        return `${content.type} ${content.name}`;
      return content.type;
    })
    .join(" · ")
    .slice(0, SUMMARY_CHARS);
}

function RequestSettings({ detail, started }: { detail: RunDetail; started: Started }) {
  const { settings } = detail;
  const text = useMemo(() => JSON.stringify(settings, null, 2), [settings]);
  return (
    <section aria-label="Settings" className="min-w-0 border-line p-4 max-xl:border-t xl:border-l">
      <div className="flex items-center gap-2">
        <h2 className="font-medium">Settings</h2>
        <CopyButton text={text} label="Copy settings" className="ml-auto" />
      </div>
      <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
        <dt className="text-mute">Model</dt>
        <dd className="font-mono [overflow-wrap:anywhere]">
          {started.provider} / {started.model}
        </dd>
        <dt className="text-mute">Tools offered</dt>
        <dd className="font-mono">{started.toolCount}</dd>
        <dt className="text-mute">Tool choice</dt>
        <dd className="font-mono">{started.toolChoice}</dd>
        <dt className="text-mute">Iteration</dt>
        <dd className="font-mono">{started.iteration}</dd>
      </dl>
      {settings.storeConversation === true && (
        <p className="mt-2 text-mute text-xs">
          The provider was asked to hold the conversation: where it does, only the messages since its last answer
          travel.
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
      <p className="mt-3 text-mute text-xs">Settings of the run now</p>
      <JsonText
        wrap
        text={text}
        label="Settings as JSON"
        className="mt-1 max-h-96 rounded-md border border-line bg-bg p-2"
      />
    </section>
  );
}
