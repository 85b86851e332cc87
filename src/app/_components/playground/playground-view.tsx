"use client";

import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { AppConversationProvider } from "@/app/_components/apps/app-conversation";
import { useLiveModels } from "@/app/_components/models/summary/use-live-models";
import { Conversation, PendingMessage } from "@/app/_components/runs/detail/conversation";
import { ConversationScroll, type ScrollHandle } from "@/app/_components/runs/detail/conversation-scroll";
import { RunLenses } from "@/app/_components/runs/detail/run-lenses";
import type { RunState } from "@/app/_components/runs/detail/run-state";
import { type Rerun, useRerun } from "@/app/_components/runs/detail/use-rerun";
import { DraftNotice } from "@/app/_kit/draft-notice";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { useDocumentKeys } from "@/app/_kit/use-document-keys";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { ButtonLink } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { onDemand } from "@/app/_ui/on-demand";
import type { ModelChoice } from "@/lib/contract/model";
import type { RunSettings } from "@/lib/contract/run";
import { Composer } from "./composer";
import { EmptyConversation } from "./empty-conversation";
import { PlaygroundHeader } from "./playground-header";
import { PLAYGROUND_PARAMS } from "./playground-params";
import { readSettings } from "./settings-draft";
import { SettingsPanel } from "./settings-panel";
import { useConversation } from "./use-conversation";
import { joinMessages, useAppContext, usePlaygroundDraft, useQueuedMessage, withMessage } from "./use-playground-draft";

const Dialog = onDemand(() => import("@/app/_ui/dialog"), "Dialog");
const AppContextList = onDemand(() => import("../apps/app-context-list"), "AppContextList");
const QueuedMessage = onDemand(() => import("./queued-message"), "QueuedMessage");
const RunAllowances = onDemand(() => import("../approvals/summary/run-allowances"), "RunAllowances");

const NO_CHOICES: readonly ModelChoice[] = [];

interface PlaygroundViewProps {
  /** JSON text of the settings to begin with: of the run, or of the last one. Null: none was ever made. */
  initialSettingsText: string | null;
  /** The run of the page's own address; absent where `?run=` names it. */
  runId?: string;
}

/** A talk with a model that may use the catalog, and a run to read. Each conversation has its own draft. */
export function PlaygroundView({ initialSettingsText, runId }: PlaygroundViewProps) {
  const [{ run: named }] = useQueryStates(PLAYGROUND_PARAMS);
  const run = runId ?? named;
  const [talk, setTalk] = useState<ShownTalk>({ count: 0, run, started: null });
  // Keeps the state when a conversation receives its run, and resets it for another run's address.
  if (run !== talk.run) {
    setTalk({ count: run === talk.started ? talk.count : talk.count + 1, run, started: null });
  }
  const [seen] = useState(() => new Map<string, number>());
  const onStarted = useCallback(
    (id: string): void => {
      seen.set(id, 0);
      setTalk((before) => ({ ...before, started: id }));
    },
    [seen],
  );
  return <PlaygroundTalk key={talk.count} {...{ initialSettingsText, run, onStarted, seen }} />;
}

interface ShownTalk {
  /** The number of the conversation, used as its React key. */
  count: number;
  run: string | null;
  /** The run that the first message has begun, until it is in the address. */
  started: string | null;
}

interface PlaygroundTalkProps {
  initialSettingsText: string | null;
  run: string | null;
  onStarted: (runId: string) => void;
  /** When the newest event happened that a run had when it was first shown; 0 for a run that was begun here. */
  seen: Map<string, number>;
}

