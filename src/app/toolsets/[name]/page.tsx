import { EditToolsetView } from "@/app/_components/toolsets/form/edit-toolset-view";
import { Page } from "@/app/_kit/page";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

export const generateMetadata = titleByName("Toolsets");

export default async function ToolsetPage(props: NamedPageProps) {
  const name = await readName(props);
  await fetchOrNotFound(trpc.toolsets.get.queryOptions({ name }));
  return (
    <Page loads={`the toolset ${name}`} skeleton="toolEditor">
      <EditToolsetView key={name} name={name} />
    </Page>
  );
}
