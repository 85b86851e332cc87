"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Dialog } from "@/app/_ui/dialog";
import { NativeSelect } from "@/app/_ui/field";
import { JsonText } from "@/app/_ui/json-text";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ClientConfiguration } from "@/lib/contract/client-configuration";

type Transport = ClientConfiguration["transport"];

export interface ConnectDialogProps {
  /** Names of all servers. */
  servers?: readonly string[];
  /** The one server that is to be offered; null for the whole catalog. */
  scope?: string | null;
  /** Absent: there is nothing to choose. */
  onScope?: (scope: string | null) => void;
  /** The toolset that is to be offered. */
  toolset?: string;
  onClose: () => void;
}

/** Ready configurations for programs that shall use Toolroom as their MCP server. */
export function ConnectDialog({ servers = [], scope = null, onScope, toolset, onClose }: ConnectDialogProps) {
  const trpc = useTRPC();
  const scopeId = useId();
  const [transport, setTransport] = useState<Transport>("http");
  const configurations = useQuery(
    trpc.servers.clientConfigurations.queryOptions({
      origin: window.location.origin,
      ...(scope === null ? {} : { server: scope }),
      ...(toolset === undefined ? {} : { toolset }),
    }),
  );
  return (
    <Dialog
      onClose={onClose}
      title="Connect a client"
      description={
        toolset === undefined
          ? "One MCP server with every enabled tool; every call is recorded in Executions."
          : `One MCP server with the tools of ${toolset}; every call is recorded in Executions.`
      }
      size="lg"
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {onScope !== undefined && (
            <label htmlFor={scopeId} className="flex min-w-0 items-center gap-2 text-mute">
              Offer
              <NativeSelect
                id={scopeId}
                value={scope ?? ""}
                onChange={(event) => onScope(event.target.value === "" ? null : event.target.value)}
                className="max-w-60 sm:w-auto"
                options={[...new Set([...servers, ...(scope === null ? [] : [scope])])].map((name) => [
                  name,
                  `only ${name}`,
                ])}
              >
                <option value="">the whole catalog</option>
              </NativeSelect>
            </label>
          )}
          <Segmented
            label="Transport"
            value={transport}
            options={[
              { value: "http", label: "HTTP" },
              { value: "stdio", label: "stdio" },
            ]}
            onChange={setTransport}
          />
        </div>
        {configurations.isPending && <Skeleton className="h-60" />}
        {configurations.isError && (
          <div role="alert" className="flex flex-wrap items-center gap-2 text-bad">
            Couldn't load configurations: {configurations.error.message}
            <Button onClick={() => void configurations.refetch()}>Try again</Button>
          </div>
        )}
        {configurations.data !== undefined && (
          <Configurations items={configurations.data.filter((item) => item.transport === transport)} />
        )}
      </div>
    </Dialog>
  );
}

function Configurations({ items }: { items: readonly ClientConfiguration[] }) {
  const [client, setClient] = useState<string | null>(null);
  const shown = items.find((item) => item.client === client) ?? items[0];
  if (shown === undefined) return <p className="text-mute">No client supports this transport.</p>;
  return (
    <>
      <ScrollRegion label="Clients">
        <Segmented
          label="Client"
          value={shown.client}
          options={items.map(({ client: value, label }) => ({ value, label }))}
          onChange={setClient}
          className="whitespace-nowrap"
        />
      </ScrollRegion>
      <section aria-label={`Configuration for ${shown.label}`} className="rounded-lg border border-line bg-bg">
        <header className="flex items-start gap-2 border-line border-b py-1 pr-1 pl-3">
          <p className="min-w-0 flex-1 py-1 text-mute text-xs [overflow-wrap:anywhere]">{shown.place}</p>
          <CopyButton text={shown.text} label={`Copy for ${shown.label}`} />
        </header>
        {shown.language === "json" ? (
          <JsonText text={shown.text} label="Configuration" className="p-3" />
        ) : (
          <ScrollRegion label="Configuration" className="p-3">
            <pre className="whitespace-pre-wrap font-mono text-xs leading-5 [overflow-wrap:anywhere]">{shown.text}</pre>
          </ScrollRegion>
        )}
      </section>
    </>
  );
}
