import { EmptyState } from "@/app/_ui/empty-state";

export default function TestRunNotFound() {
  return (
    <EmptyState heading="h1" title="Run not found" next={{ href: "/tests", text: "All suites" }}>
      The newest 100 runs of a suite are kept, and the newest 100 replays.
    </EmptyState>
  );
}
