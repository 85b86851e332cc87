"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { onDemand } from "@/app/_ui/on-demand";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { getConsoleAddress } from "@/lib/base-path";
import type { RegistrySettings, RegistryState } from "@/lib/contract/registry";
import { formatPlural } from "@/lib/format";

const RegistryDialog = onDemand(() => import("./registry-dialog"), "RegistryDialog");

const ACCESS: Record<RegistrySettings["access"], string> = {
  off: "off",
  members: "members only",
  public: "public",
};

/** This Toolroom as a registry, which clients use as their list of allowed servers. */
export function RegistryView() {
  const isReady = useHydrated();
  const origin = isReady ? getConsoleAddress() : "http://127.0.0.1";
  const query = useQuery({ ...trpc.registry.get.queryOptions({ origin }), enabled: isReady });
  const [isEditing, setIsEditing] = useState(false);
  return (
    <Card
      title="Team registry"
      about="VS Code, GitHub Copilot and JetBrains IDEs take the address of an MCP registry as the list of servers that a team may use. Entries are addresses of this Toolroom."
      action={
        <Button needs="administer" disabled={query.data === undefined} onClick={() => setIsEditing(true)}>
          Change
        </Button>
      }
    >
      <div className="px-3.5 py-3">
        <QueryState query={query} what="the registry" bars={["h-16"]}>
          {(state) => (
            <>
              <Registry origin={origin} state={state} />
              {isEditing && <RegistryDialog origin={origin} state={state} onClose={() => setIsEditing(false)} />}
            </>
          )}
        </QueryState>
      </div>
    </Card>
  );
}

function Registry({ origin, state: { settings, entries, refused } }: { origin: string; state: RegistryState }) {
  const setting = `"chat.mcp.gallery.serviceUrl": "${origin}"`;
  return (
    <div className="flex flex-col gap-2.5">
      <p className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-xs [overflow-wrap:anywhere]">{origin}/v0.1/servers</code>
        <Badge tone={settings.access === "off" ? "neutral" : "ok"}>{ACCESS[settings.access]}</Badge>
        <span className="text-mute text-xs">{formatPlural(entries.length, "entry", "entries")} for you</span>
      </p>
      <dl className="grid gap-x-4 gap-y-1.5 text-xs sm:grid-cols-[auto_minmax(0,1fr)]">
        <dt className="text-mute">VS Code</dt>
        <dd className="flex flex-wrap items-center gap-1.5">
          <code className="font-mono [overflow-wrap:anywhere]">{setting}</code>
          <CopyButton text={setting} label="Copy the setting for VS Code" />
        </dd>
        <dt className="text-mute">Copilot, JetBrains</dt>
        <dd className="flex flex-wrap items-center gap-1.5">
          <span>the organization's policy “MCP Registry URL”:</span>
          <code className="font-mono [overflow-wrap:anywhere]">{origin}</code>
          <CopyButton text={origin} label="Copy the address for Copilot" />
        </dd>
      </dl>
      {settings.access === "members" && (
        <p className="text-mute text-xs">
          These clients read a registry without signing in, from their own windows: they need a public one. A program
          that sends an API token reads this one.
        </p>
      )}
      {entries.length > 0 && (
        <details className="text-xs">
          <summary className="cursor-pointer text-mute">Entries</summary>
          <ul aria-label="Entries of the registry" className="mt-1 flex flex-col gap-0.5">
            {entries.map(({ server, _meta: { "toolroom/skills": skills = [] } }) => (
              <li key={server.name} className="[overflow-wrap:anywhere]">
                <code className="font-mono">{server.name}</code>{" "}
                <span className="text-mute">
                  {server.remotes?.[0]?.url ??
                    `${server.packages?.[0]?.registryType}: ${server.packages?.[0]?.identifier}`}
                </span>
                {skills.length > 0 && (
                  <span className="text-mute" title={skills.map(({ name }) => name).join(", ")}>
                    {" "}
                    · {formatPlural(skills.length, "skill")}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {refused.map(({ server, reason }) => (
        <p key={server} className="text-warn text-xs">
          {server} is not published. {reason}.
        </p>
      ))}
    </div>
  );
}
