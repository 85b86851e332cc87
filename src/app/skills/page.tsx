import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { ImportSkill } from "@/app/_components/skills/import-skill";
import { SkillsView } from "@/app/_components/skills/skills-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";

export const metadata: Metadata = { title: "Skills" };

export default async function SkillsPage() {
  await prefetch(trpc.ownSkills.list.queryOptions());
  return (
    <Page
      title="Skills"
      actions={
        <>
          <ImportSkill />
          <ButtonLink icon={Plus} needs="edit" href="/skills/new" variant="primary">
            New skill
          </ButtonLink>
        </>
      }
      loads="skills"
      skeleton="toolsets"
    >
      <SkillsView />
    </Page>
  );
}
