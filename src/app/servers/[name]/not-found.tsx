import { ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default function ServerNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Server not found"
      next={{ href: "/servers", text: "All servers" }}
      action={
        <ButtonLink needs="edit" href="/servers/new">
          Add server
        </ButtonLink>
      }
    >
      It may have been renamed or deleted; its calls stay in Executions.
    </EmptyState>
  );
}
