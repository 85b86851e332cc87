import type { ClientSeverity } from "../../contract/client-verdict";
import type { ClientRemedy } from "../../contract/client-verdict-schema";
import { formatPlural } from "../../format/count";
import type { CheckedTool } from "./check-tool";
import { type ClientFeature, type ClientProfile, SUPPORTS, type Support } from "./client-profile";
import { CLIENT_SOURCES, type ClientSourceId } from "./client-sources";

/** The ways to reach Toolroom, and its offers beside tools. */
export interface ServedAccess {
  /** The name of Toolroom in the client's configuration. */
  serverName: string;
  /** Whether its address is on the internet. */
  isPublic: boolean;
  /** Whether callers need an account. */
  needsAccount: boolean;
  /** Clients can sign in through the browser. */
  offersSignIn: boolean;
  offers: readonly ("resources" | "prompts")[];
}

interface AccessFault {
  check: "address" | "sign-in" | "apps" | "resources" | "prompts";
  severity: ClientSeverity;
  where: string;
  message: string;
  remedy: ClientRemedy | null;
  source: { url: string; readOn: string } | null;
}

/** Whether a client has a feature, and where that is written; null where it is not documented. */
export function findSupport(
  { features }: ClientProfile,
  feature: ClientFeature,
): { support: Support; source: ClientSourceId } | null {
  for (const facts of features) {
    const support = SUPPORTS.find((each) => facts[each]?.includes(feature));
    if (support !== undefined) return { support, source: facts.source };
  }
  return null;
}

/** Checks what keeps a client from Toolroom, and what it does not show of it. Programs bring model APIs their tools themselves. */
export function findAccessFaults(
  profile: ClientProfile,
  access: ServedAccess,
  tools: readonly CheckedTool[],
): AccessFault[] {
  if (profile.kind === "api") return [];
  return [
    checkAddress(profile, access),
    checkSignIn(profile, access),
    checkApps(profile, tools),
    ...access.offers.map((offer) => checkOffer(profile, offer)),
  ].filter((fault) => fault !== null);
}

function checkAddress(profile: ClientProfile, { isPublic }: ServedAccess): AccessFault | null {
  if (profile.kind !== "cloud" || isPublic) return null;
  const hasStdio = findSupport(profile, "stdio")?.support === "yes";
  const text = "Give Toolroom a public address with TOOLROOM_PUBLIC_URL";
  return {
    check: "address",
    severity: hasStdio ? "warns" : "refused",
    where: "",
    message: `${profile.label} connects from the internet, where this Toolroom has no address${hasStdio ? ": only its desktop program can use it" : ""}.`,
    remedy: { kind: "connect", text: hasStdio ? `${text}, or connect its desktop program over stdio.` : `${text}.` },
    source: readSource(profile, "http"),
  };
}

function checkSignIn(profile: ClientProfile, { needsAccount, offersSignIn }: ServedAccess): AccessFault | null {
  if (!needsAccount) return null;
  const signsIn = findSupport(profile, "oauth")?.support === "yes";
  const sendsHeaders = findSupport(profile, "headers")?.support === "yes";
  if (sendsHeaders && (signsIn || !offersSignIn)) return null;
  if (signsIn && offersSignIn) return null;
  if (sendsHeaders) {
    return {
      check: "sign-in",
      severity: "warns",
      where: "",
      message: `${profile.label} documents no sign-in through the browser: it needs an API token in its headers.`,
      remedy: { kind: "access", text: "Create an API token and put it into the client's configuration." },
      source: readSource(profile, "headers"),
    };
  }
  return {
    check: "sign-in",
    severity: "refused",
    where: "",
    message: `${profile.label} signs in through the browser, which this Toolroom does not offer to clients, and documents no headers for an API token.`,
    remedy: { kind: "access", text: "Set TOOLROOM_PUBLIC_URL, so that clients can sign in." },
    source: readSource(profile, "oauth"),
  };
}

function checkApps(profile: ClientProfile, tools: readonly CheckedTool[]): AccessFault | null {
  const count = tools.filter(({ hasApp }) => hasApp).length;
  const support = findSupport(profile, "apps");
  if (count === 0 || support?.support === "yes") return null;
  const known = support === null ? "documents no support for" : "does not show";
  return {
    check: "apps",
    severity: support === null ? "warns" : "dropped",
    where: "/_meta/ui",
    message: `${profile.label} ${known} MCP Apps: ${formatPlural(count, "tool")} would answer with text alone.`,
    remedy: null,
    source: support === null ? null : CLIENT_SOURCES[support.source],
  };
}

function checkOffer(profile: ClientProfile, offer: "resources" | "prompts"): AccessFault | null {
  const support = findSupport(profile, offer);
  if (support?.support !== "no") return null;
  return {
    check: offer,
    severity: "dropped",
    where: "",
    message: `${profile.label} does not show the ${offer} that are served with the tools.`,
    remedy: null,
    source: CLIENT_SOURCES[support.source],
  };
}

function readSource(profile: ClientProfile, feature: ClientFeature): AccessFault["source"] {
  const support = findSupport(profile, feature);
  return support === null ? null : CLIENT_SOURCES[support.source];
}
