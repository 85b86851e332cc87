import { EmptyState } from "@/app/_ui/empty-state";

export default function RunNotFound() {
  return (
    <EmptyState heading="h1" title="Run not found" next={{ href: "/runs", text: "All runs" }}>
      Ids look like run_7hJ2kP0q. The link may be incomplete or belong to another Toolroom.
    </EmptyState>
  );
}
