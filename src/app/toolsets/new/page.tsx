import type { Metadata } from "next";
import { NewToolsetView } from "@/app/_components/toolsets/form/edit-toolset-view";
import { Page } from "@/app/_kit/page";

export const metadata: Metadata = { title: "New toolset · Toolsets" };

export default function NewToolsetPage() {
  return (
    <Page loads="the form" skeleton="toolEditor">
      <NewToolsetView />
    </Page>
  );
}
