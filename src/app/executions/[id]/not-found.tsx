import { EmptyState } from "@/app/_ui/empty-state";

export default function ExecutionNotFound() {
  return (
    <EmptyState heading="h1" title="Execution not found" next={{ href: "/executions", text: "Search executions" }}>
      Ids look like exec_7hJ2kP0q. The link may be incomplete or belong to another Toolroom.
    </EmptyState>
  );
}
