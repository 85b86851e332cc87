import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import type { FilterParams } from "./execution-filters";

interface LinkedFiltersProps {
  params: Pick<FilterParams, "definition" | "run" | "toolset" | "server" | "lensFailed">;
  onChange: (part: Partial<FilterParams>) => void;
}

/** The filters that only links set: one version of a tool, one toolset, one server, one run, failed lenses. */
export function LinkedFilters({ params, onChange }: LinkedFiltersProps) {
  const { definition, toolset, server, run, lensFailed } = params;
  return (
    <>
      {definition !== "" && (
        <Chip title={definition} others="version" onRemove={() => onChange({ definition: "" })}>
          Definition <span className="font-mono text-xs">{definition.slice(0, 8)}</span>
        </Chip>
      )}
      {toolset !== "" && (
        <Chip title={toolset} others="toolset" onRemove={() => onChange({ toolset: "" })}>
          Toolset <span className="font-mono text-xs">{toolset}</span>
        </Chip>
      )}
      {server !== "" && (
        <Chip title={server} others="server" onRemove={() => onChange({ server: "" })}>
          Server <span className="font-mono text-xs">{server}</span>
        </Chip>
      )}
      {lensFailed && (
        <Chip
          title="Calls whose caller got the whole result"
          others="call"
          onRemove={() => onChange({ lensFailed: false })}
        >
          Lens failed
        </Chip>
      )}
      {run !== "" && (
        <Chip title={run} others="run" onRemove={() => onChange({ run: "" })}>
          Run <RunName id={run} />
        </Chip>
      )}
    </>
  );
}

interface ChipProps {
  title: string;
  /** The list that is shown again without this filter. */
  others: string;
  onRemove: () => void;
  children: ReactNode;
}

function Chip({ title, others, onRemove, children }: ChipProps) {
  return (
    <Button size="md" title={title} className="border-edge! font-normal text-accent" onClick={onRemove}>
      <span className="max-w-52 truncate">{children}</span>
      <X aria-hidden size={13} strokeWidth={1.6} />
      <span className="sr-only">, show every {others}</span>
    </Button>
  );
}

/** The title of a run as its calls have it; the id until one is read. */
function RunName({ id }: { id: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.executions.list.queryOptions({ filter: { runId: id.slice(0, 100) }, limit: 1 }));
  const title = data?.items[0]?.runTitle;
  return title ? <bdi className="font-medium">{title}</bdi> : <span className="font-mono text-xs">{id}</span>;
}
