"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { ClipboardPaste, FlaskConical, type LucideIcon, SquarePen } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import { needsAttention } from "@/app/_components/servers/summary/needs-attention";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { useServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import type { ServerSummary } from "@/lib/contract/server";
import { formatCount, formatPlural } from "@/lib/format";
import { AttentionNote, buildColumns } from "./server-columns";
import { filterServers, SERVER_FILTERS } from "./server-filters";

const ConnectDialog = onDemand(() =>
  import("@/app/_components/servers/connect/connect-dialog").then((module) => module.ConnectDialog),
);

/** Rows rendered at once. */
const STEP = 100;

const SERVER_LIST: Omit<ListDeclaration<ServerSummary>, "noMatch"> = {
  label: "Servers",
  look: "catalog",
  toKey: ({ name }) => name,
  empty: <ServersEmpty />,
};

export function ServersView() {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.servers.list.queryOptions());
  useLiveServers();
  const list = useList(SERVER_FILTERS);
  const [{ connect, scope }, setConnect] = useQueryStates({ connect: parseAsString, scope: parseAsString });
  const { actions, problem, dismiss } = useServerActions();

  const shown = filterServers(data.items, list.params);
  const waiting = data.items.filter(needsAttention).length;
  const total = formatPlural(data.items.length, "server");
  const attention = waiting === 0 ? "" : ` · ${waiting === 1 ? "1 needs" : `${formatCount(waiting)} need`} attention`;
  const columns = buildColumns(actions);

  return (
    <>
      <ResourceList
        {...SERVER_LIST}
        noMatch={{ title: "No matching servers", text: `${total} are known here.` }}
        columns={columns}
        list={list}
        rows={shown}
        total={data.items.length}
        status={`${list.isFiltered ? `${formatCount(shown.length)} of ${total}` : total}${attention}`}
        step={STEP}
        renderDetail={(server) =>
          needsAttention(server) && (
            <tr>
              <td className="max-md:hidden" />
              <td colSpan={columns.length - 1} className="pr-4 pb-2 max-md:pl-4">
                <AttentionNote server={server} actions={actions} />
              </td>
            </tr>
          )
        }
      >
        {(data.problems.length > 0 || problem !== null) && (
          <div className="flex flex-col gap-2 px-4 pt-3">
            <LoadProblems problems={data.problems} />
            <ActionProblem problem={problem} onDismiss={dismiss} />
          </div>
        )}
      </ResourceList>
      {connect !== null && (
        <ConnectDialog
          servers={data.items.map(({ name }) => name)}
          scope={scope}
          onScope={(next) => void setConnect({ scope: next })}
          onClose={() => void setConnect({ connect: null, scope: null })}
        />
      )}
    </>
  );
}

const WAYS: readonly { href: string; icon: LucideIcon; title: string; text: string }[] = [
  {
    href: "/servers/new?tab=paste",
    icon: ClipboardPaste,
    title: "Paste an mcp.json",
    text: "From Claude Desktop, Cursor, VS Code or a README: every server in it is found.",
  },
  {
    href: "/servers/new",
    icon: SquarePen,
    title: "Fill in the form",
    text: "A command to start here, the address of a server that runs elsewhere, or an OpenAPI document.",
  },
  {
    href: "/servers/new?template=zwave",
    icon: FlaskConical,
    title: "Add the sample server",
    text: "A smart home over Z-Wave that comes with Toolroom and needs no hardware.",
  },
];

/** Three ways to begin. */
function ServersEmpty() {
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-4 px-4 py-10">
      <div className="text-center">
        <h2 className="font-medium text-base">No servers yet</h2>
        <p className="mx-auto mt-1 max-w-xl text-mute">
          Connect an MCP server, or an API with an OpenAPI document, to add its tools to the catalog: run them here,
          call them through one gateway, and record every call in Executions.
        </p>
      </div>
      <ul className="grid gap-3 md:grid-cols-3">
        {WAYS.map(({ href, icon: Icon, title, text }) => (
          <li key={href}>
            <Link
              needs="edit"
              href={href}
              className="flex h-full flex-col gap-1.5 rounded-lg border border-line2 bg-panel p-3.5 hover:bg-rail"
            >
              <span className="flex items-center gap-2 font-medium">
                <Icon aria-hidden size={15} strokeWidth={1.6} className="text-accent" />
                {title}
              </span>
              <span className="text-mute">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
