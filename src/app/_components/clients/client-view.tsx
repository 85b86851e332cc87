"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useId, useState } from "react";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Input } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageBody } from "@/app/_ui/page-body";
import { PageHeader } from "@/app/_ui/page-header";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ClientDetail, ClientSession, ToolAnswer } from "@/lib/contract/client";
import { formatTitle } from "@/lib/contract/execution-kind";
import { formatCount, formatPlural } from "@/lib/format";
import { describeVerdict } from "./client-words";
import { LastList } from "./last-list";
import { toListPath } from "./list-path";
import { ListsByDay } from "./lists-by-day";
import { OpenedList } from "./opened-list";

const GivenFit = onDemand(() => import("./fit/given-fit"), "GivenFit");

const READ_MS = 10_000;
const NEWEST = 8;

/** One client program: its lists, its calls, and the reason why a tool is missing. */
export function ClientView({ id }: { id: string }) {
  const { data: client } = useSuspenseQuery(
    trpc.clients.get.queryOptions({ client: id }, { refetchInterval: READ_MS }),
  );
  const { name, version, user, token, barrier } = client;
  return (
    <>
      <PageHeader
        title={name}
        badges={version !== "" && <Badge>{version}</Badge>}
        actions={
          <p className="text-mute text-xs">
            {user.name}
            {token !== null && ` · token ${token.name}`} · seen <RelativeTime at={client.seenAt} />
          </p>
        }
      />
      <PageBody>
        {barrier !== null && (
          <Alert tone="warn" title={`${barrier}.`}>
            <Link href="/settings/people" className="text-accent hover:underline">
              People and roles
            </Link>
          </Alert>
        )}
        <ToolQuestion client={client} />
        <GivenFit client={client} />
        <OpenedList client={client} />
        <LastList client={client} />
        <ListsByDay client={client} />
        <Sessions client={client} />
        <NewestCalls client={client} />
      </PageBody>
    </>
  );
}

