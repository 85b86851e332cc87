import type { Metadata } from "next";
import { CheckView } from "@/app/_components/models/checks/check-view";
import { Page } from "@/app/_kit/page";
import { fetchNow, fetchOrNotFound, trpc } from "@/app/_trpc/server";
import type { ModelCheckDetail } from "@/lib/contract/model";

interface CheckPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: CheckPageProps): Promise<Metadata> {
  const { id } = await params;
  const name = await fetchNow<ModelCheckDetail>(trpc.modelChecks.get.queryOptions({ id })).then(
    ({ model }) => model,
    () => id,
  );
  return { title: `${name} · Model checks` };
}

export default async function CheckPage({ params }: CheckPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.modelChecks.get.queryOptions({ id }));
  return (
    <Page loads="the check" skeleton="models">
      <CheckView key={id} id={id} />
    </Page>
  );
}
