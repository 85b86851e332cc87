"use client";

import { useRouter } from "next/navigation";
import { FileChoice } from "@/app/_kit/file-choice";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { useToast } from "@/app/_ui/toast";

/** Imports the file of a cassette, and opens the cassette. */
export function ImportCassette() {
  const trpc = useTRPC();
  const router = useRouter();
  const toast = useToast();
  const importing = useAction(trpc.cassettes.import.mutationOptions(), {
    stale: [trpc.cassettes.list.queryKey()],
    done: ({ name }) => `Imported ${name}`,
    onDone: ({ name }) => router.push(`/cassettes/${encodeURIComponent(name)}`),
    failed: () => "Couldn't import the file",
    report: (problem) => problem !== null && toast({ tone: "bad", title: problem }),
  });
  if (useDenial("edit") !== null) return null;
  return <FileChoice accept=".jsonl,application/jsonl" onText={(text) => importing.mutate({ text })} />;
}
