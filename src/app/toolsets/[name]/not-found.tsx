import { EmptyState } from "@/app/_ui/empty-state";

export default function ToolsetNotFound() {
  return (
    <EmptyState heading="h1" title="Toolset not found" next={{ href: "/toolsets", text: "All toolsets" }}>
      It may have been renamed or deleted; its calls stay in Executions.
    </EmptyState>
  );
}
