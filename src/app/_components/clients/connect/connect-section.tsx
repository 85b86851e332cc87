"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Segmented } from "@/app/_ui/segmented";
import { ShellChoice } from "@/app/_ui/shell-choice";
import type { ClientSummary } from "@/lib/contract/client";
import {
  type ClientConfiguration,
  type ClientConfigurations,
  CONNECT_CLIENTS,
} from "@/lib/contract/client-configuration";
import { CLIENT_TRANSPORTS, type ClientTransport } from "@/lib/contract/client-transport";
import { ClientCard } from "./client-card";
import { type FoundUse, findUse, type OfferedPart } from "./find-use";
import { PartChoice } from "./part-choice";
import { TokenNotice } from "./token-notice";
import { WrapPanel } from "./wrap-panel";

const TRANSPORTS = { http: "HTTP", stdio: "stdio" } as const;
/** The clients that most people use; the others follow on request. */
const FIRST = 5;

const CHOICES = {
  server: parseAsString,
  toolset: parseAsString,
  transport: parseAsStringLiteral(CLIENT_TRANSPORTS).withDefault("http"),
  all: parseAsBoolean.withDefault(false),
};

interface ConnectSectionProps {
  /** Origin of the page; empty until the browser has rendered it. */
  origin: string;
  clients: readonly ClientSummary[];
}

/** Ready configurations for programs that use Toolroom as their MCP server, each with its newest call. */
export function ConnectSection({ origin, clients }: ConnectSectionProps) {
  const [{ server, toolset, transport, all }, setChoices] = useQueryStates(CHOICES);
  const part = { server: server ?? undefined, toolset: toolset ?? undefined };
  const query = useQuery({
    ...trpc.servers.clientConfigurations.queryOptions({ origin: origin || "http://127.0.0.1", ...part }),
    enabled: origin !== "",
  });
  return (
    <section id="connect" aria-label="Connect a client" className="flex scroll-mt-4 flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold text-base">Connect a client</h2>
          <p className="text-mute">Toolroom is one MCP server for it. Every call is recorded in Executions.</p>
        </div>
        <PartChoice server={server} toolset={toolset} onChange={(next) => void setChoices(next)} />
        <Segmented
          label="Transport"
          value={transport}
          options={TRANSPORTS}
          onChange={(next) => void setChoices({ transport: next })}
        />
      </div>
      <QueryState query={query} what="the configurations" bars={["h-24", "h-60", "h-60"]}>
        {(configurations) => (
          <Configurations
            configurations={configurations}
            clients={clients}
            part={part}
            transport={transport}
            all={all}
            onShowAll={() => void setChoices({ all: true })}
          />
        )}
      </QueryState>
    </section>
  );
}

interface ConfigurationsProps {
  configurations: ClientConfigurations;
  clients: readonly ClientSummary[];
  part: OfferedPart;
  transport: ClientTransport;
  all: boolean;
  onShowAll: () => void;
}

interface Card {
  configuration: ClientConfiguration;
  use: FoundUse | null | undefined;
}

function Configurations({ configurations, clients, part, transport, all, onShowAll }: ConfigurationsProps) {
  const [token, setToken] = useState<string | null>(null);
  const { items, wrap } = configurations;
  const cards = CONNECT_CLIENTS.flatMap(({ id }): Card[] => {
    const own = items.filter(({ client }) => client === id);
    // Some clients have one transport only.
    const configuration = own.find((each) => each.transport === transport) ?? own[0];
    if (configuration === undefined) return [];
    return [{ configuration, use: findUse(clients, { client: id, transport: configuration.transport, ...part }) }];
  });
  const shown = all
    ? cards
    : cards.filter(({ configuration: { client }, use }, at) => at < FIRST || client === "other" || use != null);
  return (
    <>
      {wrap !== null && part.server === undefined && part.toolset === undefined && <WrapPanel command={wrap} />}
      {shown.some(({ configuration }) => configuration.powershell !== null) && <ShellChoice className="self-start" />}
      {shown.some(({ configuration }) => configuration.needsToken) && (
        <TokenNotice hasToken={token !== null} onCreated={setToken} />
      )}
      <ul aria-label="Clients to connect" className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {shown.map(({ configuration, use }) => (
          <ClientCard key={configuration.client} configuration={configuration} use={use} token={token} />
        ))}
      </ul>
      {shown.length < cards.length && (
        <Button size="md" onClick={onShowAll} className="self-center">
          Show all {cards.length} clients
        </Button>
      )}
    </>
  );
}
