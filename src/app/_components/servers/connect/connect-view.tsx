"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { useId, useState } from "react";
import { RegistrySection } from "@/app/_components/registry/registry-section";
import { QueryState } from "@/app/_kit/query-state";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { CopyButton } from "@/app/_ui/copy-button";
import { NativeSelect } from "@/app/_ui/field";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
import { StatusBadge } from "@/app/_ui/status-badge";
import { useHydrated } from "@/app/_ui/use-hydrated";
import type { ClientSummary } from "@/lib/contract/client";
import type { ClientConfiguration } from "@/lib/contract/client-configuration";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { formatTitle } from "@/lib/contract/execution-kind";

type Client = ClientConfiguration["client"];

/** The names that clients send when they connect. A client without a name here is any other caller. */
const NAMES: Partial<Record<Client, RegExp>> = {
  "claude-code": /^claude-code\b/i,
  "claude-desktop": /^claude[- ](ai|desktop)\b/i,
  cursor: /^cursor\b/i,
  vscode: /^(visual studio code|vs ?code)\b/i,
  goose: /^goose\b/i,
  inspector: /\binspector\b/i,
};

/** The configurations of each client, in the order of the clients. */
function groupByClient(items: readonly ClientConfiguration[]): [ClientConfiguration, ...ClientConfiguration[]][] {
  const groups = new Map<Client, [ClientConfiguration, ...ClientConfiguration[]]>();
  for (const item of items) {
    const group = groups.get(item.client);
    if (group === undefined) groups.set(item.client, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** The newest call of a client; null for none, undefined while calls are not known. @param calls newest first */
export function pickCall<Call extends { client: string | null }>(
  calls: readonly Call[] | undefined,
  client: Client,
): Call | null | undefined {
  const own = NAMES[client];
  const isOther = (name: string): boolean => !Object.values(NAMES).some((pattern) => pattern.test(name));
  return calls && (calls.find(({ client: name }) => (own ? own.test(name ?? "") : isOther(name ?? ""))) ?? null);
}

type SeenClient = Pick<ClientSummary, "id" | "name" | "version" | "seenAt" | "addresses">;

/** The client that was seen last, as the page Clients has it; null for none, undefined while that is not known. */
export function pickClient<Seen extends SeenClient>(
  clients: readonly Seen[] | undefined,
  client: Client,
  { server, toolset }: { server?: string | undefined; toolset?: string | undefined },
): Seen | null | undefined {
  const address = server !== undefined ? `/mcp/${server}` : toolset !== undefined ? `/mcp/sets/${toolset}` : null;
  const isPart = ({ addresses }: Seen): boolean =>
    address === null || addresses.some((each) => each.split("?", 1)[0] === address);
  const named = clients
    ?.filter(isPart)
    .sort((one, other) => other.seenAt - one.seenAt)
    .map((seen) => ({ client: seen.name, seen }));
  const picked = pickCall(named, client);
  return picked == null ? picked : picked.seen;
}

/** Between two reads of when clients were seen. */
const SEEN_MS = 10_000;
/** Between two reads of the calls while clients are busy. */
const REFRESH_MS = 2_000;
const TRANSPORTS = [
  { value: "http", label: "HTTP" },
  { value: "stdio", label: "stdio" },
] as const;

/** Ready configurations for programs that use Toolroom as their MCP server, each with its first call as it is recorded. */
export function ConnectView() {
  const trpc = useTRPC();
  const [{ server, toolset }, setPart] = useQueryStates({ server: parseAsString, toolset: parseAsString });
  const part = { server: server ?? undefined, toolset: toolset ?? undefined };
  const hydrated = useHydrated();
  const origin = hydrated ? window.location.origin : "http://127.0.0.1";
  const configurations = useQuery({
    ...trpc.servers.clientConfigurations.queryOptions({ origin, ...part }),
    enabled: hydrated,
  });
  const calls = useQuery(trpc.executions.newestByClient.queryOptions(part));
  const clients = useQuery(trpc.clients.list.queryOptions(undefined, { refetchInterval: SEEN_MS }));
  useLiveRefresh(
    () => calls.refetch(),
    (event) => event.type === "execution" && event.execution.source === "gateway",
    { intervalMs: REFRESH_MS },
  );
  return (
    <div className="flex flex-col gap-4 p-4">
      <PartChoice {...{ server, toolset }} onChange={(next) => void setPart(next)} />
      <QueryState query={configurations} what="the configurations" bars={["h-40", "h-40", "h-40"]}>
        {(items) => (
          <ul className="grid items-start gap-4 lg:grid-cols-2 2xl:grid-cols-3">
            {groupByClient(items).map((ways) => (
              <ClientCard
                key={ways[0].client}
                ways={ways}
                call={pickCall(calls.data, ways[0].client)}
                seen={pickClient(clients.data, ways[0].client, part)}
              />
            ))}
          </ul>
        )}
      </QueryState>
      <RegistrySection origin={origin} isReady={hydrated} />
    </div>
  );
}

interface PartChoiceProps {
  server: string | null;
  toolset: string | null;
  onChange: (part: { server: string | null; toolset: string | null }) => void;
}

/** The tools that the configurations offer. */
function PartChoice({ server, toolset, onChange }: PartChoiceProps) {
  const trpc = useTRPC();
  const id = useId();
  const servers = useQuery(trpc.servers.list.queryOptions());
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const toOptions = (kind: "toolset" | "server", items: readonly { name: string }[] = [], chosen: string | null) =>
    [...new Set([...items.map(({ name }) => name), ...(chosen === null ? [] : [chosen])])].map((name) => (
      <option key={name} value={`${kind}:${name}`}>
        {name}
      </option>
    ));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <label htmlFor={id} className="flex min-w-0 items-center gap-2 text-mute">
        Offer
        <NativeSelect
          id={id}
          value={toolset !== null ? `toolset:${toolset}` : server !== null ? `server:${server}` : ""}
          onChange={({ target: { value } }) => {
            const name = value.slice(value.indexOf(":") + 1);
            onChange({
              server: value.startsWith("server:") ? name : null,
              toolset: value.startsWith("toolset:") ? name : null,
            });
          }}
          className="max-w-60 sm:w-auto"
        >
          <option value="">Whole catalog</option>
          <optgroup label="Toolsets">{toOptions("toolset", toolsets.data, toolset)}</optgroup>
          <optgroup label="Servers">{toOptions("server", servers.data?.items, server)}</optgroup>
        </NativeSelect>
      </label>
      <p className="text-mute">One MCP server for the client; every call is recorded in Executions.</p>
    </div>
  );
}

interface ClientCardProps {
  ways: ReturnType<typeof groupByClient>[number];
  /** Its newest call; null before the first, undefined while that is not known. */
  call: ExecutionSummary | null | undefined;
  /** The client itself, where it was seen in the last 30 days. */
  seen: SeenClient | null | undefined;
}

function ClientCard({ ways, call, seen }: ClientCardProps) {
  const [transport, setTransport] = useState<ClientConfiguration["transport"]>(ways[0].transport);
  const shown = ways.find((way) => way.transport === transport) ?? ways[0];
  const { label } = shown;
  return (
    <li className="flex min-w-0">
      <section aria-label={label} className="flex min-w-0 flex-1 flex-col rounded-lg border border-line bg-panel">
        <header className="flex min-h-10 items-center gap-2 border-line border-b py-1 pr-1 pl-3.5">
          <h2 className="min-w-0 flex-1 font-medium">{label}</h2>
          {ways.length > 1 && (
            <Segmented
              label={`Transport of ${label}`}
              value={shown.transport}
              options={TRANSPORTS}
              onChange={setTransport}
            />
          )}
          <CopyButton text={shown.text} label={`Copy for ${label}`} />
        </header>
        <div className="flex min-w-0 flex-1 flex-col gap-1.5 px-3.5 py-2.5">
          <p className="text-mute text-xs [overflow-wrap:anywhere]">{shown.place}</p>
          {shown.language === "json" ? (
            <JsonText text={shown.text} label={`Configuration for ${label}`} className="max-h-72" />
          ) : (
            <ScrollRegion label={`Configuration for ${label}`}>
              <pre className="whitespace-pre-wrap font-mono text-xs leading-5 [overflow-wrap:anywhere]">
                {shown.text}
              </pre>
            </ScrollRegion>
          )}
        </div>
        <div role="status" className="flex min-h-9 items-center gap-2 border-line border-t px-3.5 py-1.5 text-xs">
          {seen === null && call === null && <StatusBadge status="idle" label="Waiting for the client…" />}
          {seen != null && call == null && <StatusBadge status="succeeded" label="Connected, no call yet" />}
          {call != null && (
            <>
              <StatusBadge status="succeeded" label="Connected" />
              <Link
                href={`/executions/${encodeURIComponent(call.id)}`}
                className="min-w-0 truncate font-mono hover:underline"
              >
                {formatTitle(call)}
              </Link>
            </>
          )}
          {(seen != null || call != null) && (
            <span className="ml-auto shrink-0 text-mute">
              {seen == null ? (
                <RelativeTime at={call?.queuedAt ?? 0} />
              ) : (
                <Link href={`/clients/${encodeURIComponent(seen.id)}`} className="rounded-xs hover:underline">
                  seen <RelativeTime at={seen.seenAt} />
                </Link>
              )}
            </span>
          )}
        </div>
      </section>
    </li>
  );
}
