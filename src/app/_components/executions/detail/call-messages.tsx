import { useQuery } from "@tanstack/react-query";
import { toServerCall } from "@/app/_components/executions/actions/copy-formats";
import { MessageRow } from "@/app/_components/servers/detail/log/messages-tab";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { findCallMessages } from "./find-call-messages";

/** The messages that went to the server and back for this call. */
export function CallMessages({ execution }: { execution: ExecutionDetail }) {
  const { serverName, startedAt, queuedAt, finishedAt } = execution;
  const messages = useQuery({
    ...trpc.servers.messages.queryOptions({ name: serverName ?? "" }),
    enabled: serverName !== null,
    staleTime: 0,
  });
  const requestText = toServerCall(execution);
  if (serverName === null || requestText === null) return null;
  const path = `/servers/${encodeURIComponent(serverName)}?tab=log&show=messages`;
  return (
    <QueryState query={messages} what="the messages" bars={["h-8", "h-8"]} className="p-4">
      {(data) => {
        const mine = findCallMessages(data, { requestText, startedAt: startedAt ?? queuedAt, finishedAt });
        if (mine.length === 0) {
          return (
            <EmptyState heading="h2" title="No messages kept" next={{ href: path, text: `Messages of ${serverName}` }}>
              Toolroom keeps the newest messages of each server while it runs. Those of this call are gone.
            </EmptyState>
          );
        }
        return (
          <ul aria-label="Messages of the call" className="border-line border-b bg-panel">
            {mine.map((paired) => (
              <MessageRow key={paired.message.seq} paired={paired} />
            ))}
          </ul>
        );
      }}
    </QueryState>
  );
}
