import { useState } from "react";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { defineForm, number, text } from "@/app/_kit/form/fields";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Checkbox } from "@/app/_ui/checkbox";
import type { ChangeReview, ReplayBaseline } from "@/lib/contract/change-review";

/** Recorded calls that are made again: which tools a user allows, the start and the end of a replay. */
export function ReplaySection({ review }: { review: ChangeReview }) {
  const { server, items, replayable, proposed } = review;
  const [isStarting, setIsStarting] = useState(false);
  const stale = [trpc.changes];
  const failed = () => "Couldn't change the tools for replays";
  const allowing = useAction(trpc.changes.setReplayable, { stale, failed });
  const cancelling = useAction(trpc.changes.cancelReplay, { stale, failed: "Couldn't cancel" });
  const allowed = replayable.map(({ tool }) => tool);
  const changed = items.filter(({ kind }) => kind !== "added" && kind !== "removed");
  if (changed.length === 0) return null;
  const isRunning = items.some(({ replay }) => replay?.status === "running");
  const isReady = changed.some(({ tool }) => allowed.includes(tool));
  const toggle = (tool: string, isOn: boolean): void =>
    allowing.mutate({ name: server, tools: isOn ? [...allowed, tool] : allowed.filter((each) => each !== tool) });
  return (
    <Card
      title="Replay recorded calls"
      about="Makes recorded calls again and compares what the changed tool returns. Allow only tools whose calls may be repeated: the server's own hints are not checked."
      action={
        isRunning ? (
          <Button needs="edit" disabled={cancelling.isPending} onClick={() => cancelling.mutate({ name: server })}>
            Cancel replay
          </Button>
        ) : (
          <Button needs="edit" disabled={!isReady} onClick={() => setIsStarting(true)}>
            Replay…
          </Button>
        )
      }
    >
      <ul aria-label="Tools that may be replayed" className="flex flex-col gap-0.5 px-3 py-2">
        {changed.map(({ tool }) => {
          const who = replayable.find((each) => each.tool === tool)?.by;
          return (
            <li key={tool}>
              <AllowedTool
                tool={tool}
                isAllowed={allowed.includes(tool)}
                isProposed={proposed.includes(tool)}
                by={who?.name ?? null}
                pending={allowing.isPending}
                onChange={(isOn) => toggle(tool, isOn)}
              />
            </li>
          );
        })}
      </ul>
      <div role="alert" className="px-3.5 pb-2 text-bad text-xs empty:hidden">
        {allowing.problem ?? cancelling.problem}
      </div>
      {isStarting && <ReplayDialog server={server} onClose={() => setIsStarting(false)} />}
    </Card>
  );
}

interface AllowedToolProps {
  tool: string;
  isAllowed: boolean;
  /** Whether the server marks it as read-only. */
  isProposed: boolean;
  by: string | null;
  pending: boolean;
  onChange: (isOn: boolean) => void;
}

function AllowedTool({ tool, isAllowed, isProposed, by, pending, onChange }: AllowedToolProps) {
  const denial = useDenial("edit");
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <label className="flex min-w-0 items-center gap-1.5">
        <Checkbox
          checked={isAllowed}
          disabled={pending || denial !== null}
          title={denial ?? undefined}
          onChange={onChange}
        />
        <span className="font-mono text-xs [overflow-wrap:anywhere]">{tool}</span>
      </label>
      {isProposed && <Badge title="The server marks it read-only; that proves nothing">proposed</Badge>}
      {by !== null && <span className="text-mute text-xs">allowed by {by}</span>}
    </div>
  );
}

const REPLAY_FORM = defineForm<{ budget: number; baseline: string }>()({
  budget: number("Calls at most", { required: true }),
  baseline: text("Current version (optional)", {
    mono: true,
    hint: "The address or the command of the version that clients used so far, such as npx -y server@1.2.0. A command needs the role admin.",
  }),
});

function ReplayDialog({ server, onClose }: { server: string; onClose: () => void }) {
  return (
    <EditDialog
      needs="edit"
      title="Replay recorded calls"
      description="Recorded arguments are sent to the changed server. Without a current version, its results are compared with the recorded ones."
      submitLabel="Replay"
      pendingLabel="Starting…"
      failure="Couldn't start the replay"
      table={REPLAY_FORM}
      initial={{ budget: 30 }}
      root="request"
      save={({ budget, baseline = "" }) =>
        client.changes.startReplay.mutate({ name: server, request: { budget, baseline: readBaseline(baseline) } })
      }
      stale={[trpc.changes]}
      done="Replay started"
      onClose={onClose}
    />
  );
}

function readBaseline(text: string): ReplayBaseline {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (/^https?:\/\//.test(trimmed)) return { url: trimmed };
  const [command = "", ...args] = trimmed.split(/\s+/);
  return { command, args };
}
