"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Pencil, Power, RefreshCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryStates } from "nuqs";
import { type ReactNode, Suspense } from "react";
import { describeFailed } from "@/app/_components/executions/summary/failed-calls";
import { NextTry } from "@/app/_components/servers/summary/next-try";
import { namesRedirect, RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { PERSONAL_HINT, STATUS_WORDS, toServerPath } from "@/app/_components/servers/summary/server-words";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { type ServerActions, useServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { OwnIcon } from "@/app/_kit/own-icon";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button, ButtonLink } from "@/app/_ui/button";
import { lazyPart, onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import { useHydrated } from "@/app/_ui/use-hydrated";
import type { ConnectionStatus, ServerDetail } from "@/lib/contract/server";
import { permissionForServer, SERVER_KINDS } from "@/lib/contract/server-kind";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";
import { formatCount, formatDuration, formatPlural, formatRate } from "@/lib/format";
import { CallsLink } from "../summary/calls-link";
import { ConnectionBadge } from "../summary/connection-badge";
import { ServerRowMenu } from "../summary/server-row-menu";
import { OFFERS, SERVER_TABS, type ServerTab, serverTabParser } from "./server-tabs";
import { ToolsTab } from "./tools-tab";

// Most visits look at the tools and the state; each other view comes when it is opened.
const ChangesTab = lazyPart(() => import("./changes-tab"), "ChangesTab");
const ClientFits = lazyPart(() => import("@/app/_components/clients/fit/client-fits"), "ClientFits");
const ConformanceTab = lazyPart(() => import("./conformance/conformance-tab"), "ConformanceTab");
const OffersView = lazyPart(() => import("./offers/offers-view"), "OffersView");
const ServerCalls = lazyPart(() => import("@/app/_components/executions/summary/call-timeline"), "ServerCalls");
const ServerLogView = lazyPart(() => import("./log/log-view"), "ServerLogView");
const SettingsTab = lazyPart(() => import("./settings-tab"), "SettingsTab");

const ChangeBanner = onDemand(() => import("@/app/_components/changes/change-banner"), "ChangeBanner", {
  onServer: true,
});

const ConnectingPanel = lazyPart(() => import("./connecting-panel"), "ConnectingPanel");
const OwnConnectionPanel = lazyPart(() => import("./own-connection"), "OwnConnectionPanel");

const PANEL = "flex min-h-0 flex-1 flex-col";

/** One server: the state of its connection, its offers and its log. */
export function ServerView({ name }: { name: string }) {
  const router = useRouter();
  const { data: server, error } = useSuspenseQuery(trpc.servers.get.queryOptions({ name }));
  useLiveServers();
  // A search in one view does not apply to the next.
  const [{ tab: asked }, setAddress] = useQueryStates({ tab: serverTabParser, q: parseAsString });
  const setTab = (value: ServerTab) => void setAddress({ tab: value, q: null });
  const tabs = listTabs(server);
  // A server may lose what a tab shows: no address leads to an empty list.
  const tab = tabs.some(({ value }) => value === asked) ? asked : "tools";
  const { actions, problem, dismiss } = useServerActions({
    onDeleted: () => router.push("/servers"),
    onRestored: (restored) => router.push(toServerPath(restored)),
  });
  return (
    <div className="flex min-h-full flex-col md:h-full md:min-h-0">
      <ServerHeader server={server} actions={actions}>
        <div className="flex flex-col gap-2 px-4 pt-2.5 pb-1.5 empty:hidden">
          <ActionProblem problem={problem} onDismiss={dismiss}>
            {namesRedirect(problem) && <RedirectAddress />}
          </ActionProblem>
          {error !== null && <Alert tone="warn" title={`What is shown may be out of date: ${error.message}`} />}
          {server.heldCount + server.appliedCount > 0 && (
            <ChangeBanner
              server={server.name}
              held={server.heldCount}
              heldSkills={server.heldSkillCount}
              applied={server.appliedCount}
            />
          )}
          <StatePanel server={server} actions={actions} onLog={() => setTab("log")} />
          {server.credentials === "personal" && (
            <Suspense fallback={null}>
              <OwnConnectionPanel server={server} />
            </Suspense>
          )}
        </div>
        <TabList label="Server views" value={tab} onChange={setTab} tabs={tabs} />
      </ServerHeader>
      {tabs.map(({ value, label }) => (
        <TabPanel key={value} value={value} active={tab} label={label} className={PANEL}>
          <Suspense fallback={<ViewSkeleton of="serverTab" />}>
            <OpenTab tab={value} server={server} />
          </Suspense>
        </TabPanel>
      ))}
    </div>
  );
}

const WORDS = new Intl.ListFormat("en-US");

/** The tab of resources, prompts and skills is named after what the server offers, and hidden where it offers none. */
function listTabs(server: ServerDetail) {
  const counts: Partial<Record<ServerTab, string>> = {
    tools: formatCount(server.listedCount),
    ...(server.changeCount > 0 && { changes: formatCount(server.changeCount) }),
  };
  const offers = SERVER_KINDS[server.transport].speaksMcp ? server.state.capabilities : [];
  const words: Record<ServerTab, string> = {
    tools: "Tools",
    changes: "Changes",
    offers: WORDS.format(OFFERS.filter((each) => offers.includes(each))),
    calls: "Calls",
    clients: "Clients",
    conformance: SERVER_KINDS[server.transport].speaksMcp ? "Conformance" : "",
    log: "Log",
    settings: "Settings",
  };
  return SERVER_TABS.filter((each) => words[each] !== "").map((value) => ({
    value,
    label: toSentence(words[value]),
    count: counts[value],
  }));
}

const toSentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

function OpenTab({ tab, server }: { tab: ServerTab; server: ServerDetail }) {
  if (tab === "tools") return <ToolsTab server={server} />;
  if (tab === "changes") return <ChangesTab server={server} />;
  if (tab === "offers") return <OffersView server={server} />;
  if (tab === "calls") return <ServerCalls name={server.name} />;
  if (tab === "clients") return <ServerClients name={server.name} />;
  if (tab === "conformance") return <ConformanceTab server={server} />;
  if (tab === "log") return <ServerLogView server={server} />;
  return <SettingsTab server={server} />;
}

function ServerClients({ name }: { name: string }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <ClientFits part={{ server: name }} />
    </div>
  );
}

const TONE: Partial<Record<ConnectionStatus, "warn" | "bad">> = {
  connected: "warn",
  disconnected: "warn",
  sign_in_needed: "warn",
  failed: "bad",
};

/** Why it is not connected and what to do about it; nothing while all is well. */
function StatePanel({ server, actions, onLog }: { server: ServerDetail; actions: ServerActions; onLog: () => void }) {
  const { status, reason, nextAttemptAt, attempts } = server.state;
  const isHydrated = useHydrated();
  // The panel of the viewer's own connection shows this.
  if (status === "idle" || (server.credentials === "personal" && status === "sign_in_needed")) return null;
  if (status === "connecting") {
    // It reads the log, which the page requests for the tab of the log alone.
    if (!isHydrated) return null;
    return (
      <Suspense fallback={null}>
        <ConnectingPanel key={server.state.connectingSince} server={server} onLog={onLog} />
      </Suspense>
    );
  }
  if (reason === null && status === "connected") return null;
  const reconnecting = actions.busy.reconnecting === server.name;
  return (
    <section aria-label="State of the connection" data-status={status}>
      <Alert tone={TONE[status] ?? "accent"} title={formatTitle(server)}>
        {reason !== null && (
          <p className="max-h-40 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]">{reason}</p>
        )}
        {status === "disconnected" && (
          <p className="text-mute">
            <NextTry at={nextAttemptAt} />
            {attempts > 0 && ` · ${formatPlural(attempts, "attempt")} since it last worked`}
          </p>
        )}
        <div className="mt-1.5 flex flex-wrap gap-2 empty:hidden">
          {status === "sign_in_needed" && (
            <Button
              needs="edit"
              variant="primary"
              disabled={actions.busy.signingIn === server.name}
              onClick={() => actions.signIn(server)}
            >
              {actions.busy.signingIn === server.name ? "Opening…" : "Sign in"}
            </Button>
          )}
          {offersReconnect(server) && (
            <Button needs="edit" disabled={reconnecting} onClick={() => actions.reconnect(server)}>
              {reconnecting ? "Trying…" : "Try now"}
            </Button>
          )}
          {(status === "disconnected" || status === "failed") && <Button onClick={onLog}>Open its log</Button>}
        </div>
      </Alert>
    </section>
  );
}

/** Tells whether the status panel shows the Reconnect button, so that the header leaves it out. */
function offersReconnect({ state: { status, reason } }: ServerDetail): boolean {
  return status === "disconnected" || status === "failed" || (status === "connected" && reason !== null);
}

function formatTitle({ state, toolCount }: ServerDetail): string {
  if (state.status === "sign_in_needed") return "Sign in to use this server";
  if (state.status === "connected") return toolCount > 0 ? "Couldn't reload its tools" : "Tools not loaded";
  if (state.status === "failed") return "Configuration problem";
  if (state.status === "disconnected") return "Not connected; retries automatically";
  if (state.status === "disabled") {
    return toolCount > 0 ? "Disabled: its tools can't be called" : "Disabled";
  }
  return STATUS_WORDS[state.status];
}

interface ServerHeaderProps {
  server: ServerDetail;
  actions: ServerActions;
  children: ReactNode;
}

/** Shows a server's name, the state of its connection, and its actions. */
function ServerHeader({ server, actions, children }: ServerHeaderProps) {
  const busy = actions.busy.reconnecting === server.name;
  const kind = SERVER_KINDS[server.transport];
  return (
    <PageHeader
      title={server.name}
      mono
      icon={<OwnIcon of="server" name={server.name} icon={server.icon} />}
      badges={
        <>
          <ConnectionBadge status={busy ? "connecting" : server.state.status} />
          {server.title !== null && (
            <bdi className="min-w-0 max-w-60 truncate text-mute max-md:hidden">{server.title}</bdi>
          )}
          <Badge title={server.target}>{kind.label}</Badge>
          {server.credentials === "personal" && <Badge title={PERSONAL_HINT}>personal</Badge>}
          {server.origin === "config" && <Badge title={server.originPath ?? undefined}>configuration</Badge>}
        </>
      }
      actions={
        <>
          <Health name={server.name} />
          {server.enabled && !offersReconnect(server) && (
            <Button
              icon={RefreshCw}
              needs="edit"
              className="max-sm:hidden"
              disabled={busy}
              onClick={() => actions.reconnect(server)}
            >
              {busy ? "Connecting…" : "Reconnect"}
            </Button>
          )}
          <Button
            icon={Power}
            needs={permissionForServer(server.settings)}
            className="max-sm:hidden"
            onClick={() => actions.setEnabled(server, !server.enabled)}
          >
            {server.enabled ? "Disable" : "Enable"}
          </Button>
          {server.editable && (
            <ButtonLink
              icon={Pencil}
              needs={permissionForServer(server.settings)}
              className="max-sm:hidden"
              href={`${toServerPath(server.name)}/edit`}
            >
              Edit
            </ButtonLink>
          )}
          <ServerRowMenu server={server} actions={actions} own={server} />
        </>
      }
    >
      {children}
    </PageHeader>
  );
}

/** The calls of the last days, which each figure leads to; nothing while there are none. */
export function Health({ name }: { name: string }) {
  const { data } = useQuery(trpc.executions.serverFigures.queryOptions({ days: FIGURE_DAYS }));
  const figures = data?.find(({ serverName }) => serverName === name);
  if (figures === undefined) return null;
  const { calls, finished, failed, p95Ms } = figures;
  return (
    <span className="whitespace-nowrap font-mono text-mute text-xs tabular-nums max-lg:hidden">
      <CallsLink name={name}>{formatPlural(calls, "call")}</CallsLink>
      {finished > 0 && " · "}
      {failed > 0 ? (
        <span title={describeFailed(figures)}>
          <CallsLink name={name} status="failed" className="text-bad">
            {formatRate(failed, finished)} failed
          </CallsLink>
        </span>
      ) : (
        finished > 0 && "0% failed"
      )}
      {p95Ms !== null && ` · p95 ${formatDuration(p95Ms)}`}
      {` · ${FIGURE_DAYS} days`}
    </span>
  );
}
