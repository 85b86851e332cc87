import { useQuery } from "@tanstack/react-query";
import { AppWindow, Maximize2, Minimize2, RotateCw, X } from "lucide-react";
import { use, useCallback, useEffect, useState } from "react";
import { ApprovalCard } from "@/app/_components/approvals/detail/approval-card";
import { client } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Dialog } from "@/app/_ui/dialog";
import { ErrorState } from "@/app/_ui/error-state";
import { Skeleton } from "@/app/_ui/skeleton";
import { listDomains } from "@/lib/apps/app-policy";
import type { AppDocument } from "@/lib/contract/app";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { AppConversationContext } from "./app-conversation";
import { AppFrame } from "./app-frame";
import type { DisplayMode } from "./app-messages";
import { type AppOffer, AppOfferView } from "./app-offer";
import { findAppObstacle, toInput, toOutcome } from "./app-result";
import { useAppCalls } from "./use-app-calls";

interface AppPanelProps {
  execution: ExecutionDetail;
  /** Opens without a press: the user has just run the tool. */
  autoOpen?: boolean;
}

/** The App that shows the result of a call: opened on request, with its server, its network and a way to end it. */
export function AppPanel({ execution, autoOpen = false }: AppPanelProps) {
  const denied = useDenial("run") !== null;
  const [opened, setOpened] = useState(autoOpen && !denied);
  const obstacle = findAppObstacle(execution);
  if (obstacle !== null) return <p className="text-mute">{obstacle}</p>;
  if (opened) return <OpenApp execution={execution} onClose={() => setOpened(false)} />;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button icon={AppWindow} needs="run" onClick={() => setOpened(true)}>
        Open App
      </Button>
      <p className="text-mute text-xs">
        Shows this result in the user interface of {execution.serverName ?? "its server"}, which may call its tools in
        your name.
      </p>
    </div>
  );
}

