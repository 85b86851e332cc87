import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { RunsTabs } from "@/app/_components/runs/list/runs-tabs";
import { TranscriptsView } from "@/app/_components/transcripts/list/transcripts-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Transcripts" };

export default async function TranscriptsPage() {
  await prefetch(trpc.transcripts.list.queryOptions());
  return (
    <Page
      title="Transcripts"
      actions={
        <Link needs="run" href="/runs/transcripts?new=1" scroll={false} className={buttonClass({ variant: "primary" })}>
          <Plus aria-hidden size={15} strokeWidth={1.6} />
          New transcript
        </Link>
      }
      tabs={<RunsTabs current="transcripts" />}
      loads="transcripts"
      skeleton="transcripts"
    >
      <TranscriptsView />
    </Page>
  );
}
