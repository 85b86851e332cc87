import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { RunnerColumn } from "@/app/_components/tools/runner/runner";
import { useToolCall } from "@/app/_components/tools/runner/use-tool-call";
import { SchemaNotes } from "@/app/_components/tools/summary/schema-notes";
import { QueryState } from "@/app/_kit/query-state";
import { useFirstField } from "@/app/_kit/use-first-field";
import { trpc } from "@/app/_trpc/client";
import { ButtonLink } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import type { ToolDetail } from "@/lib/contract/catalog-tool";

interface RunDrawerProps {
  /** The tool's name in the catalog. */
  toolName: string;
  onClose: () => void;
}

/** Runs one tool of a server beside the server's list. */
export function RunDrawer({ toolName, onClose }: RunDrawerProps) {
  const tool = useQuery(trpc.tools.get.queryOptions({ name: toolName }));
  return (
    <Dialog
      side="right"
      title={toolName}
      onClose={onClose}
      actions={<ButtonLink href={`/tools/${encodeURIComponent(toolName)}`}>Open tool</ButtonLink>}
    >
      <QueryState query={tool} what="the tool" bars={["h-24", "h-40"]}>
        {(detail) => <DrawerRunner key={detail.definitionHash} tool={detail} />}
      </QueryState>
    </Dialog>
  );
}

const ignore = (): void => undefined;

function DrawerRunner({ tool }: { tool: ToolDetail }) {
  const run = useToolCall(ignore, tool.name);
  const { execution } = run;
  const runner = useRef<HTMLDivElement>(null);
  useFirstField(runner);
  return (
    <div ref={runner} className="-m-4 flex flex-col">
      <RunnerColumn
        toolName={tool.name}
        definition={tool.definition}
        definitionKey={tool.definitionHash}
        initialText={null}
        run={run}
        keepsArguments
        approval={tool.approval}
        notes={<SchemaNotes notes={tool.schemaNotes} className="border-line border-t px-3.5 py-1.5" />}
        unavailable={tool.enabled ? null : "The tool is disabled. Enable it to run it."}
      />
      {execution !== null && (
        <div className="border-line border-t">
          <ResultPanel
            execution={execution}
            cancelable={false}
            actions={<ButtonLink href={`/executions/${execution.id}`}>Open</ButtonLink>}
          />
        </div>
      )}
    </div>
  );
}