function Sessions({ client: { id, items: sessions } }: { client: ClientDetail }) {
  return (
    <Card
      title="Sessions"
      about="Requests of the stateless protocol count as one session for each address and version. Kept for 30 days."
    >
      <ul className="divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-col gap-1 px-3.5 py-2 text-xs">
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <code className="font-mono text-sm [overflow-wrap:anywhere]">{session.address}</code>
              <span className="text-mute">
                {session.protocol}
                {session.era === "stateless" && ", stateless"}
                {session.version !== "" && ` · version ${session.version}`}
              </span>
              <span className="ml-auto text-mute max-sm:ml-0">
                {session.endedAt === null ? "seen " : "ended "}
                <RelativeTime at={session.endedAt ?? session.seenAt} />
              </span>
            </div>
            <p className="text-mute">{describeNotices(session)}</p>
            {session.listings.length > 0 && (
              <ul aria-label="Lists" className="flex flex-col gap-0.5">
                {session.listings.slice(0, NEWEST).map(({ hash, tools, count, lastAt }) => (
                  <li key={hash} className="flex flex-wrap gap-x-2">
                    <Link
                      href={toListPath(id, hash)}
                      className="rounded-xs underline max-sm:py-2.75"
                      title={`List ${hash}`}
                    >
                      {formatPlural(tools, "tool")}
                    </Link>
                    <span>
                      fetched {formatTimes(count)}, last <RelativeTime at={lastAt} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const formatTimes = (count: number): string => (count === 1 ? "once" : `${formatCount(count)} times`);

function describeNotices({ listedAt, noticedAt, notices }: ClientSession): string {
  if (listedAt === null) return "It has not fetched the list of tools.";
  if (noticedAt === null) return "Not notified of changes.";
  const notified = `Notified ${formatTimes(notices)}`;
  return noticedAt <= listedAt ? `${notified}; list reloaded afterwards.` : `${notified}; list not reloaded since.`;
}

export function NewestCalls({ client: { name, user } }: { client: ClientDetail }) {
  const filter = { client: name, actor: user.id, source: ["gateway" as const] };
  const calls = useQuery(trpc.executions.list.queryOptions({ filter, limit: NEWEST }, { refetchInterval: READ_MS }));
  const failed = useQuery(trpc.executions.count.queryOptions({ filter: { ...filter, status: ["failed" as const] } }));
  const query = `client=${encodeURIComponent(name)}&actor=${encodeURIComponent(user.id)}&source=gateway`;
  return (
    <Card
      title="Newest calls"
      action={
        <span className="flex gap-3 text-xs">
          {(failed.data?.count ?? 0) > 0 && (
            <Link href={`/executions?${query}&status=failed`} className="text-bad hover:underline max-sm:py-3">
              {formatCount(failed.data?.count ?? 0)} failed
            </Link>
          )}
          <Link href={`/executions?${query}`} className="text-accent hover:underline max-sm:py-3">
            All calls
          </Link>
        </span>
      }
    >
      {calls.data?.items.length === 0 && <p className="px-3.5 py-3 text-mute">No calls yet.</p>}
      <ul className="divide-y divide-line">
        {calls.data?.items.map((call) => (
          <li key={call.id} className="flex flex-wrap items-center gap-x-3 px-3.5 py-1.5 text-xs">
            <ExecutionBadge execution={call} />
            <Link
              href={`/executions/${encodeURIComponent(call.id)}`}
              className="max-sm:-my-3 min-w-0 font-mono hover:underline max-sm:py-3 [overflow-wrap:anywhere]"
            >
              {formatTitle(call)}
            </Link>
            <span className="ml-auto text-mute">
              <RelativeTime at={call.queuedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Answers why a client does not see a tool or skill; the question is in the address. */
function ToolQuestion({ client: { id, name } }: { client: ClientDetail }) {
  const fieldId = useId();
  const [tool, setTool] = useQueryState("tool", parseAsString.withDefault(""));
  const [typed, setTyped] = useState(tool);
  const ask = (asked: string): void => {
    setTyped(asked);
    void setTool(asked.trim() === "" ? null : asked.trim());
  };
  const query = useQuery({ ...trpc.clients.explain.queryOptions({ client: id, tool }), enabled: tool !== "" });
  return (
    <Card title={`Why does ${name} not see a tool or skill?`} label="Why a tool is missing">
      <form
        className="flex flex-wrap items-center gap-2 px-3.5 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          ask(typed);
        }}
      >
        <label htmlFor={fieldId} className="text-mute">
          Tool or skill
        </label>
        <Input
          id={fieldId}
          value={typed}
          maxLength={300}
          placeholder="files__read_file"
          className="min-w-40 flex-1 font-mono sm:max-w-96"
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" size="md" variant="primary" disabled={typed.trim() === ""}>
          Explain
        </Button>
      </form>
      {tool !== "" && (
        <div className="border-line border-t px-3.5 py-3">
          <QueryState query={query} what="the answer" bars={["h-10"]}>
            {(answer) => <Answer answer={answer} onAsk={ask} />}
          </QueryState>
        </div>
      )}
    </Card>
  );
}

function Answer({ answer, onAsk }: { answer: ToolAnswer; onAsk: (tool: string) => void }) {
  const [label, tone] = describeVerdict(answer.verdict);
  return (
    <div role="status" className="flex flex-col gap-1.5 [overflow-wrap:anywhere]">
      <p className="flex flex-wrap items-center gap-2">
        <code className="font-medium font-mono text-xs">{answer.tool}</code>
        <Badge tone={tone}>{label}</Badge>
      </p>
      <p>{answer.answer}</p>
      {answer.wayOut !== "" && (
        <p className="text-mute">
          {answer.wayOut}{" "}
          {answer.link !== null && (
            <Link href={answer.link} className="text-accent hover:underline">
              Open {answer.link}
            </Link>
          )}
        </p>
      )}
      {answer.nearest.length > 0 && (
        <ul aria-label="Similar names" className="flex flex-wrap gap-1.5">
          {answer.nearest.map((name) => (
            <li key={name}>
              <Button onClick={() => onAsk(name)}>
                <span className="font-mono text-xs">{name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
