import type { Metadata } from "next";
import { NewSkillView } from "@/app/_components/skills/skill-view";
import { Page } from "@/app/_kit/page";

export const metadata: Metadata = { title: "New skill · Skills" };

export default function NewSkillPage() {
  return (
    <Page loads="the form" skeleton="toolEditor">
      <NewSkillView />
    </Page>
  );
}
