import type { Metadata } from "next";
import { ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "./_ui/empty-state";

export const metadata: Metadata = { title: { absolute: "Not found · Toolroom" } };

export default function NotFound() {
  return (
    <EmptyState
      heading="h1"
      title="Page not found"
      next={{ href: "/tools", text: "All tools" }}
      action={<ButtonLink href="/executions">Search executions</ButtonLink>}
    >
      What was here may have been deleted or renamed. Executions keep every call, also of deleted tools.
    </EmptyState>
  );
}
