import { SkillView } from "@/app/_components/skills/skill-view";
import { Page } from "@/app/_kit/page";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";

export const generateMetadata = titleByName("Skills");

export default async function SkillPage(props: NamedPageProps) {
  const name = await readName(props);
  await fetchOrNotFound(trpc.ownSkills.get.queryOptions({ name }));
  if ((await props.searchParams).tab === "versions") await prefetch(trpc.ownSkills.versions.queryOptions({ name }));
  return (
    <Page loads={`the skill ${name}`} skeleton="toolEditor">
      <SkillView key={name} name={name} />
    </Page>
  );
}
