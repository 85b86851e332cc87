import { ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default function ToolsetNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Toolset not found"
      action={
        <ButtonLink href="/toolsets" variant="primary">
          All toolsets
        </ButtonLink>
      }
    >
      It may have been renamed or deleted; its calls stay in Executions.
    </EmptyState>
  );
}
