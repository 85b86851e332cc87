import { NotFoundState } from "@/app/_ui/not-found-state";

export default function ExecutionNotFound() {
  return (
    <NotFoundState title="Execution not found" href="/executions" linkText="Search executions">
      Ids look like exec_7hJ2kP0q. The link may be incomplete or belong to another Toolroom.
    </NotFoundState>
  );
}