function PlaygroundTalk({ initialSettingsText, run: runId, onStarted, seen }: PlaygroundTalkProps) {
  const choices = useQuery(trpc.models.choices.queryOptions());
  useLiveModels();
  const initial = initialSettingsText === null ? null : (JSON.parse(initialSettingsText) as RunSettings);
  const items = choices.data?.items ?? NO_CHOICES;
  const { held, draft, change, setRun, sent } = usePlaygroundDraft(initial, items, runId);
  const { settings, problems } = readSettings(draft);
  const [sheetOpen, setSheetOpen] = useState(false);
  const { preferences } = usePreferences();
  const scroll = useRef<ScrollHandle>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const { update } = held;
  const talk = useConversation({
    runId,
    onStarted: (id) => {
      onStarted(id);
      setRun(id);
    },
    onSent: sent,
    onRefused: (refused) => update((before) => withMessage(before, refused)),
  });
  const { going, stopping, stop } = talk;

  const denial = useDenial("run");
  useEscape(going && !stopping && denial === null, stop);
  const reason = denial ?? problems[0]?.message ?? null;
  const queue = useQueuedMessage({
    draft,
    update,
    going,
    succeeded: talk.state?.detail.status === "succeeded" && talk.problem === null,
    send: (message) => talk.send(message, settings),
  });
  const context = useAppContext({ draft, update });
  const send = (text: string): void => {
    if ((going && stopping) || reason !== null || text.trim() === "") return;
    const message = { text, appContext: draft.context };
    context.reset();
    if (going) {
      held.settle({ ...draft, text: "", context: [], queued: "", queuedContext: [] });
      queue.add(message);
      return;
    }
    talk.send(message, settings);
    held.settle({ ...draft, text: "", context: [] });
    scroll.current?.jump();
    input.current?.focus();
  };
  const since = useFirstSeen(runId, talk.state, seen);
  const addToDraft = (text: string): void => update((before) => ({ ...before, text: joinMessages(before.text, text) }));
  const { rerun, rerunLast, dialog } = useRerun(talk.state);
  const demo = items.some((each) => each.kind === "demo" && each.provider === draft.provider);
  const panel = <SettingsPanel draft={draft} problems={problems} onChange={change} demo={demo} />;
  return (
    <div className="flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <PlaygroundHeader
          state={talk.state}
          stopping={stopping}
          modelLabel={draft.model === "" ? "Settings" : draft.model}
          onSettings={() => setSheetOpen(true)}
          onRerun={rerunLast}
        />
        {runId !== null && <RunAllowances runId={runId} />}
        <ActionProblem problem={talk.problem} onDismiss={talk.dismiss} className="mx-4 mt-3" />
        <RunLenses state={talk.state} older={talk.older}>
          <ConversationScroll ref={scroll} follow state={talk.state} stopping={stopping}>
            <AppConversationProvider since={since} onDraft={addToDraft} onContext={context.take}>
              <Talk
                talk={talk}
                runId={runId}
                rerun={rerun}
                empty={
                  <EmptyConversation demo={demo} tools={draft.tools} disabled={reason !== null} onExample={send} />
                }
              />
            </AppConversationProvider>
          </ConversationScroll>
        </RunLenses>
        {dialog}
        {draft.queued !== "" && (
          <QueuedMessage text={draft.queued} contexts={draft.queuedContext} onRemove={queue.giveBack} />
        )}
        <DraftNotice held={held} />
        <Composer
          text={draft.text}
          onText={(text) => change({ text })}
          onSend={() => send(draft.text)}
          going={going}
          stopping={stopping}
          onStop={stop}
          reason={reason}
          inputRef={input}
        >
          {draft.context.length > 0 && <AppContextList contexts={draft.context} onRemove={context.remove} />}
        </Composer>
      </div>
      {preferences.panel === "open" && (
        <>
          <PaneHandle pane="playground" label="Resize the settings" resizes="after" className="max-xl:hidden" />
          <aside
            aria-label="Settings"
            className="w-[clamp(15rem,var(--pane-playground,18rem),50%)] shrink-0 overflow-auto border-line border-l p-4 max-xl:hidden"
          >
            {panel}
          </aside>
        </>
      )}
      {sheetOpen && (
        <Dialog onClose={() => setSheetOpen(false)} side="right" title="Settings">
          {panel}
        </Dialog>
      )}
    </div>
  );
}

/** When the newest event happened that the run had at first; null until it is known. */
function useFirstSeen(runId: string | null, state: RunState | null, seen: Map<string, number>): number | null {
  const newestAt = state === null ? null : (state.events.at(-1)?.at ?? 0);
  // Kept for the page: the same conversation may be mounted again while it gets its address.
  useEffect(() => {
    if (runId !== null && newestAt !== null && !seen.has(runId)) seen.set(runId, newestAt);
  }, [runId, newestAt, seen]);
  return runId === null ? 0 : (seen.get(runId) ?? null);
}

interface TalkProps extends Pick<Rerun, "rerun"> {
  talk: ReturnType<typeof useConversation>;
  runId: string | null;
  empty: ReactNode;
}

/** Shows the conversation, its empty state, or why it cannot be shown. */
function Talk({ talk, runId, rerun, empty }: TalkProps) {
  const { state, error, pending } = talk;
  if (state === null) {
    if (pending !== null) return <PendingMessage message={pending} />;
    if (runId === null) return empty;
    if (error === null) return <ViewSkeleton of="runTab" />;
    return (
      <ErrorState
        title="Couldn't load the conversation"
        message={error.message}
        onRetry={() => void talk.refetch()}
        action={<ButtonLink href="/playground">New conversation</ButtonLink>}
      />
    );
  }
  return <Conversation state={state} older={talk.older} actions={talk} pending={pending} onRerun={rerun} />;
}

/** Esc stops, unless something that is open above the page takes it. */
function useEscape(active: boolean, onEscape: () => void): void {
  useDocumentKeys((event) => {
    if (!active || event.key !== "Escape" || event.defaultPrevented) return;
    if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return;
    event.preventDefault();
    onEscape();
  });
}