function OpenApp({ execution, onClose }: { execution: ExecutionDetail; onClose: () => void }) {
  const { id: executionId } = execution;
  /** Counts the starts of the App; all but the first read it again. */
  const [start, setStart] = useState(0);
  const [mode, setMode] = useState<DisplayMode>("inline");
  const document = useQuery({
    queryKey: ["app", executionId, start],
    queryFn: () => client.apps.open.mutate({ executionId, fresh: start > 0 }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const [ending, setEnding] = useState<(() => void) | null>(null);
  const restart = (): void => {
    setEnding(null);
    setStart((count) => count + 1);
  };
  /** A running App is notified first. */
  const end = (then: () => void): void => (document.data === undefined ? then() : setEnding(() => then));
  if (document.error) {
    return <ErrorState title="Couldn't open the App" message={document.error.message} onRetry={restart} />;
  }
  const full = mode === "fullscreen";
  return (
    <section
      aria-label="App"
      data-status={document.data === undefined ? "running" : "succeeded"}
      data-transient={full ? "" : undefined}
      onKeyDown={(event) => {
        if (!full || event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        setMode("inline");
      }}
      className={cx(
        "flex min-w-0 flex-col bg-panel",
        full ? "fixed inset-0 z-40" : "overflow-hidden rounded-lg border border-line",
      )}
    >
      <header className="flex min-h-9 shrink-0 items-center gap-2 border-line border-b bg-rail px-3 text-xs">
        <AppWindow size={13} className="shrink-0 text-mute" />
        <span className="min-w-0 truncate">
          App of <span className="font-mono">{execution.serverName}</span>
          {document.data !== undefined && listDomains(document.data.domains).length === 0 && (
            <span className="text-mute"> · no network access</span>
          )}
        </span>
        <span className="ml-auto flex shrink-0">
          <IconButton icon={RotateCw} label="Reload the App" onClick={() => end(restart)} />
          <IconButton
            icon={full ? Minimize2 : Maximize2}
            label={full ? "Exit full screen" : "Full screen"}
            onClick={() => setMode(full ? "inline" : "fullscreen")}
          />
          <IconButton icon={X} label="Close the App" onClick={() => end(onClose)} />
        </span>
      </header>
      {document.data === undefined ? (
        <div role="status" className="p-3">
          <span className="sr-only">Loading the App</span>
          <Skeleton className="h-40" />
        </div>
      ) : (
        <RunningApp
          key={start}
          {...{ execution, mode, ending }}
          onClose={() => end(onClose)}
          app={document.data}
          onMode={setMode}
          onRestart={restart}
        />
      )}
    </section>
  );
}

interface RunningAppProps {
  execution: ExecutionDetail;
  app: AppDocument;
  mode: DisplayMode;
  onMode: (mode: DisplayMode) => void;
  onRestart: () => void;
  onClose: () => void;
  ending: (() => void) | null;
}

const MAX_LOG_LINES = 100;

function RunningApp({ execution, app, mode, onMode, onRestart, onClose, ending }: RunningAppProps) {
  const calls = useAppCalls(execution.id);
  const conversation = use(AppConversationContext);
  const [stopped, setStopped] = useState<string | null>(null);
  const [offer, setOffer] = useState<AppOffer | null>(null);
  const [log, setLog] = useState<readonly string[]>([]);
  const { cancelAll } = calls;
  // Outside system: calls that run for an App which is gone.
  useEffect(() => cancelAll, [cancelAll]);

  const onStop = useCallback(
    (reason: string): void => {
      setStopped(reason);
      setOffer(null);
      onMode("inline");
      cancelAll();
    },
    [cancelAll, onMode],
  );
  const openLink = (url: string): Promise<boolean> => new Promise((answer) => setOffer({ kind: "link", url, answer }));
  const offerMessage =
    conversation === null
      ? null
      : async (text: string): Promise<boolean> => {
          const taken = await new Promise<boolean>((answer) => setOffer({ kind: "message", text, answer }));
          if (taken) conversation.draft(text);
          return taken;
        };
  const updateContext =
    conversation === null
      ? null
      : (text: string) => conversation.updateContext({ executionId: execution.id, tool: execution.toolName, text });
  const [asked] = calls.waiting;
  // Outside system: the frame of a stopped App is gone, and with it what would end first.
  useEffect(() => {
    if (stopped !== null) ending?.();
  }, [stopped, ending]);

  if (stopped !== null) {
    return (
      <div className="p-3">
        <Alert live tone="warn" title={`The App was stopped: ${stopped}`}>
          <p>Its calls so far are in Executions.</p>
          <Button onClick={onRestart} className="mt-1.5">
            Restart the App
          </Button>
        </Alert>
      </div>
    );
  }
  return (
    <>
      <Network app={app} />
      {offer !== null && <AppOfferView offer={offer} onDone={() => setOffer(null)} />}
      <AppFrame
        {...{ app, mode, onMode, onStop, onClose, openLink, offerMessage, updateContext, ending }}
        call={calls.call}
        request={calls.request}
        input={toInput(execution.argumentsText)}
        outcome={toOutcome(execution)}
        onLog={(level, text) => setLog((lines) => [...lines, `${level}: ${text}`].slice(-MAX_LOG_LINES))}
      />
      {log.length > 0 && (
        <details className="shrink-0 border-line border-t px-3 py-1.5 text-xs">
          <summary className="text-mute">Log of the App ({log.length})</summary>
          <pre className="max-h-40 overflow-auto whitespace-pre-wrap font-mono [overflow-wrap:anywhere]">
            {log.join("\n")}
          </pre>
        </details>
      )}
      {asked !== undefined && (
        <Dialog
          size="lg"
          title={`The App of ${app.server} calls a tool that requires approval`}
          onClose={() => calls.cancel(asked)}
        >
          <ApprovalCard executionId={asked} />
        </Dialog>
      )}
    </>
  );
}

/** Names the hosts that the App may reach, before anything it shows. */
function Network({ app }: { app: AppDocument }) {
  const domains = listDomains(app.domains);
  const notes = [
    app.ignoredDomains.length > 0 && `Not allowed, since they are no origins: ${app.ignoredDomains.join(", ")}.`,
    app.permissions.length > 0 && `It asks for ${app.permissions.join(", ")}, which Toolroom does not grant.`,
  ].filter((note) => note !== false);
  if (domains.length === 0 && notes.length === 0) return null;
  return (
    <div className="shrink-0 border-line border-b px-3 py-1.5 text-mute text-xs [overflow-wrap:anywhere]">
      {domains.length > 0 && (
        <p>
          Connects to <span className="font-mono text-text">{domains.join(", ")}</span>
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="text-warn">
          {note}
        </p>
      ))}
    </div>
  );
}
