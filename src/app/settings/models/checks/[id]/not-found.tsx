import { EmptyState } from "@/app/_ui/empty-state";

export default function CheckNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Model check not found"
      next={{ href: "/settings/models", text: "All model checks" }}
    >
      The link may be incomplete or belong to another Toolroom.
    </EmptyState>
  );
}
