import { ReviewView } from "@/app/_components/changes/review-view";
import { Page } from "@/app/_kit/page";
import { type NamedPageProps, readName, titleByName } from "@/app/_trpc/named-page";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

export const generateMetadata = titleByName("Servers", "Changes of ");

export default async function ReviewPage(props: NamedPageProps) {
  const name = await readName(props);
  await fetchOrNotFound(trpc.changes.review.queryOptions({ name }));
  return (
    <Page title={`Changes of ${name}`} loads="the changes" skeleton="settings">
      <ReviewView server={name} />
    </Page>
  );
}
