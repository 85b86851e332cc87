import { EditServerView } from "@/app/_components/servers/form/edit-server-view";
import { Page } from "@/app/_kit/page";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

export const generateMetadata = titleByName("Servers", "Edit ");

export default async function EditServerPage(props: NamedPageProps) {
  const name = await readName(props);
  await fetchOrNotFound(trpc.servers.get.queryOptions({ name }));
  return (
    <Page title={`Edit ${name}`} loads="settings" skeleton="serverForm" fill>
      <EditServerView name={name} />
    </Page>
  );
}
