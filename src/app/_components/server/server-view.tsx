"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryStates } from "nuqs";
import { lazy, Suspense } from "react";
import { serverPath } from "@/app/_components/servers/server-words";
import { useLiveServers } from "@/app/_components/servers/use-live-servers";
import { useServerActions } from "@/app/_components/servers/use-server-actions";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ServerDetail } from "@/lib/contract/server";
import { formatCount } from "@/lib/format";
import { ServerHeader } from "./server-header";
import { SERVER_TABS, type ServerTab, serverTabParser } from "./server-tabs";
import { StatePanel } from "./state-panel";
import { TabSkeleton } from "./tab-skeleton";
import { ToolsTab } from "./tools-tab";

// Most visits look at the tools and the state; each other view comes when it is opened.
const ChangesTab = lazy(() => import("./changes-tab").then((module) => ({ default: module.ChangesTab })));
const ResourcesTab = lazy(() =>
  import("./resources/resources-tab").then((module) => ({ default: module.ResourcesTab })),
);
const PromptsTab = lazy(() => import("./prompts/prompts-tab").then((module) => ({ default: module.PromptsTab })));
const LogTab = lazy(() => import("./log/log-tab").then((module) => ({ default: module.LogTab })));
const MessagesTab = lazy(() => import("./messages/messages-tab").then((module) => ({ default: module.MessagesTab })));
const SettingsTab = lazy(() => import("./settings-tab").then((module) => ({ default: module.SettingsTab })));

const PANEL = "flex min-h-0 flex-1 flex-col";

/** One server: where its connection stands, what it offers, what it says. */
export function ServerView({ name }: { name: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const { data: server, error } = useSuspenseQuery(trpc.servers.get.queryOptions({ name }));
  useLiveServers();
  // What was searched for in one view means nothing in the next.
  const [{ tab }, setAddress] = useQueryStates({ tab: serverTabParser, q: parseAsString });
  const setTab = (value: ServerTab) => void setAddress({ tab: value, q: null });
  const { actions, problem, dismiss } = useServerActions({
    onDeleted: () => router.push("/servers"),
    onRestored: (restored) => router.push(serverPath(restored)),
  });
  return (
    <div className="flex min-h-full flex-col md:h-full md:min-h-0">
      <ServerHeader server={server} actions={actions}>
        <div className="flex flex-col gap-2 px-4 pt-2.5 pb-1.5 empty:hidden">
          <ActionProblem problem={problem} onDismiss={dismiss} />
          {error !== null && <Alert tone="warn" title={`What is shown may be out of date: ${error.message}`} />}
          <StatePanel server={server} actions={actions} onLog={() => setTab("log")} />
        </div>
        <TabList label="Views of the server" value={tab} onChange={setTab} tabs={tabsOf(server)} />
      </ServerHeader>
      {SERVER_TABS.map((each) => (
        <TabPanel key={each} value={each} active={tab} label={TAB_WORDS[each]} className={PANEL}>
          <Suspense fallback={<TabSkeleton />}>
            <OpenTab tab={each} server={server} />
          </Suspense>
        </TabPanel>
      ))}
    </div>
  );
}

const TAB_WORDS: Record<ServerTab, string> = {
  tools: "Tools",
  changes: "Changes",
  resources: "Resources",
  prompts: "Prompts",
  log: "Log",
  messages: "Messages",
  settings: "Settings",
};

function tabsOf(server: ServerDetail) {
  const counts: Partial<Record<ServerTab, string>> = {
    tools: formatCount(server.tools.length),
    ...(server.changes.length > 0 && { changes: formatCount(server.changes.length) }),
  };
  return SERVER_TABS.map((value) => ({ value, label: TAB_WORDS[value], count: counts[value] }));
}

function OpenTab({ tab, server }: { tab: ServerTab; server: ServerDetail }) {
  if (tab === "tools") return <ToolsTab server={server} />;
  if (tab === "changes") return <ChangesTab changes={server.changes} />;
  if (tab === "resources") return <ResourcesTab server={server} />;
  if (tab === "prompts") return <PromptsTab server={server} />;
  if (tab === "log") return <LogTab name={server.name} />;
  if (tab === "messages") return <MessagesTab name={server.name} connected={server.state.status === "connected"} />;
  return <SettingsTab server={server} />;
}
