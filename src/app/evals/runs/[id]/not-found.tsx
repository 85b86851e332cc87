import { EmptyState } from "@/app/_ui/empty-state";

export default function EvalRunNotFound() {
  return (
    <EmptyState heading="h1" title="Run of evals not found" next={{ href: "/evals", text: "All suites" }}>
      The link may be incomplete or belong to another Toolroom.
    </EmptyState>
  );
}
