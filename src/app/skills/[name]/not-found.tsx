import { EmptyState } from "@/app/_ui/empty-state";

export default function SkillNotFound() {
  return (
    <EmptyState heading="h1" title="Skill not found" next={{ href: "/skills", text: "All skills" }}>
      It may have been deleted; its recorded reads stay in Executions.
    </EmptyState>
  );
}
