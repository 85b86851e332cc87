"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { trpc } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import { AGENT_ENDPOINT } from "@/lib/contract/agent-endpoint";

interface PartChoiceProps {
  server: string | null;
  toolset: string | null;
  onChange: (part: { server: string | null; toolset: string | null }) => void;
}

/** The tools that the configurations offer. */
export function PartChoice({ server, toolset, onChange }: PartChoiceProps) {
  const id = useId();
  const servers = useQuery(trpc.servers.list.queryOptions());
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const agents = useQuery(trpc.agents.endpoint.queryOptions());
  const servesAgents = agents.data?.served === true;
  const toOptions = (kind: "toolset" | "server", items: readonly { name: string }[] = [], chosen: string | null) =>
    [...new Set([...items.map(({ name }) => name), ...(chosen === null ? [] : [chosen])])].map((name) => (
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
        <optgroup label="Toolsets">{toOptions("toolset", toolsets.data, toolset)}</optgroup>
        <optgroup label="Servers">
          {toOptions("server", servers.data?.items, servesAgents && server === AGENT_ENDPOINT ? null : server)}
        </optgroup>
      </NativeSelect>
    </label>
  );
}
