import { useSuspenseQuery } from "@tanstack/react-query";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { formatCount } from "@/lib/format";

/** Toolroom's own operations as tools: in the catalog for runs and toolsets, and at an endpoint for MCP clients. */
export function AgentToolsCard() {
  const { data: endpoint } = useSuspenseQuery(trpc.agents.endpoint.queryOptions());
  const { data: tools } = useSuspenseQuery(trpc.agents.tools.queryOptions());
  const missing = tools.filter(({ inCatalog }) => !inCatalog).length;
  const { enabled, served, path, setBy, problem } = endpoint;
  const switchEndpoint = useAction(trpc.agents.setEndpoint, {
    stale: [trpc.agents.endpoint],
    done: (saved) => (saved.enabled ? `${saved.path} is on` : `${saved.path} is off`),
    failed: `Couldn't switch ${path}`,
  });
  const add = useAction(trpc.agents.addTools, {
    stale: [trpc.agents.tools, trpc.tools.list],
    done: ({ added, present }) => {
      const kept = present.length === 0 ? "" : `; names that were taken: ${present.join(", ")}`;
      return `${formatCount(added.length)} tools added${kept}`;
    },
    failed: "Couldn't add the tools",
  });
  return (
    <div id="tools-for-agents" className="scroll-mt-4">
      <Card
        title="Tools for agents"
        about="Agents can find failed calls, read and replay them, and save them as tests, with Toolroom's own tools."
      >
        <ul className="divide-y divide-line">
          <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3.5 py-3">
            <div className="min-w-0 flex-1 basis-64">
              <p className="flex flex-wrap items-center gap-2">
                <code className="font-mono text-xs">{path}</code>
                <Badge tone={served ? "ok" : problem === null ? "neutral" : "warn"}>
                  {served ? "on" : problem === null ? "off" : "not served"}
                </Badge>
              </p>
              <p className="text-mute text-xs">
                {problem ??
                  (setBy === "environment"
                    ? "Set by TOOLROOM_AGENT_ENDPOINT."
                    : "Serves these tools to MCP clients, with the rights of their token.")}
              </p>
            </div>
            {served && (
              <Link href="/clients?server=toolroom#connect" className="text-xs underline">
                Connect a client
              </Link>
            )}
            {setBy === "settings" && (
              <Button
                needs="administer"
                aria-label={`Switch ${enabled ? "off" : "on"} ${path}`}
                disabled={switchEndpoint.isPending}
                onClick={() => switchEndpoint.mutate({ enabled: !enabled })}
              >
                {enabled ? "Switch off" : "Switch on"}
              </Button>
            )}
          </li>
          <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3.5 py-3">
            <div className="min-w-0 flex-1 basis-64">
              <p>Catalog</p>
              <p className="text-mute text-xs">
                {missing === 0
                  ? `All ${tools.length} are in the catalog, for the Playground and toolsets.`
                  : `${missing} of ${tools.length} are not in the catalog. Add them to use them in the Playground and toolsets.`}
              </p>
            </div>
            <Button needs="edit" disabled={missing === 0 || add.isPending} onClick={() => add.mutate()}>
              Add to catalog
            </Button>
          </li>
        </ul>
        <ActionProblem
          problem={switchEndpoint.problem ?? add.problem}
          onDismiss={() => {
            switchEndpoint.reset();
            add.reset();
          }}
          className="m-3"
        />
      </Card>
    </div>
  );
}
