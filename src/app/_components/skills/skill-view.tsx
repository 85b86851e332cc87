"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Download, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Suspense, useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { PageActions } from "@/app/_kit/page-actions";
import { saveFile } from "@/app/_kit/save-file";
import { useAction } from "@/app/_kit/use-action";
import { useDraft } from "@/app/_kit/use-draft";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { client, trpc } from "@/app/_trpc/client";
import { lazyPart } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { OwnSkill } from "@/lib/contract/own-skill";
import { beginDraft, toDraft } from "./skill-draft";
import { SkillEditor } from "./skill-editor";

const SkillVersions = lazyPart(() => import("./skill-versions"), "SkillVersions");

const TABS = ["files", "versions"] as const;
const PANEL = "flex min-h-0 flex-1 flex-col";

export function NewSkillView() {
  const held = useDraft(beginDraft, { keptAs: "skill.new" });
  return (
    <div className="flex h-full flex-col">
      <PageHeader title="New skill" />
      <SkillEditor held={held} skill={null} />
    </div>
  );
}

/** A skill of the team: its files, and its versions. */
export function SkillView({ name }: { name: string }) {
  const { data: skill, refetch } = useSuspenseQuery(trpc.ownSkills.get.queryOptions({ name }));
  useLiveRefresh(refetch, "skills");
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("files"));
  const held = useDraft(() => toDraft(skill.files), {
    keptAs: `skill.edit.${name}`,
    base: String(skill.lastEdit.revision),
  });
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHeader title={name} mono actions={<SkillActions skill={skill} />}>
        <p dir="auto" className="line-clamp-2 px-4 pt-0.5 pb-1 text-mute text-xs [overflow-wrap:anywhere]">
          {skill.description}
        </p>
        <TabList
          label="Views of the skill"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: "files", label: "Files", count: skill.fileCount },
            { value: "versions", label: "Versions" },
          ]}
        />
      </PageHeader>
      <TabPanel value="files" active={tab} label="Files" className={PANEL}>
        <SkillEditor held={held} skill={skill} />
      </TabPanel>
      <TabPanel value="versions" active={tab} label="Versions" className={PANEL}>
        <Suspense fallback={<ViewSkeleton of="tool" />}>
          <SkillVersions skill={skill} />
        </Suspense>
      </TabPanel>
    </div>
  );
}

function SkillActions({ skill: { name, lastEdit } }: { skill: OwnSkill }) {
  const router = useRouter();
  const [isDeleting, setDeleting] = useState(false);
  const exporting = useAction(
    { mutationFn: () => client.ownSkills.export.query({ name }) },
    {
      stale: [],
      onDone: ({ fileName, base64 }) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        saveFile(fileName, new Blob([bytes], { type: "application/zip" }));
      },
      failed: "Couldn't export",
      report: "toast",
    },
  );
  return (
    <>
      <PageActions
        actions={[
          {
            label: "Export .zip",
            icon: Download,
            disabled: exporting.isPending,
            onSelect: () => exporting.mutate(),
          },
          { label: "Delete…", icon: Trash2, needs: "edit", onSelect: () => setDeleting(true) },
        ]}
      />
      {isDeleting && (
        <ConfirmAction
          title={`Delete ${name}?`}
          description="Agents can no longer read it. All of its versions are deleted; recorded reads are kept."
          needs="edit"
          run={() => client.ownSkills.delete.mutate({ name, revision: lastEdit.revision })}
          stale={[trpc.ownSkills.list]}
          done={`${name} deleted`}
          onDone={() => router.push("/skills")}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
