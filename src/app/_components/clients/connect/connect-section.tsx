import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useId, useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { NativeSelect } from "@/app/_ui/field";
import { onDemand } from "@/app/_ui/on-demand";
import { Segmented } from "@/app/_ui/segmented";
import { ShellChoice } from "@/app/_ui/shell-choice";
import { AGENT_ENDPOINT } from "@/lib/contract/agent-endpoint";
import type { ClientSummary } from "@/lib/contract/client";
import {
  type ClientConfiguration,
  type ClientConfigurations,
  CONNECT_CLIENTS,
  TOKEN_PLACEHOLDER,
} from "@/lib/contract/client-configuration";
import { CLIENT_TRANSPORTS, type ClientTransport } from "@/lib/contract/client-transport";
import { ClientCard } from "./client-card";
import { type FoundUse, findUse, type OfferedPart } from "./find-use";

const TRANSPORTS = { http: "HTTP", stdio: "stdio" } as const;
/** The number of clients shown at first; the others follow on request. */
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

/** The shortest way for a client that has servers already. */
function WrapPanel({ command }: { command: string }) {
  const undo = command.replace(/ wrap(?= |$)/, " unwrap");
  return (
    <section
      aria-label="Move the servers that your clients have"
      className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-accent bg-panel px-3.5 py-2.5"
    >
      <h3 className="font-medium">Your clients have servers already? Move them all</h3>
      <p className="text-mute">
        Finds the clients on this machine, shows what it would change, asks, then puts Toolroom in place of their
        servers.
      </p>
      <div className="flex min-w-0 items-start gap-2 rounded-md bg-rail py-1 pr-1 pl-2.5">
        <code className="min-w-0 flex-1 py-1 font-mono text-xs leading-5 [overflow-wrap:anywhere]">{command}</code>
        <CopyButton text={command} label="Copy the command that moves servers" />
      </div>
      <p className="flex min-w-0 items-center gap-x-1 text-mute text-xs">
        <span className="min-w-0">
          <code className="font-mono">unwrap</code> in its place gives every file back byte for byte.
        </span>
        <CopyButton text={undo} label="Copy the command that gives the files back" className="-my-1" />
      </p>
    </section>
  );
}

const CreateTokenDialog = onDemand(
  () => import("@/app/_components/accounts/account/create-token-dialog"),
  "CreateTokenDialog",
);

interface TokenNoticeProps {
  hasToken: boolean;
  onCreated: (token: string) => void;
}

/** While accounts are on, a program that cannot sign in sends an API token. */
function TokenNotice({ hasToken, onCreated }: TokenNoticeProps) {
  const [creating, setCreating] = useState(false);
  return (
    <Alert
      tone="accent"
      title={hasToken ? "The new token is in the configurations" : "These clients send an API token"}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p className="min-w-0 flex-1 basis-64 text-mute">
          {hasToken ? (
            "Until you leave this page: it is not shown again."
          ) : (
            <>
              <code className="font-mono text-xs">{TOKEN_PLACEHOLDER}</code> stands in its place.
            </>
          )}
        </p>
        <Button onClick={() => setCreating(true)}>{hasToken ? "Create another" : "Create API token"}</Button>
      </div>
      {creating && <CreateTokenDialog onCreated={onCreated} onClose={() => setCreating(false)} />}
    </Alert>
  );
}

interface PartChoiceProps {
  server: string | null;
  toolset: string | null;
  onChange: (part: { server: string | null; toolset: string | null }) => void;
}

/** The tools that the configurations offer. */
function PartChoice({ server, toolset, onChange }: PartChoiceProps) {
  const id = useId();
  const servers = useQuery(trpc.servers.names.queryOptions());
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const agents = useQuery(trpc.agents.endpoint.queryOptions());
  const servesAgents = agents.data?.served === true;
  const toOptions = (kind: "toolset" | "server", names: readonly string[] = [], chosen: string | null) =>
    [...new Set([...names, ...(chosen === null ? [] : [chosen])])].map((name) => (
      <option key={name} value={`${kind}:${name}`}>
        {name}
      </option>
    ));
  return (
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
        {servesAgents && <option value={`server:${AGENT_ENDPOINT}`}>Toolroom's own tools</option>}
        <optgroup label="Toolsets">
          {toOptions(
            "toolset",
            toolsets.data?.map(({ name }) => name),
            toolset,
          )}
        </optgroup>
        <optgroup label="Servers">
          {toOptions("server", servers.data, servesAgents && server === AGENT_ENDPOINT ? null : server)}
        </optgroup>
      </NativeSelect>
    </label>
  );
}
