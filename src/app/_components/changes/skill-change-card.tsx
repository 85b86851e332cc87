import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";
import type { SkillChange, SkillVersions } from "@/lib/contract/skill-change";
import { formatPlural } from "@/lib/format";
import { useDecideSkills } from "./use-decide-skills";

const DiffView = onDemand(() => import("@/app/_components/executions/diff/diff-view"), "DiffView", { onServer: true });
const FileChanges = onDemand(() => import("@/app/_components/skills/file-changes"), "FileChanges");
const FileTexts = onDemand(() => import("@/app/_components/skills/file-changes"), "FileTexts");

const TONES: Record<SkillChange["kind"], BadgeTone> = { added: "ok", changed: "warn", removed: "bad" };
const STATES: Record<SkillChange["status"], string> = { open: "waiting", blocked: "cancelled", withheld: "failed" };

/** A version of a server's skill that clients do not have: what differs, and the decisions. */
export function SkillChangeCard({ change }: { change: SkillChange }) {
  const [isCompared, setCompared] = useState(false);
  const { decide, pending, error } = useDecideSkills(change.server);
  const { name, uri, kind, status, description, reason } = change;
  const isOne = kind !== "changed";
  return (
    <section
      aria-label={`Change of the skill ${name}`}
      data-status={STATES[status]}
      className="flex min-w-0 flex-col gap-2.5"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="min-w-0 font-medium font-mono text-sm [overflow-wrap:anywhere]">{name}</h2>
        <Badge>skill</Badge>
        <Badge tone={TONES[kind]}>{kind}</Badge>
        {status !== "open" && <Badge tone={status === "withheld" ? "bad" : "warn"}>{STATUS_WORDS[status]}</Badge>}
        <span className="text-mute text-xs">
          listed <RelativeTime at={change.heldAt} />
          {change.decidedBy !== null && `, rejected by ${change.decidedBy.name}`}
        </span>
      </div>
      <p className="-mt-1.5 font-mono text-mute text-xs [overflow-wrap:anywhere]">{uri}</p>
      <p className="max-w-4xl [overflow-wrap:anywhere]">{description}</p>
      <p className="text-mute [overflow-wrap:anywhere]">{describeEffect(change)}</p>
      {reason !== null && <p className="text-bad [overflow-wrap:anywhere]">It can&apos;t be approved: {reason}.</p>}
      {status !== "withheld" && (
        <div className="flex flex-wrap gap-2">
          <Button needs="edit" variant="primary" disabled={pending} onClick={() => decide([change], "approve")}>
            {kind === "removed" ? "Approve removal" : "Approve"}
            <span className="sr-only"> of the skill {name}</span>
          </Button>
          {status === "open" && (
            <Button
              needs="edit"
              disabled={pending}
              title={REJECT_HINTS[kind]}
              onClick={() => decide([change], "block")}
            >
              {kind === "removed" ? "Keep the skill" : "Reject"}
              <span className="sr-only">: the skill {name}</span>
            </Button>
          )}
          <Button aria-expanded={isCompared} onClick={() => setCompared(!isCompared)}>
            {isCompared ? "Hide files" : isOne ? "Show files" : "Compare files"}
            <span className="sr-only"> of {name}</span>
          </Button>
        </div>
      )}
      <div role="alert" className="text-bad text-xs empty:hidden">
        {error}
      </div>
      {isCompared && <Versions change={change} />}
    </section>
  );
}

const STATUS_WORDS = { blocked: "rejected", withheld: "withheld" } as const;

const REJECT_HINTS: Record<SkillChange["kind"], string> = {
  added: "Clients do not get this skill.",
  changed: "Clients keep the approved version.",
  removed: "Clients keep the approved version, which is stored here.",
};

/** Describes what differs in this version and which version clients receive. */
function describeEffect({ kind, files }: SkillChange): string {
  if (kind === "removed") return "The server lists it no more. Clients keep the approved version until you decide.";
  if (kind === "added") {
    const size = files.length === 0 ? "" : ` of ${formatPlural(files.length, "file")}`;
    return `A new skill${size}, which clients do not get yet.`;
  }
  return `${describeFiles(files)}. Clients keep the approved version.`;
}

const MAX_NAMED = 3;
const WORDS = new Intl.ListFormat("en-US");

function describeFiles(files: SkillChange["files"]): string {
  const [only, ...others] = files;
  if (only === undefined) return "Its front matter in the list differs";
  if (others.length === 0) return `${only.path} differs`;
  if (files.length > MAX_NAMED) return `${formatPlural(files.length, "file")} differ`;
  return `${WORDS.format(files.map(({ path }) => path))} differ`;
}

function Versions({ change: { server, uri, hash } }: { change: SkillChange }) {
  const { data, error } = useQuery(trpc.changes.skillVersions.queryOptions({ name: server, uri, hash }));
  if (error !== null) return <p className="text-bad text-xs">{error.message}</p>;
  return data === undefined ? <Skeleton className="h-40" /> : <ComparedVersions versions={data} />;
}

function ComparedVersions({ versions: { before, after } }: { versions: SkillVersions }) {
  if (before === null || after === null) return <FileTexts files={(after ?? before)?.files ?? []} />;
  const isListedAlike = before.listed === after.listed;
  return (
    <>
      {!isListedAlike && <DiffView label="Front matter in the list" left={before.listed} right={after.listed} />}
      <FileChanges before={before.files} after={after.files} none="Both versions have the same files." />
    </>
  );
}
