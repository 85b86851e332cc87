"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import type { ServerDetail } from "@/lib/contract/server";
import { OffersTab, useCanAsk } from "./offers-tab";
import { ResourceView } from "./resource-view";

/** Lists the server's resources. The open one is in the address. */
export function ResourcesTab({ server }: { server: ServerDetail }) {
  const trpc = useTRPC();
  const resources = useQuery({
    ...trpc.content.resources.queryOptions({ name: server.name }),
    enabled: useCanAsk(server, "resources"),
    retry: false,
  });
  return (
    <OffersTab
      server={server}
      what="resources"
      query={resources}
      parameter="uri"
      noun="resource"
      hint="A resource is read when you open it."
      toOffer={({ uri, name, title, mimeType, template }) => ({
        id: uri,
        title: title ?? name,
        detail: uri,
        badge: template ? (
          <Badge tone="accent">template</Badge>
        ) : (
          mimeType !== null && <Badge className="max-w-32 shrink truncate">{mimeType}</Badge>
        ),
      })}
    >
      {(open) => <ResourceView key={open.uri} server={server.name} resource={open} />}
    </OffersTab>
  );
}
