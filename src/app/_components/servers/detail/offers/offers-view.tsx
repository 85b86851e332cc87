import { parseAsString, useQueryStates } from "nuqs";
import { OFFERS, type OfferKind, offerParser } from "@/app/_components/servers/detail/server-tabs";
import { Segmented } from "@/app/_ui/segmented";
import type { ServerDetail } from "@/lib/contract/server";
import { PromptsTab } from "./prompt-view";
import { ResourcesTab } from "./resource-view";
import { SkillsTab } from "./skill-view";

const WORDS: Record<OfferKind, string> = { resources: "Resources", prompts: "Prompts", skills: "Skills" };

/** The resources, prompts and skills of a server, of which one list is shown. */
export function OffersView({ server }: { server: ServerDetail }) {
  // A search in one list does not apply to the other.
  const [{ of }, setAddress] = useQueryStates({ of: offerParser, q: parseAsString });
  const offers = OFFERS.filter((each) => server.state.capabilities.includes(each));
  const shown = of !== null && offers.includes(of) ? of : offers[0];
  return (
    <>
      {offers.length > 1 && shown !== undefined && (
        <div className="shrink-0 border-line border-b bg-panel px-4 py-2">
          <Segmented
            label="Show"
            value={shown}
            options={offers.map((value) => ({ value, label: WORDS[value] }))}
            onChange={(next) => void setAddress({ of: next, q: null })}
          />
        </div>
      )}
      {shown === "prompts" && <PromptsTab server={server} />}
      {shown === "skills" && <SkillsTab server={server} />}
      {(shown === "resources" || shown === undefined) && <ResourcesTab server={server} />}
    </>
  );
}
