import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import type { ReplayChoice, ReplayPreview } from "@/lib/contract/suite";
import { formatCount, formatPlural } from "@/lib/format";

interface ReplayDialogProps {
  choice: ReplayChoice;
  onClose: () => void;
}

/** Counts the calls, then makes them with the tools as they are now. */
export function ReplayDialog({ choice, onClose }: ReplayDialogProps) {
  const router = useRouter();
  const [asksForApproval, setAsks] = useState(false);
  const { data: preview, error } = useQuery({
    queryKey: ["replay-preview", choice],
    queryFn: () => client.suites.previewReplay.mutate(choice),
    gcTime: 0,
    retry: false,
  });
  const starting = useAction(trpc.suites.startReplay, {
    stale: [trpc.suites.runs],
    onDone: ({ id }) => {
      onClose();
      router.push(`/suites/runs/${id}`);
    },
  });
  return (
    <FormDialog
      needs="run"
      title="Replay against the current tools"
      description={preview === undefined ? "Counting the calls…" : describePreview(preview)}
      submitLabel={preview === undefined ? "Replay" : `Replay ${formatPlural(preview.count, "call")}`}
      pendingLabel="Starting…"
      pending={starting.isPending}
      disabled={preview === undefined || preview.count === 0}
      failure={starting.problem === null ? "Couldn't count the calls" : "Couldn't start"}
      problem={starting.problem ?? error?.message}
      onSubmit={() => starting.mutate({ ...choice, asksForApproval })}
      onClose={onClose}
    >
      {preview !== undefined && preview.tools.length > 0 && <ToolCalls preview={preview} />}
      {preview !== undefined && preview.needsApproval.length > 0 && (
        <label className="flex items-start gap-1.5">
          <Checkbox checked={asksForApproval} onChange={setAsks} />
          <span>
            Ask for approval
            <span className="block text-mute text-xs">
              Calls of {preview.needsApproval.map(({ name }) => name).join(", ")} wait in Approvals. Otherwise they are
              left out.
            </span>
          </span>
        </label>
      )}
    </FormDialog>
  );
}

function describePreview({ count, matches, more, limit, notReplayable }: ReplayPreview): string {
  const all = `${formatCount(matches)}${more ? "+" : ""}`;
  const newest = count === limit && matches > count ? ` The newest ${formatCount(limit)} of ${all} are replayed.` : "";
  const left = notReplayable === 0 ? "" : ` ${formatPlural(notReplayable, "execution")} can't be replayed.`;
  return `Calls the tools again with the recorded arguments, and compares each outcome with the recorded one. The calls are real.${newest}${left}`;
}

const SHOWN_TOOLS = 8;

function ToolCalls({ preview: { tools } }: { preview: ReplayPreview }) {
  const rest = tools.length - SHOWN_TOOLS;
  return (
    <ul className="flex flex-col gap-0.5 text-xs">
      {tools.slice(0, SHOWN_TOOLS).map(({ name, calls }) => (
        <li key={name} className="flex gap-2">
          <span className="min-w-0 flex-1 truncate font-mono">{name}</span>
          <span className="text-mute tabular-nums">{formatPlural(calls, "call")}</span>
        </li>
      ))}
      {rest > 0 && <li className="text-mute">and {formatPlural(rest, "other tool")}</li>}
    </ul>
  );
}
