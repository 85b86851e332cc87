import { useRouter } from "next/navigation";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { client, trpc } from "@/app/_trpc/client";
import type { Suite } from "@/lib/contract/suite";

const LOST: Record<Suite["kind"], string> = {
  tests: "Its tests and the results of its runs are deleted. Recorded executions are kept.",
  evals: "Its evals and the results of its runs are deleted. Recorded runs of models are kept.",
};

export function DeleteSuite({ suite, onClose }: { suite: Suite; onClose: () => void }) {
  const { kind, name, lastEdit } = suite;
  const router = useRouter();
  return (
    <ConfirmAction
      title={`Delete ${name}?`}
      description={LOST[kind]}
      needs="edit"
      run={() => client.suites.delete.mutate({ name, revision: lastEdit?.revision })}
      stale={[trpc.suites.list]}
      done={`${name} deleted`}
      onDone={() => router.push("/suites")}
      onClose={onClose}
    />
  );
}
