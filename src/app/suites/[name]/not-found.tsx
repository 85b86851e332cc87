import { EmptyState } from "@/app/_ui/empty-state";

export default function SuiteNotFound() {
  return (
    <EmptyState heading="h1" title="Suite not found" next={{ href: "/suites", text: "All suites" }}>
      It may have been renamed or deleted; the executions of its tests are kept.
    </EmptyState>
  );
}
