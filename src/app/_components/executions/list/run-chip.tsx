import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";

/** Says that only one run's calls are shown. */
export function RunChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  return (
    <Button size="md" title={id} className="border-edge! font-normal text-accent" onClick={onRemove}>
      <span className="max-w-52 truncate">
        Run <RunName id={id} />
      </span>
      <X aria-hidden size={13} strokeWidth={1.6} />
      <span className="sr-only">, show every run</span>
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
