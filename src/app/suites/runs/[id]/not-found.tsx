import { EmptyState } from "@/app/_ui/empty-state";

export default function SuiteRunNotFound() {
  return (
    <EmptyState heading="h1" title="Run not found" next={{ href: "/suites", text: "All suites" }}>
      The newest 100 runs of a suite of tests are kept, and the newest 100 replays.
    </EmptyState>
  );
}
