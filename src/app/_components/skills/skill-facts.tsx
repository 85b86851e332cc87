import { CopyButton } from "@/app/_ui/copy-button";
import { FactList } from "@/app/_ui/fact-list";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { OwnSkill } from "@/lib/contract/own-skill";
import { formatBytes, formatPlural } from "@/lib/format";
import { getSize, type SkillDraft } from "./skill-draft";

/** Where agents read the skill, and what is stored of it. */
export function SkillFacts({ skill, draft }: { skill: OwnSkill | null; draft: SkillDraft }) {
  const bytes = draft.files.reduce((sum, file) => sum + getSize(file), 0);
  const size = `${formatPlural(draft.files.length, "file")}, ${formatBytes(bytes)}`;
  if (skill === null) {
    return (
      <p className="text-mute text-xs">
        {size}. Its name is the one in the front matter: lowercase letters, digits and hyphens.
      </p>
    );
  }
  return (
    <FactList
      className="border-line border-t pt-3 text-xs"
      valueClass=""
      facts={[
        [
          "URI",
          <span key="uri" className="flex items-start gap-1">
            <code className="min-w-0 font-mono [overflow-wrap:anywhere]">{skill.uri}</code>
            <CopyButton text={skill.uri} label="Copy URI" className="-my-1.5" />
          </span>,
        ],
        ["Served at", "/mcp, and toolsets that choose it"],
        [
          "Version",
          <span key="version">
            {skill.version} · {skill.updatedBy ?? "unknown"} <RelativeTime at={skill.updatedAt} />
          </span>,
        ],
        ["Size", size],
        [
          "Digest",
          <code key="digest" className="font-mono text-2xs [overflow-wrap:anywhere]">
            {skill.digest}
          </code>,
        ],
      ]}
    />
  );
}
