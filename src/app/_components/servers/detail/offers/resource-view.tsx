import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ContentsView } from "@/app/_components/servers/detail/contents/contents-view";
import { client, trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { ErrorState } from "@/app/_ui/error-state";
import { Input } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ServerDetail } from "@/lib/contract/server";
import type { ServerResource } from "@/lib/contract/server-content";
import { formatBytes } from "@/lib/format";
import { expandTemplate, templateVariables } from "@/lib/uri-template";
import { OffersTab, useCanAsk } from "./offers-tab";

/** One resource: its description and its contents. A template is read once its placeholders are filled in. */
function ResourceView({ server, resource }: { server: string; resource: ServerResource }) {
  const [asked, setAsked] = useState<string | null>(resource.template ? null : resource.uri);
  return (
    <section
      aria-label={resource.title ?? resource.name}
      className="flex min-h-0 min-w-0 flex-col bg-panel lg:overflow-y-auto"
    >
      <header className="border-line border-b px-4 py-2.5">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="min-w-0 font-medium [overflow-wrap:anywhere]">{resource.title ?? resource.name}</h2>
          {resource.template && <Badge tone="accent">template</Badge>}
          {resource.mimeType !== null && <Badge className="max-w-48 truncate">{resource.mimeType}</Badge>}
          {resource.size !== null && <span className="font-mono text-mute text-xs">{formatBytes(resource.size)}</span>}
        </div>
        <p className="flex items-center gap-1 font-mono text-mute text-xs">
          <span className="min-w-0 [overflow-wrap:anywhere]">{asked ?? resource.uri}</span>
          <CopyButton text={asked ?? resource.uri} label="Copy URI" className="-my-1" />
        </p>
        {resource.description !== null && (
          <p className="mt-1 max-w-4xl whitespace-pre-wrap text-mute [overflow-wrap:anywhere]">
            {resource.description}
          </p>
        )}
        {resource.template && <TemplateForm template={resource.uri} onRead={setAsked} />}
      </header>
      {asked !== null && <ReadResource key={asked} server={server} uri={asked} />}
    </section>
  );
}

function TemplateForm({ template, onRead }: { template: string; onRead: (uri: string) => void }) {
  const id = useId();
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const uri = expandTemplate(template, values);
  return (
    <form
      aria-label="Fill in the template"
      onSubmit={(event) => {
        event.preventDefault();
        onRead(uri);
      }}
      className="mt-3 flex flex-col gap-2"
    >
      <div className="flex flex-wrap items-end gap-2">
        {templateVariables(template).map((variable) => (
          <div key={variable} className="min-w-32 max-w-72 flex-1">
            <label htmlFor={`${id}-${variable}`} className="mb-0.5 block font-mono text-xs">
              {variable}
            </label>
            <Input
              id={`${id}-${variable}`}
              value={values.get(variable) ?? ""}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setValues((before) => new Map(before).set(variable, event.target.value))}
            />
          </div>
        ))}
        <Button needs="run" type="submit" size="md" variant="primary">
          Read
        </Button>
      </div>
      <p className="text-mute text-xs [overflow-wrap:anywhere]">
        Will be read: <span className="font-mono">{uri}</span>
      </p>
    </form>
  );
}

export function ReadResource({ server, uri }: { server: string; uri: string }) {
  // Sent by POST, since the address may be long; it reads all the same.
  const read = useQuery({
    queryKey: ["server-resource", server, uri],
    queryFn: ({ signal }) => client.content.readResource.mutate({ name: server, uri }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  return (
    <div className="flex min-w-0 flex-col gap-3 p-4">
      <div className="flex items-center gap-2">
        <Button needs="run" disabled={read.isFetching} onClick={() => void read.refetch()}>
          {read.isFetching ? "Reading…" : "Read again"}
        </Button>
        {read.data !== undefined && <CopyButton text={read.data.text} label="Copy full response" />}
        {read.data !== undefined && (
          <Link href={`/executions/${read.data.executionId}`} className="ml-auto text-xs underline">
            Open execution
          </Link>
        )}
      </div>
      {read.isPending && <Skeleton className="h-40" />}
      {read.error !== null && (
        <ErrorState
          title="Couldn't read the resource"
          message={read.error.message}
          onRetry={() => void read.refetch()}
        />
      )}
      {read.error === null && read.data !== undefined && <ContentsView text={read.data.text} />}
    </div>
  );
}

/** Lists the server's resources. The open one is in the address. */
export function ResourcesTab({ server }: { server: ServerDetail }) {
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
