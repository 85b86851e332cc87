import { EmptyState } from "@/app/_ui/empty-state";

export default function CassetteNotFound() {
  return (
    <EmptyState heading="h1" title="Cassette not found" next={{ href: "/cassettes", text: "All cassettes" }}>
      It may have been renamed or deleted.
    </EmptyState>
  );
}
