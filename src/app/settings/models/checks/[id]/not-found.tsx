import { NotFoundState } from "@/app/_ui/not-found-state";

export default function CheckNotFound() {
  return (
    <NotFoundState title="Model check not found" href="/settings/models" linkText="All model checks">
      The link may be incomplete or belong to another Toolroom.
    </NotFoundState>
  );
}
