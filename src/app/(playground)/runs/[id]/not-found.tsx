import { NotFoundState } from "@/app/_ui/not-found-state";

export default function RunNotFound() {
  return (
    <NotFoundState title="Run not found" href="/runs" linkText="All runs">
      Ids look like run_7hJ2kP0q. The link may be incomplete or belong to another Toolroom.
    </NotFoundState>
  );
}
