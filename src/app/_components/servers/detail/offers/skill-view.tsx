import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { toReviewPath } from "@/app/_components/changes/review-path";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import type { ServerDetail } from "@/lib/contract/server";
import type { ServerSkill } from "@/lib/contract/server-content";
import type { SkillChangeStatus } from "@/lib/contract/skill-change";
import { formatBytes } from "@/lib/format";
import { OffersTab, useCanAsk } from "./offers-tab";
import { ReadResource } from "./resource-view";

/** One skill: its description by the server, and the chosen file. */
function SkillView({ server, skill }: { server: string; skill: ServerSkill }) {
  const id = useId();
  const [chosen, setChosen] = useState(skill.uri);
  const root = skill.uri.slice(0, skill.uri.lastIndexOf("/") + 1);
  const open = skill.files?.find(({ uri }) => uri === chosen);
  return (
    <section aria-label={skill.name} className="flex min-h-0 min-w-0 flex-col bg-panel lg:overflow-y-auto">
      <header className="border-line border-b px-4 py-2.5">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="min-w-0 font-medium [overflow-wrap:anywhere]">{skill.name}</h2>
          {skill.files === null && <Badge tone="accent">generated</Badge>}
          {skill.license !== null && <Badge className="max-w-48 truncate">{skill.license}</Badge>}
        </div>
        <p className="flex items-center gap-1 font-mono text-mute text-xs">
          <span className="min-w-0 [overflow-wrap:anywhere]">{skill.uri}</span>
          <CopyButton text={skill.uri} label="Copy URI" className="-my-1" />
        </p>
        <p className="mt-1 max-w-4xl whitespace-pre-wrap text-mute [overflow-wrap:anywhere]">{skill.description}</p>
        {skill.change !== null && (
          <p role="note" className="mt-1">
            {CHANGE_NOTES[skill.change]}{" "}
            <Link href={toReviewPath(server)} className="rounded-xs underline">
              Review changes
            </Link>
          </p>
        )}
        {skill.files !== null && (
          <div className="mt-2 flex flex-wrap items-center gap-2">
            <label htmlFor={id} className="text-xs">
              File
            </label>
            <NativeSelect
              id={id}
              value={chosen}
              onChange={(event) => setChosen(event.target.value)}
              className="max-w-96"
              options={skill.files.map(({ uri }) => [uri, uri.slice(root.length)])}
            />
            {open !== undefined && (
              <span className="min-w-0 font-mono text-mute text-xs [overflow-wrap:anywhere]">
                {formatBytes(open.size)} · {open.digest}
              </span>
            )}
          </div>
        )}
      </header>
      <ReadResource key={chosen} server={server} uri={chosen} />
    </section>
  );
}

const CHANGE_NOTES: Record<SkillChangeStatus, string> = {
  open: "The server lists another version, which waits for a review. Clients get this one.",
  blocked: "The server lists another version, which was rejected. Clients get this one.",
  withheld: "The server lists another version, which can't be verified. Clients get this one.",
};
const CHANGE_BADGES: Record<SkillChangeStatus, ReactNode> = {
  open: <Badge tone="warn">change to review</Badge>,
  blocked: <Badge>change rejected</Badge>,
  withheld: <Badge tone="bad">change withheld</Badge>,
};

const REVIEWED_HINT =
  " Skills that wait for a review, or that cannot be verified, are with the changes of this server.";

function NoApprovedSkills({ server }: { server: string }) {
  return (
    <EmptyState heading="h2" title="No approved skills" next={{ href: toReviewPath(server), text: "Changes" }}>
      Skills that wait for a review, or that cannot be verified, are with the changes of this server.
    </EmptyState>
  );
}

/** Lists the server's skills. The open one is in the address. */
export function SkillsTab({ server }: { server: ServerDetail }) {
  const isReviewed = (server.settings.changedTools ?? "off") !== "off";
  const skills = useQuery({
    ...trpc.skills.list.queryOptions({ name: server.name }),
    enabled: useCanAsk(server, "skills"),
    retry: false,
  });
  return (
    <OffersTab
      server={server}
      what="skills"
      query={skills}
      parameter="skill"
      noun="skill"
      {...(isReviewed && { none: <NoApprovedSkills server={server.name} /> })}
      hint={`A file is read when you open it, and checked against its digest.${isReviewed ? REVIEWED_HINT : ""}`}
      toOffer={({ uri, name, description, files, change }) => ({
        id: uri,
        title: name,
        detail: description,
        badge: change === null ? files === null && <Badge tone="accent">generated</Badge> : CHANGE_BADGES[change],
      })}
    >
      {(open) => <SkillView key={open.uri} server={server.name} skill={open} />}
    </OffersTab>
  );
}
