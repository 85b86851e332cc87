import { useState } from "react";
import { WithCode } from "@/app/_components/tools/summary/schema-notes";
import { Badge } from "@/app/_ui/badge";
import { ButtonLink } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { ShowMore } from "@/app/_ui/show-more";
import type { ClientFinding, ClientVerdict } from "@/lib/contract/client-verdict-schema";
import { formatCount } from "@/lib/format";
import { type FitPart, SEVERITY_TONES, toRemedyLink } from "./fit-words";

const STEP = 20;

/** Lists the findings of a client, the strongest first, each with its remedy and source. */
export function FitFindings({ verdict, part }: { verdict: ClientVerdict; part: FitPart }) {
  const [shown, setShown] = useState(STEP);
  const { label, findings, findingCount, reason } = verdict;
  return (
    <div className="px-3.5 pb-2 text-xs">
      {reason !== "" && <p className="py-1.5 text-mute">{reason}</p>}
      {reason === "" && findings.length === 0 && <p className="py-1.5 text-mute">No rule is broken.</p>}
      <ul aria-label={`Findings for ${label}`} className="flex flex-col gap-2.5">
        {findings.slice(0, shown).map((finding) => (
          <Finding key={`${finding.rule} ${finding.tool}`} finding={finding} part={part} />
        ))}
      </ul>
      <ShowMore rest={findings.length - shown} onMore={() => setShown(shown + STEP)} />
      {findingCount > findings.length && shown >= findings.length && (
        <p className="pt-2 text-mute">and {formatCount(findingCount - findings.length)} more</p>
      )}
    </div>
  );
}

function Finding({ finding, part }: { finding: ClientFinding; part: FitPart }) {
  const { severity, tool, catalogTool, message, remedy, source } = finding;
  const link = toRemedyLink(finding, part);
  return (
    <li className="flex flex-col gap-1 [overflow-wrap:anywhere]">
      <p>
        <Badge tone={SEVERITY_TONES[severity]} className="mr-1.5">
          {severity}
        </Badge>
        {tool !== null && part.tool === undefined && (
          <>
            <Link href={`/tools/${encodeURIComponent(catalogTool ?? tool)}`} className="font-mono hover:underline">
              {tool}
            </Link>{" "}
          </>
        )}
        <WithCode text={message} />
        {source !== null && (
          <>
            {" "}
            <a
              href={source.url}
              target="_blank"
              rel="noopener noreferrer"
              className="rounded-xs text-mute underline max-sm:py-2.75"
              title={source.url}
            >
              Source, read {source.readOn}
            </a>
          </>
        )}
      </p>
      {remedy !== null && (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-mute">
          <span>{remedy.text}</span>
          {link !== null && <ButtonLink href={link.href}>{link.label}</ButtonLink>}
        </p>
      )}
    </li>
  );
}
