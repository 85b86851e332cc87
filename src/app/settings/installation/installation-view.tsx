"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { AgentToolsCard } from "@/app/_components/agents/agent-tools-card";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { FactList } from "@/app/_ui/fact-list";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { formatBytes, formatCount, formatDuration } from "@/lib/format";

// Loaded on demand, since most catalogs load without problems.
const AllLoadProblems = onDemand(() => import("./all-load-problems"), "AllLoadProblems", { onServer: true });

/** Instances start and end without an event. */
const READ_MS = 5_000;

/** The facts of this installation: versions, database, instances, configuration, limits and handlers. */
export function InstallationView() {
  const { data: info } = useSuspenseQuery(
    trpc.system.info.queryOptions(undefined, {
      refetchInterval: ({ state }) => (state.data?.copies == null ? false : READ_MS),
    }),
  );
  const { limits, handlers, disk } = info;
  const freeSpace: Fact[] = disk === null ? [] : [["Free disk space", formatBytes(disk.freeBytes)]];

  return (
    <>
      {info.problemCount > 0 && <AllLoadProblems />}
      <SettingsSection title="Versions and database">
        <Facts
          facts={[
            ["Toolroom", info.version],
            ["Node", info.node],
            ["Database", info.databaseUrl, COPY],
            ["Database version", info.databaseProduct],
            ...describeRoute(info.databaseRoute),
            ["Database size", formatBytes(info.databaseBytes), "More under Storage"],
            ...freeSpace,
            ["Executions", formatCount(info.counts.executions)],
          ]}
        />
      </SettingsSection>
      <AgentToolsCard />
      {info.copies !== null && <InstancesSection instances={info.copies} />}
      <SettingsSection title="Configuration">
        <Facts facts={[["File", info.configPath, COPY]]} />
        <ConfigurationState exists={info.configExists} copyExample={info.usingExample ? info.copyExample : null} />
      </SettingsSection>
      <SettingsSection
        title="Limits in force"
        text="Defaults for tools without their own limit. A call that reaches a limit names it and its source."
      >
        <Facts
          facts={[
            ["Call timeout", formatDuration(limits.timeoutMs), "default_timeout_ms"],
            ["Max stored result", formatBytes(limits.maxStoredBytes), "max_stored_bytes"],
            ["Model view limit", `${formatCount(limits.maxModelChars)} characters`, "max_model_chars"],
            ["Arguments size", formatBytes(limits.maxArgumentBytes), "max_argument_bytes"],
            ["Arguments depth", `${formatCount(limits.maxArgumentDepth)} levels`, "max_argument_depth"],
            ["Model response", formatBytes(limits.maxResponseBytes), "max_response_bytes"],
            ["Calls per model response", formatCount(limits.maxResponseCalls), "max_response_calls"],
          ]}
        />
      </SettingsSection>
      <SettingsSection
        title="Handlers"
        text="What tools of these types can run. Your own come from the modules under “handlers” in the configuration."
      >
        <Facts
          facts={[
            ["Builtin", listNames(handlers.builtin)],
            ["Internal", listNames(handlers.internal)],
            ...handlers.modules.map(({ path, ...own }): Fact => [path, listNames([...own.builtins, ...own.internals])]),
          ]}
        />
      </SettingsSection>
    </>
  );
}

/** Says which connections to PostgreSQL go through a pooler. @param route null where the database is a file */
function describeRoute(route: { pooled: boolean; direct: boolean; sessions: boolean } | null): Fact[] {
  if (route === null) return [];
  const own = route.sessions ? "Direct" : "Through the pooler";
  return [
    ["Database connections", route.pooled ? "Through a pooler" : "Direct"],
    ["Execution log, lock, events", route.direct ? "Direct, by DATABASE_DIRECT_URL" : own],
  ];
}

const listNames = (names: readonly string[]): string => names.join(", ") || "none";

/** @param copyExample the command that makes the example the user's own; null where the file is that already */
function ConfigurationState({ exists, copyExample }: { exists: boolean; copyExample: string | null }) {
  if (copyExample === null) {
    const missing = "This file does not exist, so nothing is configured. Create it, or point TOOLROOM_CONFIG at yours,";
    return (
      <p className="mt-2 text-mute">
        {exists ? "Read at start: a change needs a restart." : `${missing} and restart.`}
      </p>
    );
  }
  return (
    <p className="mt-2 text-mute">
      The example is in use. To make it your own, copy it, change the copy, and restart:{" "}
      <code className="font-mono text-text text-xs [overflow-wrap:anywhere]">{copyExample}</code>
      <CopyButton text={copyExample} label="Copy command" className="-my-1" />
    </p>
  );
}

function SettingsSection({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    // The id is the target of links to the section.
    <div id={title.toLowerCase().replaceAll(" ", "-")} className="scroll-mt-4">
      <Card title={title}>
        <div className="px-3.5 py-3">
          {text !== undefined && <p className="mb-2 text-mute text-xs">{text}</p>}
          {children}
        </div>
      </Card>
    </div>
  );
}

/** Stands in place of a hint: a button copies the value. */
const COPY = Symbol("copy");

/** The hint is shown on pointing at the value: the key in the configuration, or further figures. */
type Fact = readonly [label: string, value: string, hint?: string | typeof COPY | undefined];

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <FactList
      className="sm:grid-cols-[14rem_minmax(0,1fr)] [&_dt]:[overflow-wrap:anywhere]"
      valueClass="min-w-0"
      facts={facts.map(([label, value, hint]) => [
        label,
        <span
          key={label}
          title={typeof hint === "string" ? hint : undefined}
          className="inline-flex max-w-full items-center gap-1"
        >
          {value}
          {hint === COPY && <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} className="-my-1" />}
        </span>,
      ])}
    />
  );
}

interface Instance {
  name: string;
  version: string;
  startedAt: number;
  isDraining: boolean;
}

interface InstancesSectionProps {
  instances: { items: readonly Instance[]; travel: { by: "notifications" | "polling"; lagMs: number } };
}

/** The processes that share the database; the first is the one that answered. */
function InstancesSection({ instances: { items, travel } }: InstancesSectionProps) {
  const rows = items.map((instance, at) => ({
    ...instance,
    isThis: at === 0,
    key: `${instance.name} ${instance.startedAt}`,
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      head: "Instance",
      className: "pl-3.5",
      render: ({ name, isThis }) => (
        <span className="[overflow-wrap:anywhere]">
          <span className="font-mono text-xs">{name}</span> {isThis && <Badge tone="accent">this page</Badge>}
        </span>
      ),
    },
    { head: "Version", className: "max-sm:hidden", render: ({ version }) => version },
    { head: "Started", render: ({ startedAt }) => <RelativeTime at={startedAt} /> },
    {
      head: "State",
      className: "w-28",
      render: ({ isDraining }) => <Badge>{isDraining ? "draining" : "ready"}</Badge>,
    },
  ];
  const way =
    travel.by === "notifications"
      ? "They exchange events by notifications of PostgreSQL (LISTEN)"
      : "They read each other's events by polling, since the pooler does not pass notifications";
  const lag = travel.lagMs > 0 ? `; the last took ${formatDuration(Math.max(1, Math.round(travel.lagMs)))}` : "";
  return (
    <div id="instances" className="scroll-mt-4">
      <Card title="Instances" about={`${way}${lag}.`}>
        <DataTable label="Instances" look="panel" columns={columns} rows={rows} toKey={({ key }) => key} />
      </Card>
    </div>
  );
}
