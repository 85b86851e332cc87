import { formatPlural } from "@/lib/format";

/** `2 changed tools and 1 changed skill`. */
export function formatHeld(tools: number, skills: number): string {
  const parts = [
    ...(tools > 0 || skills === 0 ? [formatPlural(tools, "changed tool")] : []),
    ...(skills > 0 ? [formatPlural(skills, "changed skill")] : []),
  ];
  return parts.join(" and ");
}
